import { writeFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { earliestServiceTime, elapsed, payableFor, payableUntilOf } from '../../src/ledger/clock.ts';
import type { Charge, Moment } from '../../src/ledger/entry.ts';
import { uptimeFrom } from '../../src/ledger/sender.ts';
import { newFolder } from '../support/program.ts';
import { HOUR } from '../support/units.ts';
import { account, charge, MINUTE, momentAt, NOON } from './support/charges.ts';

describe('uptimeFrom', () => {
  it("reads the system's uptime", () => {
    const now = uptimeFrom('/proc/uptime')();
    if (process.platform === 'linux') expect(Math.abs(now - uptime() * 1000)).toBeLessThan(5000);
    else expect(now).toBe(-1);
  });

  it("ignores a container's regular file and a missing file", () => {
    const file = join(newFolder(), 'uptime');
    writeFileSync(file, '864000.00 1.00\n');
    expect(uptimeFrom(file)()).toBe(-1);
    expect(uptimeFrom(join(newFolder(), 'uptime'))()).toBe(-1);
  });
});

describe('elapsed', () => {
  it.each([
    ['within one boot', { boot: 'a', uptime: 5 }, { boot: 'a', uptime: 12 }, 7],
    ['since the start of the machine', { boot: 'a', uptime: 0 }, { boot: 'a', uptime: 12 }, 12],
    ['across boots', { boot: 'a', uptime: 5 }, { boot: 'b', uptime: 12 }, undefined],
    ['without a boot id', { boot: '', uptime: 5 }, { boot: '', uptime: 12 }, undefined],
    ['without a first time', { boot: 'a', uptime: -1 }, { boot: 'a', uptime: 12 }, undefined],
    ['without a second time', { boot: 'a', uptime: 5 }, { boot: 'a', uptime: -1 }, undefined],
  ])('returns the right time %s', (_what, from, to, passed) => {
    expect(elapsed(from, to)).toBe(passed);
  });
});

const REBOOTED = { boot: 'another', uptime: 5 };
const made = (at: number): Charge['activity'] => account({ createdAt: new Date(at).toISOString() });

/** The service's time, from the time that is left to pay. */
const serviceTime = (of: Charge, now: Moment): number =>
  (payableUntilOf(of.activity) ?? Number.NaN) - (payableFor(of, now) ?? Number.NaN);

describe("the service's time", () => {
  const told = (ahead: number, at = NOON): Charge['told'] => ({ ...momentAt(at), service: at + ahead });
  const LATER = momentAt(NOON + HOUR);

  it.each<[string, Partial<Charge>, number]>([
    [
      'the last known time, without a creation time',
      { told: told(5000), activity: account({ createdAt: 'soon' }) },
      HOUR + 5000,
    ],
    [
      'the last known time, if the activity was created over two hours before',
      { told: told(0), activity: made(NOON - 2 * HOUR - 1) },
      HOUR,
    ],
    [
      'an estimate from an activity created within two hours',
      { told: told(0), activity: made(NOON - 2 * HOUR) },
      -HOUR,
    ],
    [
      'an estimate from the end of the sending',
      { took: MINUTE, told: told(HOUR, NOON + 2 * MINUTE), activity: made(NOON) },
      HOUR - MINUTE,
    ],
    [
      'the last known time, if read before the sending ended',
      { took: 2 * MINUTE, told: told(5000, NOON + MINUTE), activity: made(NOON) },
      HOUR - MINUTE,
    ],
  ])('is %s', (_what, some, after) => {
    expect(serviceTime(charge(some), LATER)).toBe(NOON + after);
  });

  it("uses the local clock after a restart if the service's time was read before the sending ended", () => {
    const early = { at: NOON + MINUTE, mark: REBOOTED, service: NOON + MINUTE };
    const of = (after: number) =>
      charge({ took: 2 * MINUTE, told: { ...early, at: NOON + after }, activity: made(NOON) });
    const now = { at: NOON + HOUR, mark: { boot: 'another', uptime: 5 + HOUR } };
    // Read a minute after noon, during the sending: the activity existed by then.
    expect(serviceTime(of(MINUTE), now)).toBe(NOON + HOUR);
    // Read after the sending: that clock says nothing about when the activity was created.
    expect(serviceTime(of(3 * MINUTE), now)).toBe(NOON + HOUR - 2 * MINUTE);
    // Nor does a time read just at the end, on a machine whose clock was set back since.
    expect(serviceTime(of(2 * MINUTE), { ...now, at: NOON + HOUR / 2 })).toBe(NOON + HOUR / 2 - 2 * MINUTE);
  });
});

describe('serviceTimeNow', () => {
  const now = momentAt(NOON);
  it.each<[string, number, number]>([
    ['accepts a difference of half an hour', 30 * MINUTE, 0],
    ["uses the service's clock for a larger difference", 30 * MINUTE + 1, 30 * MINUTE + 1],
    ["uses the service's clock for a larger negative difference", -30 * MINUTE - 1, -30 * MINUTE - 1],
  ])('%s', (_what, ahead, shows) => {
    expect(earliestServiceTime(NOON + ahead, now)).toBe(NOON + shows);
  });
});
