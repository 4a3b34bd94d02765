import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { attempt } from '../core/async.ts';
import type { Sender } from './entry.ts';
import { thisMachine } from './machine.ts';
import { IN_NAMESPACE } from './policy.ts';

const PROC = '/proc';

/** Has no fields for a process that does not exist. */
interface Stat {
  readonly state?: string | undefined;
  readonly started?: string;
}

/**
 * Parses state and start time from a process's stat line, whose second field is a name that may hold blanks and
 * brackets. Undefined if it can't be read or is hidden: /proc may hide other users' processes (`hidepid`), which the
 * kernel still knows.
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

/** True if /proc belongs to this process's PID namespace. In a new namespace it may still be the outer one's. */
const isOwnProc = (proc: string): boolean => {
  const self = attempt(() => readlinkSync(`${proc}/self`));
  return self === undefined || self === String(thisMachine.pid);
};

/** Describes this process. PIDs are only unique within a boot and a container. */
export const thisSender = (proc = PROC): Sender => {
  const boot = attempt(() => readFileSync(`${proc}/sys/kernel/random/boot_id`, 'utf8').trim());
  // A missing value is empty between its blanks.
  const spaces = ['pid', 'time'].map((name) => attempt(() => readlinkSync(`${proc}/self/ns/${name}`)));
  return {
    pid: thisMachine.pid,
    boot: boot === undefined ? '' : [boot, ...spaces].join(' '),
    started: (isOwnProc(proc) ? statOf('self', proc)?.started : undefined) ?? '',
  };
};

/** Boot ID and time namespace in which an uptime counts. The namespace's clock may have an offset of its own. */
export const bootOf = ({ boot }: Pick<Sender, 'boot'>): string => boot.replace(/ \S*/, '').trimEnd();

/**
 * True if a sender has ended. If the system does not tell enough (another container, no /proc), it counts as running
 * until `overdue`: then its sending must be over.
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
 * `hasProcessEnded` for senders of any machine. A process of another machine is invisible, so only its deadline counts.
 * Machines that were cloned while running share one boot ID (see `Shadow.has`).
 */
export const mayHaveEnded = (sender: Sender, self: Sender, overdue: boolean): boolean => {
  const [boot] = sender.boot.split(' ');
  const isHere = boot !== '' && boot === self.boot.split(' ')[0];
  return isHere ? hasProcessEnded(sender, self, overdue) : overdue;
};

/** Operator: account name if it has one, uid, and the uid of the user who logged in. */
interface Acting {
  readonly name: string | undefined;
  readonly uid: number | undefined;
  readonly loginUid: number | undefined;
  readonly host: string;
  readonly namespaced: boolean;
}

/**
 * Formats `ada@laptop`, or under sudo or su with the login user: `uid 1001 as ops@laptop`. A container may know only a
 * uid.
 */
export const operatorText = ({ name, uid, loginUid, host, namespaced }: Acting): string => {
  const account = name ?? `uid ${uid ?? '?'}`;
  const behind = loginUid === undefined || loginUid === uid ? '' : `uid ${loginUid} as `;
  return `${behind}${account}@${host}${namespaced ? IN_NAMESPACE : ''}`;
};

/** Operator of this process, for the record. */
export const operator = (): string =>
  operatorText({
    name: thisMachine.accountName(),
    uid: thisMachine.uid,
    loginUid: thisMachine.loginUid(),
    host: hostname(),
    namespaced: thisMachine.inUserNamespace(),
  });
