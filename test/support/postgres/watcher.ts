import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';

// It outlives its parent, whose end it detects by the end of its stdin.
const WATCH = `
pid=0
while read -r next; do pid=$next; done
if [ "$pid" != 0 ]; then
  kill -QUIT "$pid"; kill -CONT "$pid"
  for n in $(seq 100); do kill -0 "$pid" && [ -e "$1/data/postmaster.pid" ] || break; sleep 0.1; done
fi
rm -rf "$1"`;

/** Stops a cluster's server and deletes its folder, on request or when this process ends, even by SIGKILL. */
export interface Watcher {
  /** The current server; undefined: there is none. */
  watch(pid: number | undefined): void;
  remove(): Promise<void>;
  unref(): void;
}

export const startWatcher = (folder: string): Watcher => {
  const stdio = ['pipe', 'ignore', 'ignore'] as const;
  const child = spawn('sh', ['-c', WATCH, 'sh', folder], { cwd: '/', stdio: [...stdio], detached: true });
  const ended = once(child, 'exit');
  return {
    watch: (pid) => void child.stdin.write(`${pid ?? 0}\n`),
    remove: async () => {
      child.stdin.end();
      await ended;
    },
    unref: () => {
      child.unref();
      (child.stdin as Socket).unref();
    },
  };
};
