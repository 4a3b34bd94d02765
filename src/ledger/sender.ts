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

/** State and start of a process out of its stat line, whose second field is a name that may hold blanks and brackets. */
const statOf = (
  pid: number | 'self',
  proc: string,
): { readonly state: string; readonly started: string } | undefined => {
  const fields = read(`${proc}/${pid}/stat`)
    ?.replace(/^.*\) /, '')
    .split(' ');
  const [state, started] = [fields?.[0], fields?.[19]];
  return state === undefined || started === undefined ? undefined : { state, started };
};

/** This process. Process numbers are counted in each boot, and in each container, anew. */
export const thisSender = (proc = PROC): Sender => {
  const boot = read(`${proc}/sys/kernel/random/boot_id`);
  return {
    pid: thisMachine.pid,
    boot: boot === undefined ? '' : `${boot} ${link(`${proc}/self/ns/pid`)}`,
    started: statOf('self', proc)?.started ?? '',
  };
};

/**
 * Whether a sender has ended. Where the system does not tell enough (another container, no /proc) it counts as running
 * until `overdue`: then nothing of its sending can be left.
 */
export const isGone = (sender: Sender, self: Sender, overdue: boolean, proc = PROC): boolean => {
  const [boot, space] = sender.boot.split(' ');
  const [ownBoot, ownSpace] = self.boot.split(' ');
  if (boot !== ownBoot) return boot !== '' && ownBoot !== '' ? true : overdue;
  if (boot === '' || space !== ownSpace || sender.started === '')
    return overdue || (boot === '' && !thisMachine.exists(sender.pid));
  const stat = statOf(sender.pid, proc);
  return stat === undefined || stat.started !== sender.started || ['Z', 'X'].includes(stat.state);
};
