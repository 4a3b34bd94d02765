import { describe, expect, it } from 'vitest';
import { readNextAction } from '../../src/core/charge.ts';
import { PayError } from '../../src/core/error.ts';
import type { Clock } from '../../src/core/io.ts';
import type { ApiRecord } from '../../src/core/record.ts';
import type { OutputOptions, ResultNotices, View, Waited, Waiting } from '../../src/core/result.ts';
import { render } from '../../src/output/render.ts';
import { stylesFor } from '../../src/output/style.ts';
import { openCountdown } from '../../src/output/wait.ts';
import { MINUTE } from '../support/units.ts';
import { type FakeIo, NOW, options, pipe, recordOf, terminal } from './support.ts';

const ERASE = '\r\u001b[2K';

const view: View = {
  columns: [{ path: 'uid' }, { path: 'status', kind: 'state' }, { path: 'error' }, { path: 'seen', machineOnly: true }],
  nextAction: readNextAction,
};
const activity = (status: string, more: object = {}): ApiRecord => recordOf({ uid: 'act.A.b', status, ...more });
const DIAL = { next_action: { type: 'user_action', headers: { ussd: '*737#' } } };

/** A manual clock; a pause ends at its time. */
class HandClock implements Clock {
  time = NOW;
  readonly #sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();

  /** Constant, because waits use the ticks. */
  now(): number {
    return NOW;
  }

  ticks(): number {
    return this.time;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((wake, reject) => {
      this.#sleepers.add({ until: this.time + ms, wake });
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  }

  async pass(ms: number): Promise<void> {
    this.time += ms;
    for (const sleeper of this.#sleepers) {
      if (sleeper.until > this.time) continue;
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
    await settled();
  }
}

/** Resolves after everything that does not wait for the clock. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Watched {
  readonly io: FakeIo;
  readonly clock: HandClock;
  readonly tell: (waiting: Partial<Waiting>) => Promise<void>;
  readonly end: (waited: Waited | Error) => Promise<ResultNotices>;
}

/** Renders a wait controlled by the test. */
const watch = async (
  base: FakeIo,
  record: ApiRecord | undefined,
  more: Partial<OutputOptions> = {},
): Promise<Watched> => {
  const clock = new HandClock();
  const io = { ...base, clock };
  const { promise, resolve, reject } = Promise.withResolvers<Waited>();
  let told: (waiting: Waiting) => void = () => undefined;
  const wait = (tell: typeof told): Promise<Waited> => {
    told = tell;
    return promise;
  };
  const rendered = render({ kind: 'wait', record, view, wait }, io, options({ format: 'table', ...more }));
  await settled();
  return {
    io,
    clock,
    tell: async (waiting) => {
      told({ status: 'requires_action', until: NOW + 15 * MINUTE, failing: false, ...waiting });
      await settled();
    },
    end: (waited) => {
      if (waited instanceof Error) reject(waited);
      else resolve(waited);
      return rendered;
    },
  };
};

describe('a wait on a terminal', () => {
  it('shows the record at once, then its changes', async () => {
    const { io, end } = await watch(terminal(), activity('requires_action', { ...DIAL, seen: 1 }));
    expect(io.stdout.text).toContain('not paid');
    expect(io.stdout.text).toContain('*737#');
    const before = io.stdout.text;
    expect(await end({ record: activity('successful', { seen: 2 }) })).toEqual({});
    expect(io.stdout.text.slice(before.length)).toBe('status  paid\n');
  });

  it('shows new and unknown fields', async () => {
    const { io, end } = await watch(terminal(), activity('processing'));
    const before = io.stdout.text;
    await end({
      record: activity('failed', { error: { code: 'no_funds' }, charged_amount: 0, checkout: { currency: 'NGN' } }),
    });
    expect(io.stdout.text.slice(before.length)).toBe(
      'status          failed\nerror           {"code": "no_funds"}\ncharged_amount  NGN 0.00\n',
    );
  });

  it('shows the whole record again for a new next action or a removed field', async () => {
    for (const [first, last] of [
      [activity('processing'), activity('requires_action', DIAL)],
      [activity('failed', { error: 'no' }), activity('processing')],
    ] as const) {
      const { io, end } = await watch(terminal(), first);
      const before = io.stdout.text;
      await end({ record: last });
      expect(io.stdout.text.slice(before.length)).toContain('uid     act.A.b');
    }
  });

  it('repeats nothing if nothing has changed', async () => {
    const { io, end } = await watch(terminal(), activity('requires_action', DIAL));
    const before = io.stdout.text;
    await end({ record: activity('requires_action', { ...DIAL, seen: 2 }) });
    expect(io.stdout.text).toBe(before);
  });

  it('respects --columns', async () => {
    const { io, end } = await watch(terminal(), activity('processing', DIAL), { columns: ['uid', 'status'] });
    await end({ record: activity('successful', DIAL) });
    expect(io.stdout.text).toBe('uid     act.A.b\nstatus  processing\nstatus  paid\n');
  });

  it('shows the record at the end if it was not known first', async () => {
    const { io, end } = await watch(terminal(), undefined);
    expect(io.stdout.text).toBe('');
    await end({ record: activity('successful') });
    expect(io.stdout.text).toBe('uid     act.A.b\nstatus  paid\n');
  });

  it('counts down on one line of stderr, which is erased at the end', async () => {
    const { io, clock, tell, end } = await watch(terminal(), activity('requires_action'));
    await tell({});
    expect(io.stderr.text).toBe(`${ERASE}not paid, waiting; 15:00 left, Ctrl-C stops waiting`);
    await clock.pass(1);
    await clock.pass(1000);
    expect(io.stderr.writes.at(-1)).toBe(`${ERASE}not paid, waiting; 14:59 left, Ctrl-C stops waiting`);
    await tell({ status: 'processing', failing: true });
    expect(io.stderr.writes.at(-1)).toContain('processing, waiting; the last read failed; 14:59 left');
    await end({ record: activity('successful') });
    expect(io.stderr.writes.at(-1)).toBe(ERASE);
    expect(io.stderr.text).not.toContain('\n');
    const written = io.stderr.writes.length;
    await tell({ status: 'too late' });
    await clock.pass(5000);
    expect(io.stderr.writes).toHaveLength(written);
  });

  it('erases the line before showing the result', async () => {
    const { io, tell, end } = await watch(terminal(), activity('requires_action'));
    await tell({});
    const order: string[] = [];
    io.stdout.taken = () => void order.push('stdout');
    io.stderr.taken = (text) => void order.push(text === ERASE ? 'erased' : 'stderr');
    await end({ record: activity('successful') });
    expect(order).toEqual(['erased', 'stdout']);
  });

  it.each<[string, FakeIo, Partial<OutputOptions>]>([
    ['with --quiet', terminal(), { quiet: true }],
    ['with --debug', terminal(), { plain: true }],
    ['on a dumb terminal', terminal(80, { TERM: 'dumb' }), {}],
    ['with stderr redirected', { ...terminal(), stderr: pipe().stderr }, {}],
  ])('%s has no countdown', async (_which, base, more) => {
    const { io, tell, end } = await watch(base, undefined, more);
    await tell({});
    await end({ record: activity('successful') });
    expect(io.stderr.writes).toEqual([]);
    expect(io.stdout.text).toContain('paid');
  });

  it('counts down for a person even if stdout is redirected', async () => {
    const { io, tell, end } = await watch({ ...terminal(), stdout: pipe().stdout }, activity('processing'));
    await tell({});
    expect([io.stdout.text, io.stderr.text]).toEqual(['', expect.stringContaining('15:00 left')]);
    await end({ record: activity('successful') });
    expect(io.stderr.writes.at(-1)).toBe(ERASE);
  });
});

describe('a wait without a terminal', () => {
  it.each<[FakeIo, OutputOptions['format'], string]>([
    [pipe(), 'tsv', 'uid\tact.A.b\nstatus\tsuccessful\n'],
    [pipe(), 'json', '{"uid":"act.A.b","status":"successful"}\n'],
    [pipe(), 'table', 'uid     act.A.b\nstatus  paid\n'],
    [terminal(), 'ndjson', '{"uid":"act.A.b","status":"successful"}\n'],
  ])('prints only the final record', async (base, format, text) => {
    const { io, tell, end } = await watch(base, activity('requires_action'), { format });
    await tell({});
    expect(io.stdout.text).toBe('');
    await end({ record: activity('successful') });
    expect(io.stdout.text).toBe(text);
    if (!io.stderr.isTerminal) expect(io.stderr.text).toBe('');
  });
});

describe('the end of a wait', () => {
  it('is returned to the caller', async () => {
    const failure = new PayError('pending', 'still open');
    const { end } = await watch(pipe(), undefined);
    expect(await end({ record: activity('processing'), notice: 'a word', failure })).toEqual({
      notice: 'a word',
      failure,
    });
  });

  it('with an error keeps the error and the last record', async () => {
    const thrown = new PayError('internal', 'a defect');
    const { io, end } = await watch(pipe(), activity('requires_action'), { format: 'json' });
    expect(await end(thrown)).toEqual({ failure: thrown });
    expect(io.stdout.text).toBe('{"uid":"act.A.b","status":"requires_action"}\n');
  });

  it('with an error and no record prints nothing and erases the line', async () => {
    const thrown = new PayError('read_failed', 'no answer');
    const { io, tell, end } = await watch(terminal(), undefined);
    await tell({ status: undefined });
    expect(await end(thrown)).toEqual({ failure: thrown });
    expect([io.stdout.text, io.stderr.writes.at(-1)]).toEqual(['', ERASE]);
  });
});

describe('the countdown', () => {
  const waiting: Waiting = { status: 'requires_action', until: NOW + 12 * MINUTE + 30_001, failing: false };
  const shown = async (more: Partial<Waiting>, columns: number): Promise<string | undefined> => {
    const io = terminal(columns);
    openCountdown(io, await stylesFor(false), false).tell({ ...waiting, ...more });
    await settled();
    return io.stderr.writes.at(-1)?.slice(ERASE.length);
  };

  it.each([
    [80, 'not paid, waiting; 12:31 left, Ctrl-C stops waiting'],
    [54, 'not paid, waiting; 12:31 left, Ctrl-C stops waiting'],
    [53, 'not paid, waiting; 12:31 left'],
    [31, 'not paid, 12:31 left'],
    [22, '12:31'],
    [7, '12:…'],
  ])('fits into %i columns, with room for ^C', async (columns, text) => {
    expect(await shown({}, columns)).toBe(text);
  });

  it.each([
    [0, '0:00'],
    [-5000, '0:00'],
    [1, '0:01'],
    [59_000, '0:59'],
    [3_599_001, '1:00:00'],
    [86_400_000, '24:00:00'],
  ])('prints %i ms as %s', async (left, text) => {
    expect(await shown({ until: NOW + left }, 80)).toContain(` ${text} left`);
  });

  it('escapes the status', async () => {
    const text = await shown({ status: 'a\u001b[31m\n支払い' }, 80);
    expect(text).toMatch(/^a\\x1b\[31m.*支払い, waiting/);
    expect(text).not.toMatch(/\p{Cc}/u);
  });
});
