import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';

// It outlives whoever started it, however that ends, and knows of it by the end of its own input.
const WATCH = `
pid=0
while read -r next; do pid=$next; done
if [ "$pid" != 0 ]; then
  kill -QUIT "$pid"; kill -CONT "$pid"
  for n in $(seq 100); do kill -0 "$pid" && [ -e "$1/data/postmaster.pid" ] || break; sleep 0.1; done
fi
rm -rf "$1"`;

/** What ends the server of a cluster and takes its folder away, when it is told or when this process ends, be it by SIGKILL. */
export interface Watcher {
  /** The server is now this one; undefined: there is none. */
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
