import { describe, expect, it } from 'vitest';
import type { Globals } from '../../src/cli/globals.ts';
import type { RunState } from '../../src/commands/run.ts';
import { watchSilence } from '../../src/compose/run.ts';
import type { Io } from '../../src/core/io.ts';
import { VirtualClock } from '../bulk/virtual-clock.ts';
import { terminal } from '../output/support.ts';

const ERASE = '\r\u001b[2K';

/** `loaded` is called when the modules that draw the line are there, before it is drawn. */
const start = (
  env: Io['env'] = {},
  quiet = false,
  status: RunState['status'] = { words: 'ledger report' },
  loaded = (): void => undefined,
) => {
  const [clock, fake, answer] = [new VirtualClock(), terminal(80, env), Promise.withResolvers<string>()];
  const state: RunState = { closing: [], status };
  async function* bytes() {
    yield Buffer.from(await answer.promise);
  }
  const stdin = { isTerminal: true, line: () => answer.promise, bytes } as unknown as Io['stdin'];
  const outer = { ...fake, clock, stdin } as unknown as Io;
  const globals = {
    quiet,
    get color() {
      loaded();
      return 'never';
    },
  };
  const io = watchSilence(outer, globals as unknown as Globals, state);
  /** What stderr got since the last call. */
  const said = (): readonly string[] => fake.stderr.writes.splice(0);
  const silence = async (ms: number): Promise<readonly string[]> => {
    await clock.pass(ms);
    // The first line loads what draws it.
    await import('../../src/output/status-line.ts');
    await import('../../src/output/style.ts');
    await clock.pass(0);
    return said();
  };
  return { io, outer, fake, state, answer, said, silence, clock };
};

const line = (text: string): string => `${ERASE}${text}`;

describe('a command that prints nothing on a terminal', () => {
  it('says after a second, and each second, that it is running, until it has ended', async () => {
    const { silence, state, said } = start();
    expect(await silence(999)).toEqual([]);
    expect(await silence(2002)).toEqual([1, 2, 3].map((seconds) => line(`ledger report … ${seconds}s`)));
    for (const close of state.closing) await close();
    expect(said()).toEqual([ERASE]);
    expect(await silence(9000)).toEqual([]);
  });

  it('says what it is doing, and which host it waits for', async () => {
    const { silence, state } = start();
    state.status.host = 'api.example.com';
    expect(await silence(1000)).toEqual([line('ledger report: waiting for api.example.com … 1s')]);
    state.status.doing = () => '1,200 of 100,000 read';
    expect(await silence(1000)).toEqual([
      line('ledger report: 1,200 of 100,000 read, waiting for api.example.com … 2s'),
    ]);
    state.status.host = undefined;
    expect(await silence(1000)).toEqual([line('ledger report: 1,200 of 100,000 read … 3s')]);
  });

  it.each(['stdout', 'stderr'] as const)(
    'erases the line before other output on %s, and starts again',
    async (name) => {
      const { silence, io, fake, said } = start();
      await silence(1500);
      await io[name].write('a record\n');
      expect([...said(), ...fake.stdout.writes]).toEqual([ERASE, 'a record\n']);
      expect(await silence(990)).toEqual([]);
      expect(await silence(20)).toEqual([line('ledger report … 1s')]);
    },
  );

  it('says it also while it writes to a file', async () => {
    const { silence, io, fake } = start();
    Object.assign(fake.stdout, { isFile: true });
    await silence(600);
    await io.stdout.write('a record\n');
    expect(await silence(600)).toEqual([line('ledger report … 1s')]);
  });

  it('draws nothing beside another line, even one on the other stream', async () => {
    const { silence, io } = start();
    io.stdout.drawn(() => '');
    expect(await silence(3000)).toEqual([]);
    io.stdout.drawn(undefined);
    expect(await silence(1000)).toHaveLength(1);
  });

  it('draws nothing over a record whose line is not finished', async () => {
    const { silence, io } = start();
    await io.stdout.write('{"data":[\n{"uid":"onye.1"}');
    expect(await silence(3000)).toEqual([]);
    await io.stdout.write(Buffer.from(']}\n'));
    expect(await silence(1000)).toEqual([line('ledger report … 1s')]);
  });

  it('draws nothing beside what was printed while it loaded', async () => {
    const run = start({}, false, { words: 'ledger report' }, () => void run.io.stdout.write('a record\n'));
    expect([...(await run.silence(1000)), ...run.fake.stdout.writes]).toEqual(['a record\n']);
    expect(await run.silence(1000)).toEqual([line('ledger report … 1s')]);
  });

  it('erases the line before it reads what a person types', async () => {
    const { silence, io, said, answer } = start();
    await silence(1500);
    const read = io.stdin.bytes()[Symbol.asyncIterator]();
    const typed = read.next();
    expect(said()).toEqual([ERASE]);
    expect(await silence(3000)).toEqual([]);
    answer.resolve('typed');
    expect(String((await typed).value)).toBe('typed');
    await read.return?.();
    expect(await silence(1001)).toHaveLength(1);
  });

  it('draws nothing while a person types or reads in a pager, or a server runs', async () => {
    const { silence, io, answer, state } = start();
    const asked = io.stdin.line('Pay? ', { hidden: false });
    expect(await silence(3000)).toEqual([]);
    answer.resolve('yes');
    expect(await asked).toBe('yes');
    expect(await silence(1001)).toHaveLength(1);
    state.status.hold = () => undefined;
    expect(await silence(3000)).toEqual([]);
    state.status.hold = undefined;
    state.status.words = undefined;
    expect(await silence(3000)).toEqual([]);
  });

  it('is one line, once, on a terminal that can rewrite none', async () => {
    const { silence } = start({ ACCESSIBLE: '1' });
    expect(await silence(5000)).toEqual(['ledger report … 1s\n']);
  });

  it('changes nothing with --quiet, and where silence is normal', () => {
    for (const { io, outer } of [start({}, true), start({}, false, {})]) expect(io).toBe(outer);
  });
});
