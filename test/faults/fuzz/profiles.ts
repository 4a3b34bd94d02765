import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { openProfiles, type ProfileRoom } from '../../../src/config/profiles.ts';
import { PayError } from '../../../src/core/error.ts';
import type { Io } from '../../../src/core/io.ts';
import { Redactor } from '../../../src/core/secret.ts';
import { mayBeRenamed } from '../../support/engine.ts';
import { mutatedInput } from './mutate.ts';
import { mutatedJson } from './mutate-json.ts';
import { must, target } from './target.ts';

/** JSON does not escape it, so that a piece of the file is a piece of the key. */
const KEY = `sk.Kw9a.${'b7FqRs1c8xRs1d9yRs1e0z'.repeat(4)}TAIL`;
const CREATED = '2026-11-20T12:00:00+00:00';
const FILE = {
  version: 1,
  default: 'shop',
  profiles: {
    shop: { origin: 'https://api.example', key: KEY, created_at: CREATED, note: { mine: [1, 2] } },
    test: { origin: 'https://test.example', key_command: ['pass', 'show', 'pay'], created_at: CREATED },
  },
  later: { x: 1.5 },
};
const NEW = { name: 'other', origin: 'https://other.example', secret: { key: `sk.Test.${'n'.repeat(80)}` } };
/** No output contains this many characters of a key in a row. */
const PIECE = 10;
const PIECES = Array.from({ length: KEY.length - PIECE + 1 }, (_, at) => KEY.slice(at, at + PIECE));

const nothing = (): never => {
  throw new Error('a file of profiles asks nothing and waits for nothing');
};

const ioWith = (redactor: Redactor): Io => {
  const silent = {
    isTerminal: false,
    columns: 80,
    closed: false,
    write: async () => undefined,
    copy: async () => false,
    drawn: () => undefined,
  };
  const never = new AbortController().signal;
  return {
    env: {},
    stdout: silent,
    stderr: silent,
    stdin: { isTerminal: false, text: nothing, bytes: nothing, line: nothing },
    clock: { now: () => Date.parse(CREATED), ticks: () => 0, sleep: nothing },
    random: () => 0.5,
    signals: { stop: never, leave: never },
    redactor,
    flight: { open: 0, accepted: 0 },
  };
};

const wordsOf = ({ message, stack, detail, cause }: PayError): string =>
  [message, stack, JSON.stringify(detail), String(cause)].join('\n');

/** The result of a call, or undefined if it is rejected with a correct error. */
const tried = <T>(call: () => T): T | undefined => {
  try {
    return call();
  } catch (thrown) {
    if (!(thrown instanceof PayError)) throw thrown;
    must(thrown.kind === 'auth' || thrown.kind === 'usage', () => `a fault of the kind ${thrown.kind}`);
    const words = wordsOf(thrown);
    must(!PIECES.some((piece) => words.includes(piece)), () => `the key is shown: ${words}`);
    return undefined;
  }
};

type Content = { readonly profiles: Readonly<Record<string, unknown>> };

/** The whole file except one profile and the default; numbers as doubles. */
const othersIn = (bytes: Buffer, name: string): string => {
  const { default: _, profiles, ...rest } = JSON.parse(bytes.toString('utf8')) as Content & { default?: string };
  return JSON.stringify([rest, Object.entries(profiles).filter(([other]) => other !== name)]);
};

/** A change to one profile leaves the others unchanged; a rejected change changes nothing. */
const holdsChange = (file: string, name: string, change: () => unknown): void => {
  const before = readFileSync(file);
  const done = tried(change) !== undefined;
  const now = readFileSync(file);
  if (!done) {
    must(now.equals(before), () => 'it was refused, and the file has changed');
    return;
  }
  must(othersIn(now, name) === othersIn(before, name), () => `lost: ${before} became ${now}`);
  must((statSync(file).mode & 0o777) === 0o600, () => 'the file is open to others');
};

const holdsFile = (room: ProfileRoom, file: string): void => {
  const all = tried(() => room.list());
  must(!(all ?? []).some(({ key }) => key.length > PIECE), () => `a whole key is listed: ${JSON.stringify(all)}`);
  tried(() => room.show(undefined));
  holdsChange(file, NEW.name, () => room.save(NEW));
  must(all === undefined || tried(() => room.show(NEW.name)) !== undefined, () => 'what was saved is not there');
  for (const { name } of all ?? []) {
    tried(() => room.use(name));
    holdsChange(file, name, () => room.remove(name));
  }
};

/**
 * A file with any bytes yields profiles or is rejected and left unchanged; no error contains the key, and no profile
 * is lost.
 */
export const profiles = target(
  'profiles',
  () =>
    fc.oneof(
      mutatedInput([JSON.stringify(FILE, null, '\t'), JSON.stringify(FILE)]),
      mutatedJson([FILE]).map((text) => Uint8Array.from(Buffer.from(text))),
    ),
  (bytes) => {
    if (mayBeRenamed(Buffer.from(bytes).toString('latin1'))) return;
    const folder = mkdtempSync(join(tmpdir(), 'paycli-fuzz-'));
    try {
      const home = join(folder, 'home');
      const file = join(home, 'config.json');
      mkdirSync(home, { mode: 0o700 });
      writeFileSync(file, bytes, { mode: 0o600 });
      holdsFile(openProfiles(ioWith(new Redactor()), { config: home, data: home }), file);
      must(existsSync(file), () => 'the file is gone');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
