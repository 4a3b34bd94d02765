import { confirmer } from '../../../src/cli/confirm.ts';
import type { Globals } from '../../../src/cli/globals.ts';
import type { OpenRun } from '../../../src/cli/run.ts';
import type { AttemptResult } from '../../../src/client/transport.ts';
import type { Run } from '../../../src/commands/run.ts';
import { PayError } from '../../../src/core/error.ts';
import type { Io, Output } from '../../../src/core/io.ts';
import { Redactor } from '../../../src/core/secret.ts';
import type { Attempt } from '../../client/scripted.ts';
import { memoryLedger } from '../../ledger/support/memory.ts';
import { answerOf, clientOver, hurriedClock, ORIGIN } from './over.ts';
import { ACTIVITIES, CUSTOMERS, REQUESTS } from './seeds.ts';

const START = Date.UTC(2026, 10, 20, 13);
const never = new AbortController().signal;

/** Stands for rooms that these runs don't reach: behaves like a machine without profiles. */
export const shut = (): never => {
  throw new PayError('auth', 'this is not here');
};

class Text implements Output {
  readonly isTerminal = false;
  readonly columns = 80;
  readonly closed = false;
  text = '';
  async write(text: string): Promise<void> {
    this.text += text;
  }
  async copy(): Promise<boolean> {
    return false;
  }
  drawn(): void {}
}

export interface World {
  readonly io: Io & { readonly stdout: Text; readonly stderr: Text };
  readonly sent: Attempt[];
  readonly open: (globals: Globals) => OpenRun<Run>;
}

/** A service that has whatever is requested. */
const answer = ({ method, path }: Attempt): Promise<AttemptResult> => {
  const [, , noun, uid, , activity] = (path.split('?')[0] ?? '').split('/').map(decodeURIComponent);
  const found = {
    ugwo: uid === undefined ? { data: REQUESTS, next_cursor: null } : { ...REQUESTS[0], uid, activities: [] },
    onye: { ...CUSTOMERS[0], uid },
    activity: { ...ACTIVITIES[1], ...(activity === undefined ? {} : { uid: activity }), ugwo_uid: uid },
  };
  const which = method === 'POST' || activity !== undefined ? 'activity' : noun === 'onye' ? 'onye' : 'ugwo';
  return answerOf(200, Buffer.from(JSON.stringify(found[which])));
};

const ioOf = (): World['io'] => ({
  // Without folders, nothing on this machine is read or written.
  env: { PAYCLI_HOME: 'nowhere', PAYCLI_PROFILE: 'shop' },
  stdout: new Text(),
  stderr: new Text(),
  stdin: {
    isTerminal: false,
    text: async () => '{}',
    bytes: async function* () {
      yield Buffer.from('ugwo\n');
    },
    line: async () => undefined,
  },
  clock: hurriedClock(START),
  random: () => 0.5,
  signals: { stop: never, leave: never },
  redactor: new Redactor(),
  flight: { open: 0, accepted: 0 },
});

/** Everything that a command may reach, in memory: the real client over a service that records its requests. */
export const newWorld = (): World => {
  const [io, sent] = [ioOf(), [] as Attempt[]];
  const ledger = { ...memoryLedger(), jobs: new Proxy({}, { get: () => shut }) as never };
  const deps = (globals: Globals): Run => ({
    io,
    globals,
    inner: async () => shut(),
    state: { closing: [], status: {} },
    client: async (purpose) =>
      clientOver((attempt) => {
        sent.push(attempt);
        return purpose === 'preview' ? shut() : answer(attempt);
      }, globals.validate),
    target: async () => ({ service: ORIGIN, origin: ORIGIN, workspace: 'AbCd', profile: undefined }),
    ledger: async () => ledger,
    observe: async () => undefined,
    ask: confirmer(io, globals),
    say: async () => undefined,
  });
  return {
    io,
    sent,
    open: (globals) => ({
      run: deps(globals),
      readNamed: async () => {
        throw new PayError('usage', 'nothing has that name');
      },
      filter: async () => undefined,
      pager: async () => undefined,
      remind: async () => undefined,
      close: async () => undefined,
    }),
  };
};
