import { type Env, type Output, speaksUtf8 } from '../../src/core/io.ts';
import type { ApiPage, ApiRecord } from '../../src/core/record.ts';
import type { OutputOptions, View } from '../../src/core/result.ts';
import { Redactor } from '../../src/core/secret.ts';
import { formatLocalFull } from '../../src/core/time.ts';
import type { RenderIo } from '../../src/output/render.ts';
import { type Surface, stylesFor } from '../../src/output/style.ts';

export const NOW = Date.parse('2026-11-20T13:05:00Z');

/** Collects its writes. */
class FakeOutput implements Output {
  readonly writes: string[] = [];
  readonly isTerminal: boolean;
  readonly columns: number;
  closed = false;
  /** Runs before a write resolves: a slow reader, or one that closes. */
  taken: (text: string) => Promise<void> | void = () => undefined;

  constructor({ isTerminal = false, columns = 80 }: Partial<Pick<Output, 'isTerminal' | 'columns'>> = {}) {
    this.isTerminal = isTerminal;
    this.columns = columns;
  }

  async write(data: string | Uint8Array): Promise<void> {
    const text = typeof data === 'string' ? data : new TextDecoder().decode(data);
    this.writes.push(text);
    await this.taken(text);
  }

  /** The text copied to the clipboard. */
  copied: string | undefined;
  erase: (() => string) | undefined;

  async copy(text: string): Promise<boolean> {
    if (this.isTerminal) this.copied = text;
    return this.isTerminal;
  }

  drawn(erase: (() => string) | undefined): void {
    this.erase = erase;
  }

  get text(): string {
    return this.writes.join('');
  }
}

export interface FakeIo extends RenderIo {
  readonly stdout: FakeOutput;
  readonly stderr: FakeOutput;
}

const ioOf = (stdout: FakeOutput, stderr: FakeOutput, env: Env): FakeIo => ({
  stdout,
  stderr,
  redactor: new Redactor(),
  clock: { now: () => NOW, ticks: () => NOW, sleep: () => new Promise(() => undefined) },
  env,
});

const UTF8: Env = { LANG: 'en_NG.UTF-8' };

export const pipe = (env: Env = UTF8): FakeIo => ioOf(new FakeOutput(), new FakeOutput(), env);

export const terminal = (columns = 80, env: Env = UTF8): FakeIo =>
  ioOf(new FakeOutput({ isTerminal: true, columns }), new FakeOutput({ isTerminal: true, columns }), env);

export const options = (more: Partial<OutputOptions> = {}): OutputOptions => ({
  format: 'json',
  columns: undefined,
  color: false,
  noticeColor: false,
  quiet: false,
  rawCsv: false,
  ...more,
});

export const surface = async (width: number, color = false, env: Env = {}): Promise<Surface> => ({
  width,
  styles: await stylesFor(color, speaksUtf8(env)),
  now: NOW,
});

/** A record as returned by the client: the text and its parsed value. */
export const received = (text: string): ApiRecord => ({ value: JSON.parse(text), text });

export const recordOf = (value: object): ApiRecord => received(JSON.stringify(value));

/** Pages a, b, c… of these records, linked by cursors; the last one ends the list. */
export const pagesOf = (...pages: readonly (readonly ApiRecord[])[]): ApiPage[] =>
  pages.map((records, index) => ({
    records,
    cursor: index === 0 ? undefined : `cursor-${index}`,
    nextCursor: index === pages.length - 1 ? null : `cursor-${index + 1}`,
  }));

/** Yields these pages, then ends or throws `fault`. */
export async function* served(pages: readonly ApiPage[], fault?: Error): AsyncGenerator<ApiPage> {
  yield* pages;
  if (fault !== undefined) throw fault;
}

/** The view of payment requests in commands/ugwo, shortened. */
export const ugwoView: View = {
  columns: [
    { path: 'uid' },
    { path: 'status', kind: 'state' },
    { path: 'amount', kind: 'money' },
    { path: 'currency', kind: 'enum', machineOnly: true },
    { path: 'ref', flexible: true },
    { path: 'description', flexible: true },
    { path: 'onye.uid', machineOnly: true },
    { path: 'created_at', kind: 'time', label: 'created' },
  ],
};

export const CREATED = '2026-11-20T14:05:00+01:00';
export const CREATED_LOCALLY = formatLocalFull(Date.parse(CREATED));

export const ugwo = (name: string, more: object = {}): ApiRecord =>
  recordOf({
    uid: `ugw.WXYZ.${name}`,
    amount: 500000,
    currency: ['NGN', 'Naira (NGN)'],
    status: 'processing',
    ref: `order-${name}`,
    description: 'School fees, first term',
    created_at: CREATED,
    ...more,
  });
