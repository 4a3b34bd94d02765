import { expect } from 'vitest';
import { confirmer } from '../../src/cli/confirm.ts';
import type { Client } from '../../src/client/client.ts';
import { ledgerCommands } from '../../src/commands/ledger/spec.ts';
import type { Run } from '../../src/commands/run.ts';
import { PayError } from '../../src/core/error.ts';
import { printExact } from '../../src/core/json.ts';
import { type ApiRecord, madeHere } from '../../src/core/record.ts';
import type { Result } from '../../src/core/result.ts';
import { Redactor } from '../../src/core/secret.ts';
import type { Charge, LedgerTarget } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { globals } from './profile-call.ts';

export interface Call {
  readonly ledger: Ledger;
  readonly args?: readonly string[];
  readonly given?: Readonly<Record<string, unknown>>;
  readonly globals?: Partial<Run['globals']>;
  readonly now?: number;
  readonly place?: Partial<LedgerTarget>;
  /** The answer to GET /v1/ugwo/{uid}. */
  readonly get?: (uid: string) => Promise<ApiRecord<unknown>>;
  readonly stop?: AbortSignal;
  /** Lines typed on a terminal. */
  readonly lines?: readonly string[];
}

export interface Row extends Record<string, unknown> {
  readonly id: string;
}

interface Outcome {
  readonly rows: readonly Row[];
  /** The number of records, the cursor and the next one of each page. */
  readonly pages: readonly {
    readonly size: number;
    readonly cursor: string | undefined;
    readonly next: string | null;
  }[];
  readonly result: Result | undefined;
  readonly error: PayError | undefined;
  readonly notices: readonly string[];
  readonly prompts: readonly string[];
  /** Calls of other services. */
  readonly asked: readonly string[];
}

const unexpected = (): never => {
  throw new Error('a ledger command has no business there');
};

const stdinOf = (lines: readonly string[] | undefined, prompts: string[]): Run['io']['stdin'] => {
  const left = [...(lines ?? [])];
  return {
    isTerminal: lines !== undefined,
    text: unexpected,
    bytes: unexpected,
    line: async (prompt) => {
      prompts.push(prompt);
      return left.shift();
    },
  };
};

const here: LedgerTarget = {
  service: 'https://pay.example',
  origin: 'https://pay.example',
  workspace: 'AbCd',
  profile: 'shop',
};

/** Runs a command's spec and handler with a ledger, to the last page. */
export const call = async (path: string, options: Call): Promise<Outcome> => {
  const spec = ledgerCommands.find((command) => command.path.join(' ') === `ledger ${path}`);
  if (spec === undefined) throw new Error(`no command ${path}`);
  const [notices, prompts, asked]: [string[], string[], string[]] = [[], [], []];
  const stdin = stdinOf(options.lines, prompts);
  const of = { ...globals, ...options.globals };
  // Time advances only in pauses.
  let ticks = 0;
  const sleep = async (ms: number): Promise<void> => {
    ticks += ms;
  };
  const clock = { now: () => options.now ?? 0, ticks: () => ticks, sleep };
  const client = {
    call: async (_id: string, input: { params: { uid: string } }) => {
      asked.push(`GET ${input.params.uid}`);
      return (options.get ?? unexpected)(input.params.uid);
    },
    look: async (_id: string, { params }: { params: { uid: string } }) => {
      asked.push(`GET ${params.uid}`);
      return (options.get ?? unexpected)(params.uid);
    },
  } as unknown as Client;
  const deps = {
    io: {
      ...{ stdin, stderr: stdin, clock, redactor: new Redactor(), stdout: { isTerminal: false } },
      random: () => 0.5,
      signals: { stop: options.stop ?? new AbortController().signal },
      env: { PAYCLI_HOME: '/nonexistent' },
    },
    globals: { ...of, quiet: true },
    state: { closing: [], status: {} },
    ledger: async () => options.ledger,
    target: async () => {
      asked.push('place');
      return { ...here, ...options.place };
    },
    client: async (purpose: string) => {
      asked.push(`client ${purpose}`);
      return client;
    },
    say: async (text: string) => void notices.push(text),
    ask: confirmer({ stdin, stderr: stdin }, of),
  } as unknown as Run;
  const rows: Row[] = [];
  const pages: Outcome['pages'][number][] = [];
  const take = ({ value, text }: ApiRecord): void => {
    expect(text).toBe(printExact(value));
    rows.push(JSON.parse(text) as Row);
  };
  let [error, result] = [undefined as PayError | undefined, undefined as Result | undefined];
  try {
    const input = spec.read(options.args ?? [], (options.given ?? {}) as never, { validate: true });
    result = await (await spec.load()).run(input, deps);
    if (result.kind === 'record') take(result.record);
    if (result.kind === 'list') {
      for await (const page of result.pages) {
        page.records.forEach(take);
        pages.push({ size: page.records.length, cursor: page.cursor, next: page.nextCursor });
      }
      if (result.failure !== undefined) throw result.failure;
    }
  } catch (thrown) {
    if (!(thrown instanceof PayError)) throw thrown;
    error = thrown;
    expect(spec.exits, `${path} ends with ${thrown.kind}`).toContain(thrown.kind);
  }
  return { rows, pages, result, error, notices, prompts, asked };
};

/** A payment request as returned at `servedAt`. */
export const shows = (activities: unknown, servedAt: number): (() => Promise<ApiRecord>) => {
  const received = { ...madeHere({ uid: 'ugw.AbCd.1', status: 'requires_ugwo', activities }), servedAt };
  return () => Promise.resolve(received);
};

export const fails =
  (error: PayError): (() => Promise<never>) =>
  () =>
    Promise.reject(error);

export const idOf = (seq: number): string => `chg-${String(seq).padStart(12, '0')}`;
export const numbered = (seq: number, some: Partial<Charge> = {}): Partial<Charge> => ({
  id: idOf(seq),
  seq,
  about: `ugw.AbCd.${String(seq).padStart(24, '0')}`,
  ...some,
});
