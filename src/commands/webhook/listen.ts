import { resolve } from 'node:path';
import { splitCommand } from '../../core/command-words.ts';
import { usageError } from '../../core/error.ts';
import type { Env, Io } from '../../core/io.ts';
import { isLoopback } from '../../core/origin.ts';
import type { ReceivedPage } from '../../core/received.ts';
import type { Result } from '../../core/result.ts';
import { colouredText } from '../../core/sanitize.ts';
import type { ToldEvent } from '../../webhook/listen.ts';
import type { Deps } from '../deps.ts';
import { openNews } from './news.ts';
import type { ListenInput } from './spec.ts';
import { toldRecord, toldView } from './view.ts';

/** What a program needs to run as its user's: where things are, who runs it, how its words and times look. Windows has more. */
const PASSED = new RegExp(
  `^(?:${[
    ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'PWD', 'TMPDIR', 'XDG_\\w+'],
    ...['LANG', 'LANGUAGE', 'LC_\\w+', 'TZ', 'TERM', 'COLORTERM', 'NO_COLOR'],
    ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'TEMP', 'TMP', 'USERNAME', 'USERPROFILE'],
    ...['HOMEDRIVE', 'HOMEPATH', 'APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA', 'PROGRAMFILES'],
  ].join('|')})$`,
  'i',
);

/**
 * The environment of a program that is run for each event: what any program needs, and what was named. Any other variable may
 * hold a secret, whatever it is called and looks like.
 */
const environmentFor = (named: readonly string[], { env, redactor }: Io): Env => {
  for (const name of named) {
    const value = env[name];
    const fail = (what: string, hint: string): never => {
      throw usageError(`--exec-env: ${JSON.stringify(name.split('=')[0])} ${what}`, { hint });
    };
    if (value === undefined) fail('is not set', 'give the name alone; the value comes from the environment');
    else if (redactor.cleanAll(value) !== value)
      fail('holds a secret of paycli', 'the program gets none; leave it out');
  }
  return Object.fromEntries(Object.entries(env).filter(([name]) => PASSED.test(name) || named.includes(name)));
};

/** The command with its program's path: looked for before anything else, and never in the working folder unless a path says so. */
const commandOf = async (text: string, { findProgram }: Deps): Promise<readonly string[]> => {
  const [word = '', ...args] = splitCommand(text, '--exec');
  const program = await findProgram(word.includes('/') ? resolve(word) : word);
  if (program !== undefined) return [program, ...args];
  throw usageError(`--exec: the program ${JSON.stringify(word)} was not found`, {
    hint: 'give its path; folders of PATH that are relative, or inside the working folder, are not searched',
  });
};

/** A program may colour what it prints, and moves no cursor. */
const printer =
  ({ stderr }: Io) =>
  (text: string): Promise<void> =>
    stderr.write(stderr.isTerminal ? colouredText(text) : text);

async function* pagesOf(events: AsyncIterable<readonly ToldEvent[]>): AsyncGenerator<ReceivedPage> {
  for await (const some of events) yield { records: some.map(toldRecord), cursor: undefined, nextCursor: null };
}

const startWords = (origin: string, { forwardTo }: ListenInput): string[] => [
  ...(isLoopback(origin)
    ? []
    : [
        `${origin} is open to the network over plain http: others can read what is delivered there, and send anything to it.`,
      ]),
  `Listening on ${origin}${forwardTo === undefined ? '' : `, forwarding to ${forwardTo}`}. Stop it with Ctrl-C.`,
  `The service must reach it: point a tunnel of yours at ${origin} (such as \`ssh -R\`, cloudflared or ngrok), and enter ` +
    "the tunnel's public URL as the endpoint in the dashboard.",
];

/** Takes deliveries until it is stopped, or what it waits for has come. */
export const run = async (input: ListenInput, deps: Deps): Promise<Result> => {
  const { io, notice } = deps;
  const { port, host, forwardTo, allowRemote, only, duplicates, until, keepDays } = input;
  const room = await deps.webhooks();
  const target = forwardTo === undefined ? undefined : room.checkTarget(forwardTo, '--forward-to', allowRemote, io.env);
  const words = input.exec === undefined ? undefined : await commandOf(input.exec, deps);
  const secrets = await deps.webhookSecrets(input.secrets);
  const exec = words && {
    ...{ words, env: environmentFor(input.execEnv, io), print: printer(io), say: notice },
    signalGroup: await deps.signalGroup(),
  };
  const { folder, uid } = { folder: (await deps.folders()).data, uid: await deps.user() };
  const { clock, random, signals } = io;
  const news = await openNews(deps);
  const listening = await room.listen(
    { folder, port, host, secrets, target, only, duplicates, until, exec, news, keepDays },
    { clock, random, stop: signals.stop, leave: signals.leave, uid, say: notice },
  );
  await notice(startWords(listening.origin, input));
  return { kind: 'list', pages: pagesOf(listening.events), view: toldView, toldEmpty: true };
};
