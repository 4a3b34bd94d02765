import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Sender } from '../../src/ledger/entry.ts';
import { bootOf, hasProcessEnded, thisSender } from '../../src/ledger/sender.ts';
import { newFolder } from '../support/program.ts';

/** A stat line as Linux writes it: the state is its third field, the start its twenty-second. */
const statLine = (pid: number, state: string, started: string, name = 'node'): string =>
  `${pid} (${name}) ${state} ${Array.from({ length: 18 }, (_, index) => index).join(' ')} ${started} 1 2 3\n`;

const SENDER: Sender = { pid: 77, boot: 'boot-a pid:[1] time:[2]', started: '500' };
const SELF: Sender = { pid: 78, boot: 'boot-a pid:[1] time:[2]', started: '600' };

/** A number beyond what any system gives. */
const NOBODY = 2 ** 30;

/** A /proc in which one process is there, or none. */
const proc = (stat?: string): string => {
  const folder = newFolder('proc');
  if (stat === undefined) return folder;
  mkdirSync(join(folder, '77'));
  writeFileSync(join(folder, '77/stat'), stat);
  return folder;
};

describe('a sender', () => {
  it.each<[string, string | undefined, Partial<Sender>, boolean, boolean]>([
    ['runs', statLine(77, 'S', '500'), {}, false, false],
    ['runs under an odd name', statLine(77, 'R', '500', 'a) Z 1 (b'), {}, false, false],
    ['runs under a name of two lines', statLine(77, 'R', '500', 'a\nb'), {}, false, false],
    ['is not there', undefined, { pid: NOBODY }, true, true],
    ['is hidden in /proc and known to the kernel', undefined, { pid: process.pid }, false, true],
    ['is a zombie', statLine(77, 'Z', '500'), {}, true, true],
    ['is dead', statLine(77, 'X', '500'), {}, true, true],
    ['has left its number to another', statLine(77, 'S', '501'), {}, true, true],
    ['is of another boot', statLine(77, 'S', '500'), { boot: 'boot-b pid:[1]' }, true, true],
    ['is in another container', undefined, { pid: NOBODY, boot: 'boot-a pid:[2]' }, false, true],
    ['did not know its boot', undefined, { boot: '' }, false, true],
    ['did not know its start', undefined, { started: '' }, false, true],
    ['has a stat line that can not be read', 'nonsense', {}, false, true],
  ])('that %s', (_what, stat, more, gone, goneWhenOverdue) => {
    const folder = proc(stat);
    expect(hasProcessEnded({ ...SENDER, ...more }, SELF, false, folder)).toBe(gone);
    expect(hasProcessEnded({ ...SENDER, ...more }, SELF, true, folder)).toBe(goneWhenOverdue);
  });

  it('whose boot is known counts as running for whoever does not know the own one', () => {
    const folder = proc(statLine(77, 'S', '500'));
    expect(hasProcessEnded(SENDER, { ...SELF, boot: '' }, false, folder)).toBe(false);
    expect(hasProcessEnded(SENDER, { ...SELF, boot: '' }, true, folder)).toBe(true);
  });

  it('is asked of the system where there is no /proc', () => {
    const nowhere = join(newFolder('proc'), 'none');
    const bare = { boot: '', started: '' };
    const self = { ...SELF, ...bare };
    expect(hasProcessEnded({ pid: process.pid, ...bare }, self, false, nowhere)).toBe(false);
    expect(hasProcessEnded({ pid: NOBODY, ...bare }, self, false, nowhere)).toBe(true);
    expect(hasProcessEnded({ pid: process.pid, ...bare }, self, true, nowhere)).toBe(true);
  });
});

describe('a sender whose system says less', () => {
  it('is asked of the system, too, where only the boot is not told', () => {
    const sender = { pid: process.pid, boot: '', started: '500' };
    expect(hasProcessEnded(sender, { ...SELF, boot: '' }, false, proc())).toBe(false);
    expect(hasProcessEnded({ ...sender, pid: NOBODY }, { ...SELF, boot: '' }, false, proc())).toBe(true);
  });

  it('counts as running until it is overdue where its stat line is kept from us', () => {
    const folder = newFolder('proc');
    mkdirSync(join(folder, '77/stat'), { recursive: true });
    expect(hasProcessEnded(SENDER, SELF, false, folder)).toBe(false);
    expect(hasProcessEnded(SENDER, SELF, true, folder)).toBe(true);
  });
});

describe('where the machine’s uptime counts', () => {
  it.each([
    ['boot-a pid:[1] time:[2]', 'boot-a time:[2]'],
    ['boot-a  time:[2]', 'boot-a time:[2]'],
    ['boot-a pid:[1] ', 'boot-a'],
    ['boot-a pid:[1]', 'boot-a'],
    ['boot-a', 'boot-a'],
    ['', ''],
  ])('%j is %j', (boot, counts) => {
    expect(bootOf({ boot })).toBe(counts);
  });
});

describe('this process', () => {
  it('is known by its boot, its name space and its start', () => {
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

  it('has no start where /proc counts processes otherwise', () => {
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

  it('says nothing that it does not know', () => {
    expect(thisSender(join(newFolder('proc'), 'none'))).toEqual({ pid: process.pid, boot: '', started: '' });
  });

  it('has no start where its stat line can not be read', () => {
    const folder = newFolder('proc');
    mkdirSync(join(folder, 'self/stat'), { recursive: true });
    expect(thisSender(folder).started).toBe('');
  });

  it('runs', () => {
    const self = thisSender();
    expect(hasProcessEnded(self, self, false)).toBe(false);
    if (process.platform === 'linux')
      expect(self).toMatchObject({
        boot: expect.stringMatching(/^\S+ /),
        started: expect.stringMatching(/^\d+$/),
      });
  });
});
