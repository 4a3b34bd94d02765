import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { confirmer } from '../../src/cli/confirm.ts';
import type { CommandSpec } from '../../src/cli/define.ts';
import { readGlobals } from '../../src/cli/globals.ts';
import type { Client } from '../../src/client/client.ts';
import { onyeCommands } from '../../src/commands/onye/spec.ts';
import { refundCommands } from '../../src/commands/refund/spec.ts';
import type { Run } from '../../src/commands/run.ts';
import { ugwoCommands } from '../../src/commands/ugwo/spec.ts';
import type { PayError } from '../../src/core/error.ts';
import { ENVIRONMENTS } from '../../src/core/origin.ts';
import { madeHere } from '../../src/core/record.ts';
import { Redactor } from '../../src/core/secret.ts';
import { open } from '../ledger/support/charges.ts';
import { ugwoOf } from '../support/ids.ts';
import { newFolder } from '../support/program.ts';
import { ACTIVITY } from '../support/service.ts';

interface Asked {
  readonly origin: string;
  /** The typed text; undefined without a terminal. */
  readonly typed?: string;
  readonly yes?: boolean;
  readonly validate?: boolean;
  readonly args?: Readonly<Record<string, unknown>>;
  /** The payment request that the service returns. */
  readonly shows?: Readonly<Record<string, unknown>>;
  readonly folder?: string;
  /** A signal comes with this request. */
  readonly stopAt?: number;
}

const silent = { isTerminal: false, columns: 80, closed: false, write: async () => undefined };

/** Runs a bulk command against an origin; sends are only recorded. */
const run = async (
  command: string,
  header: string,
  rows: readonly string[],
  { origin, typed, yes = false, args = {}, shows = {}, validate = true, stopAt, folder = newFolder('confirm') }: Asked,
) => {
  const spec = [...ugwoCommands, ...onyeCommands, ...refundCommands].find(
    ({ path }) => path.join(' ') === command,
  ) as CommandSpec;
  const from = join(folder, 'rows.csv');
  writeFileSync(from, [header, ...rows, ''].join('\n'));
  const ledger = await open(join(folder, 'ledger.sqlite'));
  const [sent, prompts]: [string[], string[]] = [[], []];
  const globals = { ...readGlobals({}, {}), yes, validate };
  const stdin = {
    isTerminal: typed !== undefined,
    line: async (prompt: string) => {
      prompts.push(prompt);
      return typed;
    },
  } as unknown as Run['io']['stdin'];
  const clock = {
    now: () => Date.now(),
    ticks: () => performance.now(),
    sleep: (ms: number, signal?: AbortSignal) => wait(ms, undefined, { signal }),
  };
  const stopping = new AbortController();
  const stop = stopping.signal;
  const client = {
    paced: () => client,
    check: () => undefined,
    look: async () => undefined,
    longestWrite: 1000,
    longestAttempt: 1000,
    call: async () => madeHere({ uid: ugwoOf(1), amount: 500_000, currency: 'NGN', status: 'requires_ugwo', ...shows }),
    write: async (id: string) => {
      sent.push(id);
      if (sent.length === stopAt) stopping.abort('SIGINT');
      const record = madeHere({ ...ACTIVITY, uid: `act.AbCd.${String(sent.length).padStart(24, '0')}` });
      return { certain: 'accepted', record };
    },
  } as unknown as Client;
  const deps = {
    io: {
      clock,
      stdin,
      env: { PAYCLI_HOME: folder },
      stdout: silent,
      stderr: silent,
      random: () => 0.5,
      signals: { stop, leave: stop },
      redactor: new Redactor(),
      flight: { open: 0, accepted: 0 },
    },
    globals,
    client: async () => client,
    ledger: async () => ledger,
    target: async () => ({ service: origin, origin, workspace: 'AbCd', profile: 'shop' }),
    state: { closing: [], status: {} },
    observe: async () => undefined,
    say: async () => undefined,
    ask: confirmer({ stdin, stderr: stdin }, globals),
  } as unknown as Run;
  const input = spec.read([], { from, ...args } as never, { validate });
  const error = await (await spec.load()).run(input, deps as never).then(
    () => undefined,
    (thrown: unknown) => thrown as PayError,
  );
  return { error, sent, prompts, jobs: await ledger.jobs.list({ limit: 9 }) };
};

const charge = (asked: Asked) =>
  run('ugwo charge', 'ugwo,medium,provider', [`${ugwoOf(1)},ussd,gtb`, `${ugwoOf(2)},bank_transfer,`], asked);
const update = (asked: Asked) =>
  run('onye update', 'uid,email', ['ony.AbCd.000000000000000000000001,a@b.example'], asked);

const { live, sandbox } = ENVIRONMENTS;

describe('a bulk run against a live service', () => {
  it('prompts with profile, origin, rows and mediums', async () => {
    const { prompts, sent } = await charge({ origin: live, typed: '2' });
    expect(prompts).toEqual([
      `live: ${live}, profile shop\nCharge 2 payment requests (ussd 1, bank_transfer 1)?\nType 2 to confirm: `,
    ]);
    expect(sent).toHaveLength(2);
  });

  it('counts the rows that were started before', async () => {
    const first = { origin: live, typed: '2', args: { concurrency: 1 }, folder: newFolder('confirm') };
    expect((await charge({ ...first, stopAt: 1 })).sent).toHaveLength(1);
    const { prompts } = await charge({ ...first, typed: 'n' });
    expect(prompts[0]).toMatch(/\nCharge 2 payment requests \(ussd 1, bank_transfer 1; 1 started before\)\?/);
    // The total is that of the rows to charge.
    const checked = await charge({ ...first, typed: 'n', args: { concurrency: 1, check: true } });
    expect(checked.prompts[0]).toMatch(/\nCharge 2 payment requests for NGN 5,000\.00 \(.*; 1 started before\)\?/);
  });

  it('needs the total typed, or the number of rows if it is unknown', async () => {
    for (const typed of ['y', 'yes', '1', '']) expect((await charge({ origin: live, typed })).sent).toEqual([]);
    const args = { check: true };
    expect((await charge({ origin: live, typed: '2', args })).sent).toEqual([]);
    const { prompts, sent } = await charge({ origin: live, typed: 'ngn 10000.00', args });
    expect(prompts[0]).toContain('\nType NGN 10,000.00 to confirm: ');
    expect(sent).toHaveLength(2);
  });

  it('names the total with --check', async () => {
    const { prompts } = await charge({ origin: live, typed: 'y', args: { check: true } });
    expect(prompts[0]).toContain('Charge 2 payment requests for NGN 10,000.00 (ussd 1, bank_transfer 1)?');
  });

  it.each([
    ['names the total of amounts that the file has for each row', '5000.00', ' for NGN 10,000.00', 'NGN 10,000.00'],
    ['names no total if a row has no amount', '', '', '2'],
  ])('%s', async (_what, second, total, typed) => {
    const rows = [`${ugwoOf(1)},ussd,gtb,5000.00`, `${ugwoOf(2)},bank_transfer,,${second}`];
    const { prompts } = await run('ugwo charge', 'ugwo,medium,provider,amount', rows, { origin: live, typed: 'n' });
    expect(prompts[0]).toContain(
      `Charge 2 payment requests${total} (ussd 1, bank_transfer 1)?\nType ${typed} to confirm: `,
    );
  });

  it.each([
    ['the total', '20.00', 'NGN 5,020.00 (in NGN 2)?', 'NGN 5,020.00'],
    [
      'the number, if one pays back in full,',
      'all',
      'NGN 5,000.00, 1 of them without a known amount (in NGN 1, in full 1)?',
      '2',
    ],
  ])('asks to type %s of refunds', async (_what, second, text, typed) => {
    const rows = ['5000.00', second].map((amount, at) => `act.AbCd.00000000000000000000000${at},${amount},NGN`);
    const { prompts } = await run('refund create', 'activity,amount,currency', rows, { origin: live, typed: 'n' });
    expect(prompts[0]).toContain(`Pay back 2 payments for ${text}\nType ${typed} to confirm: `);
  });

  it('shows no text of the service in the prompt, and escapes text of the file', async () => {
    const currency = 'NGN 1.00?\u001b[2J\u001b]0;x\u0007\nCharge 1 request, NGN\u202e';
    const { prompts } = await charge({ origin: live, typed: 'n', args: { check: true }, shows: { currency } });
    expect(prompts).toEqual([
      `live: ${live}, profile shop\nCharge 2 payment requests (ussd 1, bank_transfer 1)?\nType 2 to confirm: `,
    ]);
    const medium = '"ussd\nx\u001b[2J"';
    const rows = [`${ugwoOf(1)},${medium}`];
    const odd = await run('ugwo charge', 'ugwo,medium', rows, { origin: live, typed: 'n', validate: false });
    expect(odd.prompts[0]?.split('\n')[1]).toMatch(/^Charge 1 payment request \(ussd\\nx\\x1b\[2J 1\)\?/);
  });

  it('also confirms updates, with their fields', async () => {
    const { prompts, sent } = await update({ origin: live, typed: 'yes' });
    expect(prompts).toEqual([`live: ${live}, profile shop\nUpdate 1 customer (email 1)? [y/N] `]);
    expect(sent).toEqual(['onye.update']);
  });

  it('says which rows replace all metadata', async () => {
    const uid = 'ony.AbCd.000000000000000000000001';
    const asked = { origin: live, typed: 'n' };
    const whole = await run('onye update', 'uid,meta', [`${uid},"{""a"":1}"`], asked);
    expect(whole.prompts[0]).toContain('Update 1 customer (all metadata 1)?');
    const part = await run('onye update', 'uid,meta.a', [`${uid},x`], asked);
    expect(part.prompts[0]).toContain('Update 1 customer (keys of metadata 1)?');
  });

  it.each([['n'], [''], ['Y e s']])('changes nothing after "%s"', async (typed) => {
    for (const command of [charge, update]) {
      const { sent, error, jobs } = await command({ origin: live, typed });
      expect(error?.kind).toBe('interrupted');
      expect([sent, jobs]).toEqual([[], []]);
    }
  });

  it('needs --yes without a terminal', async () => {
    for (const command of [charge, update]) {
      const { sent, error } = await command({ origin: live });
      expect(error?.detail.hint).toContain('--yes');
      expect(sent).toEqual([]);
      expect((await command({ origin: live, yes: true })).sent).not.toEqual([]);
    }
  });

  it('treats an unknown host as live; the sandbox and this machine need no confirmation', async () => {
    expect((await charge({ origin: 'https://gateway.example' })).error?.kind).toBe('usage');
    for (const origin of [sandbox, 'http://127.0.0.1:4000', 'https://localhost:4000']) {
      expect((await charge({ origin })).sent).toHaveLength(2);
    }
  });
});
