import { faultRules } from '../contract/fault-rule.ts';
import { breaches } from '../contract/operations.ts';
import { parseDuration } from '../core/duration.ts';
import { PayError, usageError } from '../core/error.ts';
import { formatDateAtom } from '../core/time.ts';
import { nowOf, type Service } from './answer.ts';
import { invalid } from './refusal.ts';
import type { KeptFault } from './store/settings.ts';

/** Where the controls are, beside the service. */
export const CONTROL = '/emulator/';

/** What the clock of an emulator shows, and how many milliseconds it was moved on. */
export interface ClockState {
  readonly now: string;
  readonly moved: number;
}

type Kept = Pick<Service, 'store' | 'clock'>;

const clockState = (kept: Kept): ClockState => ({
  now: formatDateAtom({ ms: nowOf(kept), offset: 0 }),
  moved: kept.store.clockOffset(),
});

/** Moves the clock on, or back to the time that it really is. What was due meanwhile ends with the next request. */
export const moveClock = (kept: Kept, by: number | 'back' | undefined): ClockState => {
  const { store } = kept;
  if (by === 'back') store.setClockOffset(0);
  else if (by !== undefined) store.write(() => store.setClockOffset(store.clockOffset() + by));
  return clockState(kept);
};

/** Puts rules for faults in the place of those there were; a usage error where they are none. */
export const setFaults = ({ store }: Pick<Kept, 'store'>, rules: unknown): readonly KeptFault[] => {
  const { error, data } = faultRules.safeParse(rules);
  if (error !== undefined) {
    throw usageError('these are no rules for faults', {
      violations: breaches(error),
      hint: 'such as {"rules": [{"method": "POST", "path": "/v1/ugwo/*/activities", "times": 1, "reset": true, "when": "after"}]}',
    });
  }
  store.write(() => store.replaceFaults(data.rules));
  return store.faults();
};

const shownFaults = (faults: readonly KeptFault[]) => ({
  rules: faults.map(({ rule, seen, fired }) => ({ ...rule, seen, fired })),
});

const refused = <T>(work: () => T): T => {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof PayError) throw invalid(thrown.detail.violations ?? []);
    throw thrown;
  }
};

/** By method and path. */
export const controls: Readonly<
  Record<string, (service: Service, body: Readonly<Record<string, unknown>>) => unknown>
> = {
  [`GET ${CONTROL}clock`]: (service) => clockState(service),
  [`POST ${CONTROL}clock`]: (service, { by }) => {
    const ms = parseDuration(String(by));
    if (ms === undefined) throw invalid([{ propertyPath: 'by', title: 'is not a duration such as 90s, 10m or 1h' }]);
    return moveClock(service, ms);
  },
  [`DELETE ${CONTROL}clock`]: (service) => moveClock(service, 'back'),
  [`GET ${CONTROL}faults`]: ({ store }) => shownFaults(store.faults()),
  [`PUT ${CONTROL}faults`]: (service, body) => refused(() => shownFaults(setFaults(service, body))),
  [`DELETE ${CONTROL}faults`]: (service) => shownFaults(setFaults(service, { rules: [] })),
};
