import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { attempt } from '../core/async.ts';
import type { Sender } from './entry.ts';
import { thisMachine } from './machine.ts';
import { IN_NAMESPACE } from './policy.ts';

const PROC = '/proc';

/** Of a process that is not there it says nothing. */
interface Stat {
  readonly state?: string | undefined;
  readonly started?: string;
}

/**
 * State and start of a process out of its stat line, whose second field is a name that may hold blanks and brackets; undefined
 * where it can't be read, or is hidden: /proc may keep other users' processes to itself (`hidepid`), which the kernel still knows.
 */
const statOf = (pid: number | 'self', proc: string): Stat | undefined => {
  let line: string;
  try {
    line = readFileSync(`${proc}/${pid}/stat`, 'utf8');
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    const isMissing = code === 'ENOENT' || code === 'ESRCH';
    return isMissing && pid !== 'self' && !thisMachine.exists(pid) ? {} : undefined;
  }
  const fields = line.replace(/.*\) /s, '').split(' ');
  const [state, started] = [fields[0], fields[19]];
  return started === undefined ? undefined : { state, started };
};

/** Whether /proc counts processes as this one does; in a new PID namespace it may still be the outer one's. */
const isOwnProc = (proc: string): boolean => {
  const self = attempt(() => readlinkSync(`${proc}/self`));
  return self === undefined || self === String(thisMachine.pid);
};

/** This process. Process numbers are counted in each boot, and in each container, anew. */
export const thisSender = (proc = PROC): Sender => {
  const boot = attempt(() => readFileSync(`${proc}/sys/kernel/random/boot_id`, 'utf8').trim());
  // What is not told is empty between its blanks.
  const spaces = ['pid', 'time'].map((name) => attempt(() => readlinkSync(`${proc}/self/ns/${name}`)));
  return {
    pid: thisMachine.pid,
    boot: boot === undefined ? '' : [boot, ...spaces].join(' '),
    started: (isOwnProc(proc) ? statOf('self', proc)?.started : undefined) ?? '',
  };
};

/** In which the machine's uptime counts: the boot, and the name space of its clock, which may have an offset of its own. */
export const bootOf = ({ boot }: Pick<Sender, 'boot'>): string => boot.replace(/ \S*/, '').trimEnd();

/**
 * Whether a sender has ended. Where the system does not tell enough (another container, no /proc) it counts as running
 * until `overdue`: then nothing of its sending can be left.
 */
export const hasProcessEnded = (sender: Sender, self: Sender, overdue: boolean, proc = PROC): boolean => {
  const [boot, space] = sender.boot.split(' ');
  const [ownBoot, ownSpace] = self.boot.split(' ');
  if (boot !== ownBoot) return overdue || (boot !== '' && ownBoot !== '');
  if (boot === '' || space !== ownSpace || sender.started === '')
    return overdue || (boot === '' && !thisMachine.exists(sender.pid));
  const stat = statOf(sender.pid, proc);
  if (stat === undefined) return overdue;
  return stat.started !== sender.started || stat.state === 'Z' || stat.state === 'X';
};

/**
 * The same for senders of any machine: of another one nothing is seen, and only the time that it was given counts. Machines that
 * were cloned while they ran have one boot (see `Shadow.has`).
 */
export const mayHaveEnded = (sender: Sender, self: Sender, overdue: boolean): boolean => {
  const [boot] = sender.boot.split(' ');
  const isHere = boot !== '' && boot === self.boot.split(' ')[0];
  return isHere ? hasProcessEnded(sender, self, overdue) : overdue;
};

/** Who acts: the account by its name, where it has one, and the number of whoever has logged in. */
interface Acting {
  readonly name: string | undefined;
  readonly uid: number | undefined;
  readonly loginUid: number | undefined;
  readonly host: string;
  readonly namespaced: boolean;
}

/** `ada@laptop`; behind sudo or su also who has logged in: `uid 1001 as ops@laptop`. A container may know no name, only a number. */
export const operatorText = ({ name, uid, loginUid, host, namespaced }: Acting): string => {
  const account = name ?? `uid ${uid ?? '?'}`;
  const behind = loginUid === undefined || loginUid === uid ? '' : `uid ${loginUid} as `;
  return `${behind}${account}@${host}${namespaced ? IN_NAMESPACE : ''}`;
};

/** Who decides here, for the record. */
export const operator = (): string =>
  operatorText({
    name: attempt(() => userInfo().username),
    uid: thisMachine.uid,
    loginUid: thisMachine.loginUid(),
    host: hostname(),
    namespaced: thisMachine.inUserNamespace(),
  });
