import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Sender } from '../../src/ledger/entry.ts';
import { bootOf, hasProcessEnded, mayHaveEnded, operator, thisSender, uptimeFrom } from '../../src/ledger/sender.ts';
import { newFolder } from '../support/program.ts';

/** A stat line of Linux: field 3 is the state, field 22 the start time. */
const statLine = (pid: number, state: string, started: string, name = 'node'): string =>
  `${pid} (${name}) ${state} ${Array.from({ length: 18 }, (_, index) => index).join(' ')} ${started} 1 2 3\n`;

const SENDER: Sender = { pid: 77, boot: 'boot-a pid:[1] time:[2]', started: '500' };
const SELF: Sender = { pid: 78, boot: 'boot-a pid:[1] time:[2]', started: '600' };

/** Higher than any process id. */
const NOBODY = 2 ** 30;

/** A fake /proc with one process or none. */
const proc = (stat?: string): string => {
  const folder = newFolder('proc');
  if (stat === undefined) return folder;
  mkdirSync(join(folder, '77'));
  writeFileSync(join(folder, '77/stat'), stat);
  return folder;
};

describe('hasProcessEnded for a sender', () => {
  it.each<[string, string | undefined, Partial<Sender>, boolean, boolean]>([
    ['runs', statLine(77, 'S', '500'), {}, false, false],
    ['runs with an odd name', statLine(77, 'R', '500', 'a) Z 1 (b'), {}, false, false],
    ['runs with a name of two lines', statLine(77, 'R', '500', 'a\nb'), {}, false, false],
    ['does not exist', undefined, { pid: NOBODY }, true, true],
    ['is hidden in /proc, but known to the kernel', undefined, { pid: process.pid }, false, true],
    ['is a zombie', statLine(77, 'Z', '500'), {}, true, true],
    ['is dead', statLine(77, 'X', '500'), {}, true, true],
    ['has the process id of a new process', statLine(77, 'S', '501'), {}, true, true],
    ['is from another boot', statLine(77, 'S', '500'), { boot: 'boot-b pid:[1]' }, true, true],
    ['is in another container', undefined, { pid: NOBODY, boot: 'boot-a pid:[2]' }, false, true],
    ['is in another time namespace', statLine(77, 'S', '501'), { boot: 'boot-a pid:[1] time:[3]' }, false, true],
    ['named no time namespace', statLine(77, 'S', '501'), { boot: 'boot-a pid:[1]' }, false, true],
    [
      'was in another time namespace and does not exist',
      undefined,
      { pid: NOBODY, boot: 'boot-a pid:[1] time:[3]' },
      true,
      true,
    ],
    ['had no boot id', undefined, { boot: '' }, false, true],
    ['had no start time', undefined, { started: '' }, false, true],
    ['has an unreadable stat line', 'nonsense', {}, false, true],
  ])('that %s', (_what, stat, more, gone, goneWhenOverdue) => {
    const folder = proc(stat);
    expect(hasProcessEnded({ ...SENDER, ...more }, SELF, false, folder)).toBe(gone);
    expect(hasProcessEnded({ ...SENDER, ...more }, SELF, true, folder)).toBe(goneWhenOverdue);
  });

  it('with a boot id is false if the own boot is unknown', () => {
    const folder = proc(statLine(77, 'S', '500'));
    expect(hasProcessEnded(SENDER, { ...SELF, boot: '' }, false, folder)).toBe(false);
    expect(hasProcessEnded(SENDER, { ...SELF, boot: '' }, true, folder)).toBe(true);
  });

  it('asks the system if there is no /proc', () => {
    const nowhere = join(newFolder('proc'), 'none');
    const bare = { boot: '', started: '' };
    const self = { ...SELF, ...bare };
    expect(hasProcessEnded({ pid: process.pid, ...bare }, self, false, nowhere)).toBe(false);
    expect(hasProcessEnded({ pid: NOBODY, ...bare }, self, false, nowhere)).toBe(true);
    expect(hasProcessEnded({ pid: process.pid, ...bare }, self, true, nowhere)).toBe(true);
  });
});

describe('hasProcessEnded for a sender with less information', () => {
  it('asks the system if only the boot id is missing', () => {
    const sender = { pid: process.pid, boot: '', started: '500' };
    expect(hasProcessEnded(sender, { ...SELF, boot: '' }, false, proc())).toBe(false);
    expect(hasProcessEnded({ ...sender, pid: NOBODY }, { ...SELF, boot: '' }, false, proc())).toBe(true);
  });

  it('is false until overdue if its stat line is unreadable', () => {
    const folder = newFolder('proc');
    mkdirSync(join(folder, '77/stat'), { recursive: true });
    expect(hasProcessEnded(SENDER, SELF, false, folder)).toBe(false);
    expect(hasProcessEnded(SENDER, SELF, true, folder)).toBe(true);
  });
});

describe('hasProcessEnded for a process of another user', () => {
  it('is false until overdue if /proc hides it', () => {
    const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
    });
    onTestFinished(() => kill.mockRestore());
    expect(hasProcessEnded(SENDER, SELF, false, proc())).toBe(false);
    expect(hasProcessEnded(SENDER, SELF, true, proc())).toBe(true);
  });
});

describe('mayHaveEnded for a sender without a process here', () => {
  it.each([
    ['of this machine', {}, SELF, true],
    ['of another machine', { boot: 'boot-b pid:[1] time:[2]' }, SELF, false],
    ['of a machine without a boot id, on another one without', { boot: '' }, { ...SELF, boot: '' }, false],
  ])('%s', (_where, more, self, gone) => {
    const sender = { ...SENDER, pid: NOBODY, ...more };
    expect(mayHaveEnded(sender, self, false)).toBe(gone);
    expect(mayHaveEnded(sender, self, true)).toBe(true);
  });
});

describe('bootOf', () => {
  it.each([
    ['boot-a pid:[1] time:[2]', 'boot-a time:[2]'],
    ['boot-a  time:[2]', 'boot-a time:[2]'],
    ['boot-a pid:[1] ', 'boot-a'],
    ['boot-a pid:[1]', 'boot-a'],
    ['boot-a', 'boot-a'],
    ['', ''],
  ])('turns %j into %j', (boot, counts) => {
    expect(bootOf({ boot })).toBe(counts);
  });
});

describe('thisSender', () => {
  it('consists of boot id, namespace and start time', () => {
    const folder = newFolder('proc');
    mkdirSync(join(folder, 'sys/kernel/random'), { recursive: true });
    mkdirSync(join(folder, 'self/ns'), { recursive: true });
    writeFileSync(join(folder, 'sys/kernel/random/boot_id'), 'boot-a\n');
    writeFileSync(join(folder, 'self/stat'), statLine(process.pid, 'R', '600'));
    symlinkSync('pid:[1]', join(folder, 'self/ns/pid'));
    symlinkSync('time:[2]', join(folder, 'self/ns/time'));
    expect(thisSender(folder)).toEqual({ pid: process.pid, boot: 'boot-a pid:[1] time:[2]', started: '600' });
    rmSync(join(folder, 'self/ns'), { recursive: true });
    expect(thisSender(folder).boot).toBe('boot-a  ');
    rmSync(join(folder, 'sys'), { recursive: true });
    expect(thisSender(folder).boot).toBe('');
  });

  it('has no start time if /proc numbers processes differently', () => {
    const folder = newFolder('proc');
    for (const [pid, started] of [
      [process.pid + 1, ''],
      [process.pid, '600'],
    ] as const) {
      rmSync(join(folder, 'self'), { force: true });
      mkdirSync(join(folder, String(pid)));
      writeFileSync(join(folder, `${pid}/stat`), statLine(pid, 'R', '600'));
      symlinkSync(String(pid), join(folder, 'self'));
      expect(thisSender(folder).started).toBe(started);
    }
  });

  it('is empty where nothing is known', () => {
    expect(thisSender(join(newFolder('proc'), 'none'))).toEqual({ pid: process.pid, boot: '', started: '' });
  });

  it('has no start time if the stat line is unreadable', () => {
    const folder = newFolder('proc');
    mkdirSync(join(folder, 'self/stat'), { recursive: true });
    expect(thisSender(folder).started).toBe('');
  });

  it('has not ended', () => {
    const self = thisSender();
    expect(hasProcessEnded(self, self, false)).toBe(false);
    if (process.platform === 'linux')
      expect(self).toMatchObject({
        boot: expect.stringMatching(/^\S+ /),
        started: expect.stringMatching(/^\d+$/),
      });
  });
});

const { bigint: nanoseconds } = process.hrtime;

/** The clock counts hundredths of a second. */
const passHundredths = (): void => {
  for (const until = nanoseconds() + 30_000_000n; nanoseconds() < until; );
};

afterEach(() => void vi.useRealTimers());

describe.runIf(process.platform === 'linux')('the monotonic clock', () => {
  it('advances', () => {
    const uptime = uptimeFrom('/proc/uptime');
    const before = uptime();
    passHundredths();
    expect(uptime()).toBeGreaterThan(before);
  });

  it.each(['performance', 'Date'] as const)(
    'is read again once another clock advances, although %s stands still',
    (still) => {
      vi.useFakeTimers({ toFake: [still] });
      const uptime = uptimeFrom('/proc/uptime');
      const before = uptime();
      passHundredths();
      expect(uptime()).toBeGreaterThan(before);
    },
  );

  it("is unknown if the file is not the system's own", () => {
    const path = join(newFolder(), 'uptime');
    writeFileSync(path, '5.00 1.00\n');
    expect(uptimeFrom(path)()).toBe(-1);
  });

  it('is not read again at the same time', () => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] });
    const uptime = uptimeFrom('/proc/uptime');
    const before = uptime();
    passHundredths();
    expect(uptime()).toBe(before);
  });
});

it('operator has a name and a host', () => {
  expect(operator()).toMatch(/.@./);
});
