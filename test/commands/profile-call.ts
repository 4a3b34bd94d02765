import { expect } from 'vitest';
import { confirmer } from '../../src/cli/confirm.ts';
import type { Globals } from '../../src/cli/globals.ts';
import type { Client } from '../../src/client/client.ts';
import { profileCommands } from '../../src/commands/profile/spec.ts';
import type { Run } from '../../src/commands/run.ts';
import { PayError } from '../../src/core/error.ts';
import type { Env } from '../../src/core/io.ts';
import type { Result } from '../../src/core/result.ts';
import { contentOf, KEY, keyOf, openRoom, wordsOf } from '../config/world.ts';

export const globals: Globals = {
  profile: undefined,
  local: false,
  baseUrl: undefined,
  format: undefined,
  prometheus: false,
  columns: undefined,
  jq: undefined,
  decimal: false,
  rawCsv: false,
  bom: false,
  color: 'auto',
  quiet: false,
  debug: false,
  timeout: 30_000,
  input: true,
  pager: true,
  yes: false,
  dryRun: false,
  asCurl: false,
  validate: true,
};

export const OLD = keyOf('old-canary');
export const LIVE = 'https://api.kwugwo.africa';
export const SANDBOX = 'https://sandbox-api.kwugwo.africa';

export interface Call {
  readonly folder?: string;
  readonly given?: Readonly<Record<string, unknown>>;
  readonly args?: readonly string[];
  readonly globals?: Partial<Globals>;
  readonly env?: Env;
  /** Lines typed on a terminal. */
  readonly lines?: readonly string[];
  readonly stdin?: string;
  readonly probe?: (target: { origin: string; key: string }) => Promise<void>;
}

interface Outcome {
  /** The records on stdout. */
  readonly records: readonly unknown[];
  readonly error: PayError | undefined;
  readonly notices: readonly string[];
  readonly prompts: readonly { text: string; hidden: boolean }[];
  readonly probed: readonly unknown[];
  readonly folder: string;
  readonly file: string;
  /** All output. */
  readonly words: string;
}

const unexpected = (): never => {
  throw new Error('a profile command has no business there');
};

const recordsOf = async (result: Result): Promise<unknown[]> => {
  if (result.kind === 'record') {
    expect(JSON.parse(result.record.text)).toEqual(result.record.value);
    return [result.record.value];
  }
  if (result.kind !== 'list') throw new Error(`no such result: ${result.kind}`);
  const records: unknown[] = [];
  for await (const page of result.pages) {
    expect([page.cursor, page.nextCursor]).toEqual([undefined, null]);
    for (const { value, text } of page.records) {
      expect(JSON.parse(text)).toEqual(value);
      records.push(value);
    }
  }
  return records;
};

/** Runs a command's spec and handler with a real profile store, and checks that no output contains a key. */
export const call = async (path: string, options: Call = {}): Promise<Outcome> => {
  const spec = profileCommands.find((command) => command.path.join(' ') === path);
  if (spec === undefined) throw new Error(`no command ${path}`);
  const { io, folder, file } = openRoom(options);
  const [notices, probed]: [string[], unknown[]] = [[], []];
  const prompts: { text: string; hidden: boolean }[] = [];
  const line = io.stdin.line.bind(io.stdin);
  const stdin = {
    ...io.stdin,
    line: (text: string, how: { readonly hidden: boolean }) => {
      prompts.push({ text, hidden: how.hidden });
      return line(text, how);
    },
  };
  const run: Run = {
    io: {
      ...io,
      stdin,
      env: { ...io.env, PAYCLI_HOME: folder },
      stderr: { ...io.stderr, columns: 80, isTerminal: stdin.isTerminal },
    },
    globals: { ...globals, ...options.globals },
    say: (said) => {
      notices.push(...[said].flat());
      return Promise.resolve();
    },
    ask: confirmer({ stdin, stderr: stdin }, { ...globals, ...options.globals }),
    client: async (_purpose, target) => {
      const call = async (): Promise<void> => {
        probed.push(target);
        await options.probe?.(target as { origin: string; key: string });
      };
      return { call } as unknown as Client;
    },
    inner: unexpected,
    target: unexpected,
    ledger: unexpected,
    observe: unexpected,
    state: { closing: [], status: {} },
  };
  let records: readonly unknown[] = [];
  let error: PayError | undefined;
  try {
    const input = spec.read(options.args ?? [], (options.given ?? {}) as never, { validate: true });
    records = await recordsOf(await (await spec.load()).run(input, run));
  } catch (thrown) {
    if (!(thrown instanceof PayError)) throw thrown;
    error = thrown;
    expect(spec.exits, `${path} ends with ${thrown.kind}`).toContain(thrown.kind);
  }
  const words = [
    JSON.stringify(records),
    error === undefined ? '' : wordsOf(error),
    ...notices,
    ...prompts.map(({ text }) => text),
  ].join('\n');
  for (const key of [KEY, OLD, KEY.replace('sk.', 'pk.')]) expect(words).not.toContain(key);
  return { records, error, notices, prompts, probed, folder, file, words };
};

export const profilesIn = (outcome: Outcome): unknown => contentOf(outcome.file)['profiles'];
export const stored = (origin: string, key = KEY) => ({ origin, key, created_at: '2026-11-20T12:00:00+00:00' });
export const piped = { given: { keyStdin: true, environment: 'sandbox' }, stdin: `${KEY}\n` } as const;
