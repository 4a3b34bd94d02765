import { existsSync, openSync, readFileSync, readSync, statfsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { attempt, memo } from '../core/async.ts';

const SECOND_MS = 1000;
/**
 * Milliseconds for which a reading stays valid, unless the wall clock has moved, for example because the machine slept.
 */
const SAME_MS = 0.25;
/**
 * File system type of the system's own /proc, from statfs. Containers may have their own file there, which counts from
 * their start.
 */
const PROC = 0x9fa0;

const isOwn = (path: string): boolean => existsSync(path) && statfsSync(path).type === PROC;

/**
 * Monotonic clock: milliseconds since the machine started, including its sleep; -1 if unknown. It reads the system's
 * clock, since runtimes count from different moments and processes compare each other's values.
 */
export const uptimeFrom = (path: string): (() => number) => {
  // The file stays open, since each charge reads it several times.
  const file = memo(() => (isOwn(path) ? openSync(path, 'r') : undefined));
  const text = Buffer.alloc(64);
  const read = (open: number): number =>
    Math.round(Number.parseFloat(text.toString('latin1', 0, readSync(open, text, 0, text.length, 0))) * SECOND_MS);
  let [uptime, ticks, wall] = [-1, Number.NEGATIVE_INFINITY, 0];
  return () => {
    const open = file();
    if (open === undefined) return -1;
    // Read the clocks before the file: if the machine sleeps in between, the next call reads the file again.
    const [now, date] = [performance.now(), Date.now()];
    // A file of many rows asks several times in a row, and reading the file takes longer than a decision.
    if (now - ticks >= SAME_MS || date !== wall) {
      uptime = read(open);
      [ticks, wall] = [now, date];
    }
    return uptime;
  };
};

/** Kernel's value for "no login user". */
const NOBODY = 2 ** 32 - 1;

/**
 * Uid of the user who logged in, which `sudo` and `su` don't change, from a kernel file; undefined if the kernel does
 * not record it.
 */
export const loginUidFrom = (path: string): number | undefined => {
  const uid = Number(attempt(() => readFileSync(path).toString('latin1').trim()) || NOBODY);
  return Number.isInteger(uid) && uid >= 0 && uid < NOBODY ? uid : undefined;
};

/** Identity mapping of all uids. */
const ALL_USERS = /^\s*0\s+0\s+4294967295\s*$/;

/** True if uids may be made up, according to a kernel file. Also true if the file is not the kernel's own. */
export const namespacedBy = (path: string): boolean => {
  const map = attempt(() => isOwn(path) && readFileSync(path, 'latin1'));
  return typeof map !== 'string' || !ALL_USERS.test(map);
};

/** Name of an account in a passwd file; undefined if it has none. */
export const nameFrom = (path: string, uid: number): string | undefined =>
  attempt(() => readFileSync(path, 'utf8'))
    ?.split('\n')
    .map((line) => line.split(':'))
    .find(([, , id]) => id === String(uid))?.[0];

/** Facts about the machine and the process that the ledger runs in. */
export const thisMachine = {
  pid: process.pid,
  /** Effective uid of this process; undefined on systems without uids. */
  uid: process.geteuid?.(),
  uptime: uptimeFrom('/proc/uptime'),
  /** Name of this account; undefined if it has none. Bun takes the name from $USER, which anybody can set. */
  accountName: (): string | undefined => {
    const uid = process.geteuid?.();
    if (process.versions['bun'] !== undefined && uid !== undefined) return nameFrom('/etc/passwd', uid);
    return attempt(() => userInfo().username);
  },
  loginUid: (): number | undefined => loginUidFrom('/proc/self/loginuid'),
  /** Other systems than Linux have no user namespaces. */
  inUserNamespace: (): boolean => process.platform === 'linux' && namespacedBy('/proc/self/uid_map'),
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
