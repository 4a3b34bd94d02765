import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fromNpm } from '../../scripts/from-npm.ts';
import { bunHere } from '../../scripts/pinned.ts';
import { CA_FILE } from '../support/tls.ts';
import type { Order, Reply } from './worker.ts';

/** Starts a process that charges through the real client and ledger, on Node or on Bun; the caller ends it. */
export const startWorker = async (runtime: 'node' | 'bun'): Promise<ChildProcess> => {
  const execPath = runtime === 'node' ? process.execPath : await fromNpm(bunHere());
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: CA_FILE };
  const child = fork(join(import.meta.dirname, 'worker.ts'), { execPath, execArgv: [], env });
  await once(child, 'message');
  return child;
};

/** Sends a worker its order, and returns its result. */
export const tell = async (child: ChildProcess, order: Order): Promise<Reply> => {
  const over = new AbortController();
  const { signal } = over;
  const ended = once(child, 'exit', { signal }).then(
    (): Reply => [{ kind: 'ended', exitCode: -1, id: undefined, message: 'the process ended' }],
  );
  // The loser of the race is ignored.
  ended.catch(() => undefined);
  const said = once(child, 'message', { signal }).then(([reply]) => reply as Reply);
  said.catch(() => undefined);
  child.send(order);
  const reply = await Promise.race([said, ended]);
  over.abort();
  return reply;
};
