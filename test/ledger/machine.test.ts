import { afterEach, describe, expect, it, vi } from 'vitest';
import { uptimeFrom } from '../../src/ledger/sender.ts';

const { bigint: nanoseconds } = process.hrtime;

/** The clock counts in hundredths of a second. */
const passHundredths = (): void => {
  for (const until = nanoseconds() + 30_000_000n; nanoseconds() < until; );
};

afterEach(() => void vi.useRealTimers());

describe.runIf(process.platform === 'linux')('the clock that nobody sets', () => {
  it('goes on with time', () => {
    const uptime = uptimeFrom('/proc/uptime');
    const before = uptime();
    passHundredths();
    expect(uptime()).toBeGreaterThan(before);
  });

  it.each(['performance', 'Date'] as const)(
    'is asked again as soon as another clock goes on, though %s stands still',
    (still) => {
      vi.useFakeTimers({ toFake: [still] });
      const uptime = uptimeFrom('/proc/uptime');
      const before = uptime();
      passHundredths();
      expect(uptime()).toBeGreaterThan(before);
    },
  );

  it('is not asked again within the same moment', () => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] });
    const uptime = uptimeFrom('/proc/uptime');
    const before = uptime();
    passHundredths();
    expect(uptime()).toBe(before);
  });
});
