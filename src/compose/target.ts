import { existsSync } from 'node:fs';
import type { Globals } from '../cli/globals.ts';
import type { ProfileRoom } from '../config/profiles.ts';
import { FIRST_RECORDS, firstUse, LOCAL_DATA_FILE, LOCAL_PROFILE } from '../core/data-files.ts';
import { PayError } from '../core/error.ts';
import { canAsk } from '../core/input.ts';
import { environmentName } from '../core/origin.ts';
import type { RunningEmulator } from '../emulator/room.ts';
import type { LedgerTarget, Scope } from '../ledger/entry.ts';
import type { Rooms, RunContext } from './run.ts';

/** Where a run's requests go, and how that is told to an operator. */
export interface RunTarget {
  readonly origin: string;
  readonly key: string;
  readonly label: string;
  readonly profile: string | undefined;
}

/** The service of --local: it lives as long as the command, over data that stays and is made at the first use. */
const startLocal = async ({ io, closing, notice }: RunContext, rooms: Rooms): Promise<RunningEmulator> => {
  const [room, { data }] = [await rooms.emulator(), await rooms.folders()];
  const [file, { clock }] = [`${data}/${LOCAL_DATA_FILE}`, io];
  const said = firstUse(await room.seed({ file, clock, ...FIRST_RECORDS, onlyIfNew: true }), file);
  if (said !== undefined) await notice(said);
  const running = await room.start({ file, port: 0, clock });
  closing.push(() => running.close());
  return running;
};

const LOCAL = { label: 'local: the emulator on this machine', profile: LOCAL_PROFILE } as const;

/** Lets a person choose a profile where nothing says which, and there are some. */
const withProfile = async ({ io, globals }: RunContext, room: ProfileRoom): Promise<Globals> => {
  const { name, origin } = room.chosen(globals);
  const isSaid = name !== undefined || origin !== undefined || io.env['PAYCLI_SECRET_KEY'] !== undefined;
  if (isSaid || !canAsk(io, globals)) return globals;
  const all = room.list();
  if (all.length === 0 || all.some((profile) => profile.default)) return globals;
  const { choose } = await import('../cli/ask.ts');
  return { ...globals, profile: await choose(io, { title: 'Which profile?', choices: all.map((one) => one.name) }) };
};

const PLACES = ['PAYCLI_PROFILE', 'PAYCLI_BASE_URL', 'PAYCLI_SECRET_KEY'];

/** Whether anything says where requests go. The profiles are not loaded for it: that would cost every start its time. */
const isSaid = async ({ io, globals }: RunContext, rooms: Rooms): Promise<boolean> =>
  [globals.profile, globals.baseUrl, ...PLACES.map((name) => io.env[name])].some((said) => said !== undefined) ||
  existsSync(`${(await rooms.folders()).config}/config.json`);

/** What is meant of the ledger: what went where this run's requests would go. Practice is its own, and nobody else's. */
export const scopeOf = async (run: RunContext, rooms: Rooms, place: () => Promise<LedgerTarget>): Promise<Scope> => {
  if (run.globals.local) return { profile: LOCAL_PROFILE };
  if (!(await isSaid(run, rooms))) return { otherThan: LOCAL_PROFILE };
  const { service, workspace } = await place().catch((thrown: unknown) => {
    if (!(thrown instanceof PayError) || thrown.kind !== 'auth') throw thrown;
    throw thrown.with({ hint: [...(thrown.detail.hint?.split('\n') ?? []), EVERYTHING].join('\n') });
  });
  return { service, workspace };
};

const EVERYTHING = 'no key is needed with --all-profiles';

/** Where requests go that are really sent. */
export const targetOf = async (run: RunContext, rooms: Rooms): Promise<RunTarget> => {
  if (run.globals.local) {
    const { origin, key } = await startLocal(run, rooms);
    return { origin, key, ...LOCAL };
  }
  const room = await rooms.profiles();
  const { origin, key, profile } = await room.target(await withProfile(run, room));
  const from = profile === undefined ? '' : `, profile ${profile}`;
  return { origin, key, label: `${environmentName(origin)}: ${origin}${from}`, profile };
};

/** Where a request would go that is only shown: no key is needed. */
export const previewTarget = async (run: RunContext, rooms: Rooms): Promise<Pick<RunTarget, 'origin' | 'key'>> => {
  if (!run.globals.local) return { origin: await (await rooms.profiles()).origin(run.globals), key: '' };
  const { origin, key } = await startLocal(run, rooms);
  await run.notice('This local address is temporary; `paycli emulator start` runs one that stays.');
  return { origin, key };
};
