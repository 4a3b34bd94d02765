import { existsSync, openSync, readSync } from 'node:fs';
import { memo } from '../core/memo.ts';

const UPTIME = '/proc/uptime';
const SECOND_MS = 1000;

/** It stays open: it is read several times a charge. */
const uptimeFile = memo(() => (existsSync(UPTIME) ? openSync(UPTIME, 'r') : undefined));
const text = Buffer.alloc(64);

/** What the ledger needs to know of the machine and the process that it runs in. */
export const thisMachine = {
  pid: process.pid,
  /** The user that this process acts as; undefined where there are no such numbers. */
  uid: process.geteuid?.(),
  /**
   * A clock that nobody sets, in milliseconds since the machine was started. It is the system's own, since runtimes count from
   * different moments, and what one process notes another compares. Where there is none it stands still at 0.
   */
  uptime: (): number => {
    const file = uptimeFile();
    if (file === undefined) return 0;
    return Math.round(
      Number.parseFloat(text.toString('latin1', 0, readSync(file, text, 0, text.length, 0))) * SECOND_MS,
    );
  },
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
