import { existsSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { type Globals, usesColor } from '../cli/globals.ts';
import type { Client } from '../client/client.ts';
import type { Transport } from '../client/transport.ts';
import type { Run } from '../commands/run.ts';
import type { ProfileRoom } from '../config/profiles.ts';
import type { Target } from '../config/target.ts';
import { FIRST_RECORDS, firstUse, LOCAL_DATA_FILE, LOCAL_PROFILE } from '../core/data-files.ts';
import { PayError } from '../core/error.ts';
import { canAsk } from '../core/input.ts';
import { environmentName } from '../core/origin.ts';
import { cleanedUrl } from '../core/secret.ts';
import { visible } from '../core/text.ts';
import type { RunningEmulator } from '../emulator/room.ts';
import type { Scope } from '../ledger/entry.ts';
import { foldersOf, profilesOf, type RunContext } from './run.ts';

/** Target of a run's requests, and its label for people. */
export interface RunTarget {
  readonly origin: string;
  readonly key: string;
  readonly label: string;
  readonly profile: string | undefined;
  /** Advice for a refused key. */
  readonly keyHint?: string;
}

export type RunCredentials = Pick<RunTarget, 'origin' | 'key' | 'keyHint'>;

/** Starts the service of --local. It runs as long as the command. Its data is created at the first use and stays. */
const startLocal = async (run: RunContext): Promise<RunningEmulator> => {
  const { io, say, state } = run;
  const [{ emulatorRoom: room }, { data }] = [await import('../emulator/room.ts'), await foldersOf(run)];
  const [file, { clock }] = [join(data, LOCAL_DATA_FILE), io];
  const said = firstUse(await room.seed({ file, clock, ...FIRST_RECORDS, onlyIfNew: true }), file);
  if (said !== undefined) await say(said);
  const running = await room.start({ file, port: 0, clock });
  state.closing.push(() => running.close());
  return running;
};

/** Lets a person choose a profile if none is set, none is the default, and there are some. */
const withProfile = async ({ io, globals }: RunContext, room: ProfileRoom): Promise<Globals> => {
  const { name, origin } = room.chosen(globals);
  const isSaid = name !== undefined || origin !== undefined || io.env['PAYCLI_SECRET_KEY'] !== undefined;
  if (isSaid || !canAsk(io, globals)) return globals;
  const all = room.list();
  if (all.length === 0 || all.some((profile) => profile.default)) return globals;
  const { askChoice } = await import('../cli/ask.ts');
  return { ...globals, profile: await askChoice(io, { title: 'Which profile?', choices: all.map((one) => one.name) }) };
};

const TARGET_VARIABLES = ['PAYCLI_PROFILE', 'PAYCLI_BASE_URL', 'PAYCLI_SECRET_KEY'];

/**
 * True if an option, a variable or the settings file names a target. Does not load the profiles, which would slow down
 * every start.
 */
const isTargetNamed = async (run: RunContext): Promise<boolean> =>
  [run.globals.profile, run.globals.baseUrl, ...TARGET_VARIABLES.map((name) => run.io.env[name])].some(
    (said) => said !== undefined,
  ) || existsSync(`${(await foldersOf(run)).config}/config.json`);

/** Scope in the ledger: entries sent to the target of this run. Practice is separate from real charges. */
export const scopeOf = async (run: Run): Promise<Scope> => {
  if (run.globals.local) return { profile: LOCAL_PROFILE };
  if (!(await isTargetNamed(run))) return { otherThan: LOCAL_PROFILE };
  const { service, workspace } = await run.target().catch((thrown: unknown) => {
    if (!(thrown instanceof PayError) || thrown.kind !== 'auth') throw thrown;
    throw thrown.with({
      hint: [...(thrown.detail.hint?.split('\n') ?? []), 'no key is needed with --all-profiles'].join('\n'),
    });
  });
  return { service, workspace };
};

/** Name of the run's profile, and its scope. A command that prints the key is not run: the name is enough. */
export const profileWithoutKey = async (run: Run): Promise<{ profile: string | undefined; scope: Scope }> => {
  if (!run.globals.local && run.io.env['PAYCLI_SECRET_KEY'] === undefined && (await isTargetNamed(run))) {
    const room = await profilesOf(run);
    const { name: profile, key } = room.show(room.chosen(run.globals).name);
    if (key === 'command') return { profile, scope: { profile } };
  }
  const scope = await scopeOf(run);
  const { profile, origin } = scope.service === undefined ? { profile: scope.profile } : await run.target();
  return { profile: profile ?? origin, scope };
};

const storedTarget = async (run: RunContext): Promise<Target> => {
  const room = await profilesOf(run);
  run.state.profiles = () => room.list().map(({ name }) => name);
  return room.target(await withProfile(run, room));
};

/** Resolves the target of real requests. The profiles are not loaded where flags and environment say it all. */
export const connectTarget = async (run: RunContext): Promise<RunTarget> => {
  if (run.globals.local) {
    const { origin, key } = await startLocal(run);
    return { origin, key, label: 'local: the emulator on this machine', profile: LOCAL_PROFILE };
  }
  const { chooseTarget, givenTarget, refusedKeyHint } = await import('../config/target.ts');
  const target = givenTarget(chooseTarget(run.globals, run.io.env), run.io) ?? (await storedTarget(run));
  const { origin, key, profile } = target;
  const from = profile === undefined ? '' : `, profile ${profile}`;
  return {
    origin,
    key,
    label: `${environmentName(origin)}: ${origin}${from}`,
    profile,
    keyHint: refusedKeyHint(target),
  };
};

/** Resolves the target of a request that is only shown. Needs no key. */
export const previewTarget = async (run: RunContext): Promise<Pick<RunTarget, 'origin' | 'key'>> => {
  if (!run.globals.local) return { origin: await (await profilesOf(run)).origin(run.globals), key: '' };
  const { origin, key } = await startLocal(run);
  await run.say('This local address is temporary; `paycli emulator start` runs one that stays.');
  return { origin, key };
};

/** Names the host of a request under way, for the line of a silent run. */
const namingHost = (transport: Transport, origin: string, { status }: RunContext['state']): Transport => {
  const { host } = new URL(origin);
  let underWay = 0;
  return {
    ...transport,
    send: async (attempt) => {
      underWay += 1;
      status.host = host;
      return transport.send(attempt).finally(() => {
        underWay -= 1;
        if (underWay === 0) status.host = undefined;
      });
    },
  };
};

export const openClient = async (run: RunContext, credentials: RunCredentials): Promise<Client> => {
  const [{ createClient }, { openTransport }] = await Promise.all([
    import('../client/client.ts'),
    import('../client/transport.ts'),
  ]);
  const { io, globals, state } = run;
  const { clock, env, random, signals, flight, redactor } = io;
  const { timeout, validate } = globals;
  const cleanAll = (text: string): string => redactor.cleanAll(text);
  const debug = (line: string): void => {
    if (globals.debug) void io.stderr.write(`debug: ${visible(cleanedUrl(line, cleanAll))}\n`);
  };
  const opened = openTransport({
    credentials,
    env,
    clock,
    userAgent: `paycli/${packageJson.version}`,
    debug,
    // Removes only known secrets from data. A text that only looks like a secret may be a public key.
    clean: (text) => redactor.clean(text),
  });
  // Only a terminal shows the line.
  const transport = io.stderr.isTerminal ? namingHost(opened, credentials.origin, state) : opened;
  state.closing.push(() => transport.close());
  // The caller does not wait for a notice; the run ends after all notices are printed.
  let said = Promise.resolve();
  const notice = (line: string): void => {
    said = said.then(() => run.say(line)).catch(() => undefined);
  };
  state.closing.push(() => said);
  return createClient({
    flight,
    transport,
    origin: credentials.origin,
    keyHint: credentials.keyHint,
    clock,
    random,
    signals,
    timeout,
    debug,
    notice,
    validate,
    state,
  });
};

/**
 * Loads the modules that report the outcome of a write before the write starts. A package that is replaced meanwhile,
 * or a lack of file descriptors, must not hide the outcome.
 */
export const loadWords = async ({ io, globals }: RunContext): Promise<void> => {
  const [{ stylesFor }] = await Promise.all([
    import('../output/style.ts'),
    import('../output/error.ts'),
    import('../output/text.ts'),
    import('../output/render.ts'),
  ]);
  const { stdout, stderr, env } = io;
  for (const { isTerminal } of [stdout, stderr]) await stylesFor(usesColor(globals.color, env, isTerminal));
};
