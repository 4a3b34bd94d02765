import { readFileSync, readlinkSync } from 'node:fs';
import type { Sender } from './ledger.ts';
import { thisMachine } from './machine.ts';

const PROC = '/proc';

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
};

const link = (path: string): string => {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
};

type Stat = { readonly state: string | undefined; readonly started: string } | 'none' | 'unreadable';

/** State and start of a process out of its stat line, whose second field is a name that may hold blanks and brackets. */
const statOf = (pid: number | 'self', proc: string): Stat => {
  let line: string;
  try {
    line = readFileSync(`${proc}/${pid}/stat`, 'utf8');
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ESRCH' ? 'none' : 'unreadable';
  }
  const fields = line.replace(/.*\) /s, '').split(' ');
  const [state, started] = [fields[0], fields[19]];
  return started === undefined ? 'unreadable' : { state, started };
};

/** This process. Process numbers are counted in each boot, and in each container, anew. */
export const thisSender = (proc = PROC): Sender => {
  const [boot, own] = [read(`${proc}/sys/kernel/random/boot_id`), statOf('self', proc)];
  return {
    pid: thisMachine.pid,
    boot: boot === undefined ? '' : [boot, link(`${proc}/self/ns/pid`), link(`${proc}/self/ns/time`)].join(' '),
    started: typeof own === 'string' ? '' : own.started,
  };
};

/** In which the machine's uptime counts: the boot, and the name space of its clock, which may have an offset of its own. */
export const bootOf = ({ boot }: Pick<Sender, 'boot'>): string => boot.replace(/ \S*/, '').trimEnd();

/**
 * Whether a sender has ended. Where the system does not tell enough (another container, no /proc) it counts as running
 * until `overdue`: then nothing of its sending can be left.
 */
export const isGone = (sender: Sender, self: Sender, overdue: boolean, proc = PROC): boolean => {
  const [boot, space] = sender.boot.split(' ');
  const [ownBoot, ownSpace] = self.boot.split(' ');
  if (boot !== ownBoot) return overdue || (boot !== '' && ownBoot !== '');
  if (boot === '' || space !== ownSpace || sender.started === '')
    return overdue || (boot === '' && !thisMachine.exists(sender.pid));
  const stat = statOf(sender.pid, proc);
  if (stat === 'unreadable') return overdue;
  return stat === 'none' || stat.started !== sender.started || stat.state === 'Z' || stat.state === 'X';
};
