import { uptime } from 'node:os';

/** What the ledger needs to know of the machine and the process that it runs in. */
export const thisMachine = {
  pid: process.pid,
  /** The user that this process acts as; undefined where there are no such numbers. */
  uid: process.geteuid?.(),
  /** How long the machine has been up, in milliseconds; sleep counts. */
  uptime: (): number => Math.round(uptime() * 1000),
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
