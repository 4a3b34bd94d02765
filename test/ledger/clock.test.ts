import { writeFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { elapsed, serviceTime, serviceTimeNow } from '../../src/ledger/clock.ts';
import type { Charge } from '../../src/ledger/entry.ts';
import { uptimeFrom } from '../../src/ledger/sender.ts';
import { newFolder } from '../support/program.ts';
import { HOUR } from '../support/units.ts';
import { account, charge, MINUTE, momentAt, NOON } from './support/charges.ts';

describe('how long the machine has been up', () => {
  it('is told by the system itself', () => {
    const now = uptimeFrom('/proc/uptime')();
    if (process.platform === 'linux') expect(Math.abs(now - uptime() * 1000)).toBeLessThan(5000);
    else expect(now).toBe(-1);
  });

  it('is told by no file that a container has in its place, and by none that is not there', () => {
    const file = join(newFolder(), 'uptime');
    writeFileSync(file, '864000.00 1.00\n');
    expect(uptimeFrom(file)()).toBe(-1);
    expect(uptimeFrom(join(newFolder(), 'uptime'))()).toBe(-1);
  });
});

describe('what has passed between two moments', () => {
  it.each([
    ['in one boot', { boot: 'a', uptime: 5 }, { boot: 'a', uptime: 12 }, 7],
    ['in another boot', { boot: 'a', uptime: 5 }, { boot: 'b', uptime: 12 }, undefined],
    ['where no boot is told', { boot: '', uptime: 5 }, { boot: '', uptime: 12 }, undefined],
    ['where the first moment could not be told', { boot: 'a', uptime: -1 }, { boot: 'a', uptime: 12 }, undefined],
    ['where the second could not', { boot: 'a', uptime: 5 }, { boot: 'a', uptime: -1 }, undefined],
  ])('%s', (_what, from, to, passed) => {
    expect(elapsed(from, to)).toBe(passed);
  });
});

const REBOOTED = { boot: 'another', uptime: 5 };
const made = (at: number): Charge['activity'] => account({ createdAt: new Date(at).toISOString() });

describe('what the service’s clock shows', () => {
  const told = (ahead: number, at = NOON): Charge['told'] => ({ ...momentAt(at), service: at + ahead });
  const LATER = momentAt(NOON + HOUR);

  it.each<[string, Partial<Charge>, number]>([
    [
      'without an activity that says no time',
      { told: told(5000), activity: account({ createdAt: 'soon' }) },
      HOUR + 5000,
    ],
    [
      'without one that was made two hours before its word',
      { told: told(0), activity: made(NOON - 2 * HOUR - 1) },
      HOUR,
    ],
    ['with one that was made two hours before', { told: told(0), activity: made(NOON - 2 * HOUR) }, -HOUR],
    [
      'by when the sending had ended, of an activity',
      { took: MINUTE, told: told(HOUR, NOON + 2 * MINUTE), activity: made(NOON) },
      HOUR - MINUTE,
    ],
    [
      'by its word, where that came before the sending had ended',
      { took: 2 * MINUTE, told: told(5000, NOON + MINUTE), activity: made(NOON) },
      HOUR - MINUTE,
    ],
  ])('is %s', (_what, some, after) => {
    expect(serviceTime(charge(some), LATER)).toBe(NOON + after);
  });

  it('goes by the machine’s clock for what was told before the sending had ended, after a restart in between', () => {
    const early = { at: NOON + MINUTE, mark: REBOOTED, service: NOON + MINUTE };
    const of = (after: number) =>
      charge({ took: 2 * MINUTE, told: { ...early, at: NOON + after }, activity: made(NOON) });
    const now = { at: NOON + HOUR, mark: { boot: 'another', uptime: 5 + HOUR } };
    // Told a minute after noon, while it was still being sent: the activity was made by then.
    expect(serviceTime(of(MINUTE), now)).toBe(NOON + HOUR);
    // Told after the sending: that clock says nothing of the moment when the activity was made.
    expect(serviceTime(of(3 * MINUTE), now)).toBe(NOON + HOUR - 2 * MINUTE);
    // Nor does one that was read just as it ended, on a machine whose clock was set back since.
    expect(serviceTime(of(2 * MINUTE), { ...now, at: NOON + HOUR / 2 })).toBe(NOON + HOUR / 2 - 2 * MINUTE);
  });
});

describe('what the service’s clock shows as it answers', () => {
  const now = momentAt(NOON);
  it.each<[string, number, number]>([
    ['may be half an hour ahead of a machine that is right', 30 * MINUTE, 0],
    ['is its word, where this machine can not be right', 30 * MINUTE + 1, 30 * MINUTE + 1],
    ['is its word, the other way round, too', -30 * MINUTE - 1, -30 * MINUTE - 1],
  ])('%s', (_what, ahead, shows) => {
    expect(serviceTimeNow(NOON + ahead, now)).toBe(NOON + shows);
  });
});
