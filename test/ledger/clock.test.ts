import { writeFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { elapsed } from '../../src/ledger/clock.ts';
import { uptimeFrom } from '../../src/ledger/sender.ts';
import { newFolder } from '../support/program.ts';

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
