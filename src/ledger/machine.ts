import { existsSync, openSync, readFileSync, readSync, statfsSync } from 'node:fs';
import { attempt, memo } from '../core/async.ts';

const SECOND_MS = 1000;
/** For so many milliseconds a reading holds, unless the wall clock has moved: by a machine that slept, say. */
const SAME_MS = 0.25;
/** What statfs says of the system's own /proc; containers may have a file of their own there, which counts from their start. */
const PROC = 0x9fa0;

const isOwn = (path: string): boolean => existsSync(path) && statfsSync(path).type === PROC;

/**
 * A clock that nobody sets, in milliseconds since the machine was started, its sleep included. It is the system's own, since
 * runtimes count from different moments, and what one process notes another compares. -1 where it can't be told.
 */
export const uptimeFrom = (path: string): (() => number) => {
  // The file stays open: it is read several times a charge.
  const file = memo(() => (isOwn(path) ? openSync(path, 'r') : undefined));
  const text = Buffer.alloc(64);
  const read = (open: number): number =>
    Math.round(Number.parseFloat(text.toString('latin1', 0, readSync(open, text, 0, text.length, 0))) * SECOND_MS);
  let [uptime, ticks, wall] = [-1, Number.NEGATIVE_INFINITY, 0];
  return () => {
    const open = file();
    if (open === undefined) return -1;
    // Asked before the file is read: a machine that sleeps in between then has it read again.
    const [now, date] = [performance.now(), Date.now()];
    // A file of many rows asks several times in a row, and the system takes longer to tell than a decision does.
    if (now - ticks >= SAME_MS || date !== wall) {
      uptime = read(open);
      [ticks, wall] = [now, date];
    }
    return uptime;
  };
};

/** What the kernel keeps for nobody. */
const NOBODY = 2 ** 32 - 1;

/** The user who logged in, which no `sudo` or `su` changes, by a file of the kernel's; undefined where that is not kept. */
export const loginUidFrom = (path: string): number | undefined => {
  const uid = Number(attempt(() => readFileSync(path).toString('latin1').trim()) || NOBODY);
  return Number.isInteger(uid) && uid >= 0 && uid < NOBODY ? uid : undefined;
};

/** All numbers of users are what they seem. */
const ALL_USERS = /^\s*0\s+0\s+4294967295\s*$/;

/** Whether numbers of users may be made up, by a file of the kernel's; so they may where it is not the kernel's own. */
export const namespacedBy = (path: string): boolean => {
  const map = attempt(() => isOwn(path) && readFileSync(path, 'latin1'));
  return typeof map !== 'string' || !ALL_USERS.test(map);
};

/** What the ledger needs to know of the machine and the process that it runs in. */
export const thisMachine = {
  pid: process.pid,
  /** The user that this process acts as; undefined where there are no such numbers. */
  uid: process.geteuid?.(),
  uptime: uptimeFrom('/proc/uptime'),
  loginUid: (): number | undefined => loginUidFrom('/proc/self/loginuid'),
  /** Elsewhere than on Linux nobody has made up the account. */
  inUserNamespace: (): boolean => process.platform === 'linux' && namespacedBy('/proc/self/uid_map'),
  /** Whether there is a process of that number, anybody's. */
  exists: (pid: number): boolean => {
    try {
      process.kill(pid, 0);
      return true;
    } catch (thrown) {
      return (thrown as NodeJS.ErrnoException).code !== 'ESRCH';
    }
  },
};
