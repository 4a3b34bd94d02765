import { existsSync, openSync, readFileSync, readlinkSync, readSync, statfsSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { attempt, memo } from '../core/async.ts';
import { SECOND_MS } from '../core/time.ts';
import type { Sender } from './entry.ts';
import type { Ledger } from './ledger.ts';

/**
 * Milliseconds for which a reading stays valid, unless the wall clock has moved, for example because the machine slept.
 */
const SAME_TICK_MS = 0.25;
/**
 * File system type of the system's own /proc, from statfs. Containers may have their own file there, which counts from
 * their start.
 */
const PROC_FILE_SYSTEM = 0x9fa0;

/**
 * Monotonic clock: milliseconds since the machine started, including its sleep; -1 if unknown. It reads the system's
 * clock, since runtimes count from different moments and processes compare each other's values.
 */
export const uptimeFrom = (path: string): (() => number) => {
  // The file stays open, since each charge reads it several times.
  const file = memo(() =>
    existsSync(path) && statfsSync(path).type === PROC_FILE_SYSTEM ? openSync(path, 'r') : undefined,
  );
  const text = Buffer.alloc(64);
  let [uptime, ticks, wall] = [-1, Number.NEGATIVE_INFINITY, 0];
  return () => {
    const open = file();
    if (open === undefined) return -1;
    // Read the clocks before the file: if the machine sleeps in between, the next call reads the file again.
    const [now, date] = [performance.now(), Date.now()];
    // A file of many rows asks several times in a row, and reading the file takes longer than a decision.
    if (now - ticks >= SAME_TICK_MS || date !== wall) {
      const length = readSync(open, text, 0, text.length, 0);
      uptime = Math.round(Number.parseFloat(text.toString('latin1', 0, length)) * SECOND_MS);
      [ticks, wall] = [now, date];
    }
    return uptime;
  };
};

/** Facts about the machine and the process that the ledger runs in. */
export const thisMachine = {
  pid: process.pid,
  /** Effective uid of this process; undefined on systems without uids. */
  uid: process.geteuid?.(),
  /** Path of the running Node or standalone program. */
  runtime: process.execPath,
  uptime: uptimeFrom('/proc/uptime'),
  /** True if a process with that number exists, whoever owns it. */
  exists: (pid: number): boolean => {
    try {
      process.kill(pid, 0);
      return true;
    } catch (thrown) {
      return (thrown as NodeJS.ErrnoException).code !== 'ESRCH';
    }
  },
};

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
    const isMissing = (thrown as NodeJS.ErrnoException).code === 'ENOENT';
    return isMissing && pid !== 'self' && !thisMachine.exists(pid) ? {} : undefined;
  }
  const fields = line.replace(/.*\) /s, '').split(' ');
  const [state, started] = [fields[0], fields[19]];
  return started === undefined ? undefined : { state, started };
};

/** Describes this process. PIDs are only unique within a boot and a container. */
export const thisSender = (proc = PROC): Sender => {
  const boot = attempt(() => readFileSync(`${proc}/sys/kernel/random/boot_id`, 'utf8').trim());
  // A missing value is empty between its blanks.
  const spaces = ['pid', 'time'].map((name) => attempt(() => readlinkSync(`${proc}/self/ns/${name}`)));
  // In a new PID namespace, /proc may still be the outer one's.
  const self = attempt(() => readlinkSync(`${proc}/self`));
  const isOwnProc = self === undefined || self === String(thisMachine.pid);
  return {
    pid: thisMachine.pid,
    boot: boot === undefined ? '' : [boot, ...spaces].join(' '),
    started: (isOwnProc ? statOf('self', proc)?.started : undefined) ?? '',
  };
};

/** Boot ID and time namespace in which an uptime counts. The namespace's clock may have an offset of its own. */
export const bootOf = ({ boot }: Pick<Sender, 'boot'>): string => boot.replace(/ \S*/, '').trimEnd();

/**
 * True if a sender has ended. If the system does not tell enough (another container, no /proc), it counts as running
 * until `overdue`: then its sending must be over.
 */
export const hasProcessEnded = (sender: Sender, self: Sender, overdue: boolean, proc = PROC): boolean => {
  const [boot, space, time] = sender.boot.split(' ');
  const [ownBoot, ownSpace, ownTime] = self.boot.split(' ');
  if (boot !== ownBoot) return overdue || (boot !== '' && ownBoot !== '');
  if (boot === '' || space !== ownSpace || sender.started === '')
    return overdue || (boot === '' && !thisMachine.exists(sender.pid));
  const stat = statOf(sender.pid, proc);
  if (stat === undefined) return overdue;
  if (stat.state === undefined || stat.state === 'Z' || stat.state === 'X') return true;
  // A start time counts from the start of the reader's time namespace.
  return time === ownTime ? stat.started !== sender.started : overdue;
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

/** Operator of this process, for the record: `ada@laptop`. A container may know only a uid. */
export const operator = memo(
  () => `${attempt(() => userInfo().username) ?? `uid ${thisMachine.uid ?? '?'}`}@${hostname()}`,
);

/** Operator of this run in a ledger: the database's account in a shared one. */
export const operatorOf = ({ account }: Pick<Ledger, 'account'>): string => account ?? operator();
