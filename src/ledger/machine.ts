/** What the ledger needs to know of the machine and the process that it runs in. */
export const thisMachine = {
  pid: process.pid,
  /** The user that this process acts as; undefined where there are no such numbers. */
  uid: process.geteuid?.(),
  /** A clock that nobody sets, in milliseconds: since the machine was started, without the time that it slept. */
  uptime: (): number => Number(process.hrtime.bigint() / 1_000_000n),
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
