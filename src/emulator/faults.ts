import { type DeliveryRule, type FaultRule, isDeliveryRule } from '../contract/fault-rule.ts';
import { parseDuration } from '../core/time.ts';
import type { Answering, HttpRequest } from './http.ts';
import { problemError, respondTo, type Service } from './service.ts';
import type { EmulatorStore, StoredFault } from './store.ts';

/** Matches a path: `*` stands for one segment, `**` at the end for all that follow. */
const matchesPath = (pattern: string, path: string): boolean => {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  const isOpen = wanted.at(-1) === '**';
  return (
    (isOpen ? given.length >= wanted.length : given.length === wanted.length) &&
    wanted.every((segment, index) => segment === '*' || segment === '**' || segment === given[index])
  );
};

/** Rounds down with a tolerance, since sums of tenths are not exact. */
const roundedDown = (count: number): number => Math.floor(count + 1e-9);

/**
 * Counts matches instead of drawing at random, so that a run can be repeated: a share of 0.5 fires on every second
 * match.
 */
const isTurn = ({ rule: { share = 1, times = Number.POSITIVE_INFINITY }, seen, fired }: StoredFault): boolean =>
  fired < times && roundedDown((seen + 1) * share) > roundedDown(seen * share);

type Rule = FaultRule | DeliveryRule;

/** Formats the effect of a rule for display: `late: 10m`. */
export const effectOf = (rule: Rule): string =>
  Object.entries(rule)
    .filter(([name]) => !['event', 'method', 'path', 'share', 'times'].includes(name))
    .map(([name, value]) => (value === true ? name : `${name}: ${value}`))
    .join(', ');

/**
 * Returns the first rule that `meets` accepts and whose turn it is. Counts the match of each accepted rule up to it.
 */
export const ruleFor = <R extends Rule>(store: EmulatorStore, meets: (rule: Rule) => rule is R): R | undefined => {
  if (!store.faults().some(({ rule }) => meets(rule))) return undefined;
  return store.write(() => {
    for (const kept of store.faults()) {
      const { rule } = kept;
      if (!meets(rule)) continue;
      const fired = isTurn(kept);
      store.countFault(kept.seq, fired);
      if (fired) return rule;
    }
    return undefined;
  });
};

const forRequest =
  (method: string, path: string) =>
  (rule: Rule): rule is FaultRule =>
    !isDeliveryRule(rule) &&
    (rule.method ?? method) === method &&
    (rule.path === undefined || matchesPath(rule.path, path));

/** Applies a fault rule to a request; `execute` runs the request, unless the rule replaces it. */
const misbehave = async (rule: FaultRule, service: Service, asked: HttpRequest, execute: Answering) => {
  const { status, retry_after: retryAfter, reset, cut, bad_json, when = 'before' } = rule;
  const pause = async (): Promise<void> => {
    if (rule.delay !== undefined) await service.clock.sleep(parseDuration(rule.delay) ?? 0, service.closing);
  };
  const isReplaced = (status !== undefined || reset !== undefined) && when === 'before';
  if (when === 'before') await pause();
  const answer = isReplaced ? undefined : await execute(asked);
  if (when === 'after') await pause();
  if (reset === true) {
    asked.hangUp('reset');
    return undefined;
  }
  if (status !== undefined || answer === undefined) {
    const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
    return respondTo(problemError(status ?? 500, 'a rule for faults of the emulator', { headers }), service);
  }
  if (cut !== undefined) return { ...answer, cutAfter: cut };
  return bad_json === true ? { ...answer, text: answer.text.slice(0, -1) } : answer;
};

/** Applies the data file's fault rules to the service. The controls and the hosted page are exempt. */
export const withFaults =
  (service: Service, answering: Answering): Answering =>
  async (asked) => {
    const { method, target } = asked;
    const path = target.split('?')[0] ?? target;
    const rule = path.startsWith('/v1/') ? ruleFor(service.store, forRequest(method, path)) : undefined;
    if (rule === undefined) return answering(asked);
    return misbehave(rule, service, asked, answering);
  };
