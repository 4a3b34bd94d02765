import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { atomIn, dayIn, startOfDay } from '../../src/core/time.ts';
import { clock } from '../support/clock.ts';
import { inProcess } from '../support/in-process.ts';
import { fromNoon } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import type { Answer, Seen } from '../support/service.ts';
import { json, ugwo } from '../support/service.ts';

interface Some {
  readonly status?: string | readonly [value: string, label: string];
  readonly created_at?: string;
}

const pageOf = (records: readonly (readonly [number: number, some?: Some])[], next: string | null): Answer =>
  json(200, { data: records.map(([number, some = {}]) => ({ ...ugwo(number), ...some })), next_cursor: next });

/** Serves list pages by query. The walk may fetch one page more than it needs. */
/** Serves list pages by query. The walk may fetch one page more than it needs. */
const serveList =
  (pages: Readonly<Record<string, Answer>>) =>
  ({ url }: Seen): Answer | undefined =>
    pages[url.replace('/v1/ugwo?', '')];
/** Serves these records as a list of one page. */
const serveOne = (...records: readonly (readonly [number: number, some?: Some])[]) =>
  serveList({ 'limit=100': pageOf(records, null) });

const lines = (...found: readonly string[]): string => found.map((line) => `${line}\n`).join('');
const list = ['ugwo', 'list', '-o', 'tsv', '--columns', 'ref'];
const paid = { status: 'ugwo_successful' };

describe('ugwo list with filters', () => {
  it('walks the largest pages to the end, prints matches, and reports how far it searched', () =>
    scene({
      built: true,
      service: serveList({
        'limit=100': pageOf([[1], [2, { ...paid, created_at: '2026-11-01T10:00:00+00:00' }]], 'a'),
        'limit=100&cursor=a': pageOf([[3]], 'b'),
        'limit=100&cursor=b': pageOf([[4, paid]], null),
      }),
      env: { TZ: 'UTC' },
      argv: [...list, '--status', 'ugwo_successful'],
      stdout: 'order-2\norder-4\n',
      stderr: 'Looked through 4 payment requests, back to 2026-11-01 10:00.\n',
    }));

  it.each([
    [['--status', 'requires_ugwo'], ['order-1']],
    [['--status', 'not paid'], ['order-1']],
    [['--status', 'not-paid'], ['order-1']],
    [
      ['--status', 'Part Refunded,paid'],
      ['order-2', 'order-3'],
    ],
    [['--status=paid,cancelled'], ['order-2', 'order-5']],
    [
      ['--status', 'paid', '--status', 'cancelled'],
      ['order-2', 'order-5'],
    ],
    [['--status', 'on hold', '--no-validate'], ['order-4']],
  ])('accepts values of the service or their labels, in one option or in several: %j', async (given, found) => {
    const others = [{ status: ['partially_refunded', 'x'] as const }, { status: 'on hold' }, { status: 'cancelled' }];
    const service = serveOne([1], [2, paid], ...others.map((some, at) => [at + 3, some] as const));
    await scene({ service, argv: [...list, ...given], stdout: lines(...found), stderr: /^Looked through 5 / });
  });

  it.each([
    [
      ['--since', 'yesterday'],
      ['order-1', 'order-2'],
    ],
    [['--since', 'yesterday', '--until', 'yesterday'], ['order-2']],
    [
      ['--since', '1w'],
      ['order-1', 'order-2', 'order-3', 'order-4'],
    ],
  ])('accepts yesterday and weeks: %j', async (given, found) => {
    const env = fromNoon();
    const day = (ago: number): string => atomIn('local', startOfDay('local', dayIn('local', clock.now()), -ago) ?? 0);
    const service = serveOne(...[0, 1, 2, 6, 8].map((ago, at) => [at + 1, { created_at: day(ago) }] as const));
    await scene({ service, env, argv: [...list, ...given], stdout: lines(...found), stderr: /^Looked through/ });
  });

  it('warns about a time in the future and reports an empty result', () =>
    scene({
      service: serveOne([1]),
      argv: [...list, '--since', '2999-01-01'],
      stdout: '',
      stderr: /^--since is in the future: 2999-01-01 00:00\.\nLooked through 1 payment requests.*\nNothing found\.\n$/,
    }));

  it('accepts a reference of 150 characters, however many bytes', async () => {
    const ref = '🧾'.repeat(150);
    const service = [json(200, { data: [{ ...ugwo(1), ref }], next_cursor: null })];
    await scene({ service, argv: [...list, '--ref', ref], stdout: `${ref}\n`, stderr: /^Looked through/ });
  });

  it.each([
    ['at the first request with the reference', ['--ref', 'order-2'], 'order-2\n'],
    ['once all later requests are older than --since', ['--since', '2026-11-15', '--all'], 'order-1\n'],
  ])('stops %s', async (_where, more, stdout) => {
    const old = { created_at: '2026-11-01T10:00:00+00:00' };
    const service = serveList({
      'limit=100': pageOf([[1], [2, old]], 'a'),
      'limit=100&cursor=a': pageOf([[8], [9]], 'b'),
      'limit=100&cursor=b': pageOf([], null),
    });
    await scene({ service, argv: [...list, ...more], stdout, stderr: ['Looked through 2 payment requests'] });
  });

  it('prints ten, and a command that continues after them without gaps or repeats', async () => {
    const twelve = Array.from({ length: 12 }, (_, index) => [index + 1] as const);
    await scene({
      service: serveList({
        'limit=100': pageOf(twelve, 'far'),
        'limit=100&cursor=far': pageOf([[20]], null),
        'limit=10': pageOf(twelve.slice(0, 10), 'behind-ten'),
      }),
      argv: [...list, '--status', 'requires_ugwo'],
      stdout: /^order-1\n(?:.*\n){8}order-10\n$/,
      stderr: ['--status not-paid --limit 100 --cursor behind-ten'],
    });
  });

  it('never prints more than --max', () =>
    scene({
      service: serveList({
        'limit=100': pageOf([[1], [2], [3]], 'far'),
        'limit=100&cursor=far': pageOf([[4]], null),
        'limit=2': pageOf([[1], [2]], 'behind-two'),
      }),
      argv: ['ugwo', 'list', '--json', '--max', '2', '--status', 'requires_ugwo'],
      json: { data: [ugwo(1), ugwo(2)], next_cursor: 'behind-two' },
      stderr: /^/,
    }));

  it.each([
    [['--amount', '5000'], '--amount: "5000" could mean NGN 5,000.00 or NGN 50.00', 'write --amount 5,000.00 or'],
    [['--amount', '5,000.00', '--amount-minor', '5'], "--amount and --amount-minor can't be used together", ''],
    [['--since', 'lately'], '--since: "lately" is not a time such as today, yesterday, 2h, 7d, 1w,', ''],
    [['--since', '2026-11-31'], '--since: "2026-11-31" doesn\'t exist: 2026-11 has 30 days', ''],
    [['--until', '2026-02-30 09:30'], '"2026-02-30 09:30" doesn\'t exist: 2026-02 has 28 days', ''],
    [['--until', '2026-11-00T09:30:00Z'], '"2026-11-00T09:30:00Z" doesn\'t exist: 2026-11 has 30 days', ''],
    [['--status', 'a,,b'], '--status: an empty word is no status', ''],
    [['--since', '2026-11-24', '--until', '2026-11-20'], '--until is before --since', 'swap the two times'],
    [['--since', '2d', '--until', '7d'], '--until is before --since', ''],
    [['--since', '2d', '--until', '2020-01-01', '--dry-run'], '--until is before --since', ''],
    [['--status', 'piad'], '(did you mean paid?)', ''],
    [['--status', 'processing,unpaid'], '"unpaid" is not one of not-paid, processing, paid,', ''],
    [['--amount', '5.000,00'], '--amount: "5.000,00" is not an amount', 'write it like 5,000.00'],
    [['--amount', '5.5'], `--amount: "5.5" can't be an amount: NGN has 2 decimals`, 'write it like 5,000.00'],
    [['--amount', 'NGN 5'], '--amount: "5" could mean NGN 5.00 or NGN 0.05', ''],
    [['--amount', 'JPY 5.00'], `--amount: "5.00" can't be an amount: JPY has no decimals`, ''],
    [['--customer', 'Ada Bello'], '--customer: "Ada Bello" is not the identifier of a customer', ''],
    [['--customer', 'ugw.AbCd.1'], '--customer: "ugw.AbCd.1" is the identifier of a payment request', ''],
    [['--email', 'ada'], '--email: "ada" is not an e-mail address', ''],
    [['--ref', ''], '--ref is empty', ''],
    [['--ref', 'x'.repeat(151)], '--ref is longer than 150 characters', ''],
  ])('rejects %j before sending', async (options, message, hint) => {
    await scene({ argv: ['ugwo', 'list', ...options], exit: 2, stderr: [message, hint] });
  });
});

describe('a filter value copied from a table', () => {
  const onye = { uid: 'ony.AbCd.1', email: 'Ada@Example.com' };
  const records = [
    { ...ugwo(1), amount: 16_499_950, currency: ['NGN', 'Naira (NGN)'], onye, created_at: '2026-11-20T10:00:30+00:00' },
    { ...ugwo(2), amount: 16_499_950, currency: 'USD', created_at: '2026-11-20T10:01:00+00:00' },
    { ...ugwo(3), amount: 5000, currency: 'JPY', created_at: '2026-11-20T09:59:59+00:00' },
  ];

  it.each([
    [['--amount', 'NGN 164,999.50'], ['order-1']],
    [['--amount', 'ngn\u00a0164,999.50'], ['order-1']],
    [
      ['--amount', '164,999.50'],
      ['order-1', 'order-2'],
    ],
    [['--amount', 'JPY 5,000'], ['order-3']],
    [['--customer', 'ada@example.com'], ['order-1']],
    [['--since', '2026-11-20 10:00', '--until', '2026-11-20 10:00'], ['order-1']],
    [['--status', 'new_one', '--no-validate'], []],
  ])('finds the matching record: %j', async (options, found) => {
    vi.stubEnv('TZ', 'UTC');
    onTestFinished(() => void vi.unstubAllEnvs());
    const service = () => json(200, { data: records, next_cursor: null });
    await scene({ service, argv: [...list, ...options, '--all'], stdout: lines(...found), stderr: /^Looked through/ });
  });

  it('is kept in the command for the next page', async () => {
    const options = ['--amount', 'NGN 164,999.50', '--customer', 'ada@example.com', '--max', '1'];
    await scene({
      service: () => json(200, { data: records, next_cursor: 'a' }),
      argv: [...list, ...options],
      stderr: [`--customer ada@example.com --amount 'NGN 164,999.50' --max 1`],
    });
  });
});

describe('a filter of another list with an impossible value', () => {
  it.each([
    [['onye', 'list', '--status', 'actve'], '--status: "actve" is not one of active (did you mean active?)'],
    ...['part-paid', 'underpaid', 'paid_twice', 'unknown'].map((word): [string[], string] => [
      ['ugwo', 'list', '--status', word],
      `--status: "${word}" is not one of not-paid, processing, paid, part-refunded, refunded, cancelled → what needs ` +
        'you: `paycli status` → charges by their payment or state: `paycli ledger list --help`',
    ]),
    [['ledger', 'list', '--payment', 'unknown'], 'by their payment or state: `paycli ledger list --help`'],
    [['onye', 'list', '--email', 'ada'], '--email: "ada" is not an e-mail address'],
    [['checkout', 'list', '--currency', 'naira'], '--currency: "naira" is not a currency code of three letters'],
    [['checkout', 'list', '--status', 'on'], '--status: "on" is not one of active, inactive'],
    [['ledger', 'list', '--state', 'paid'], '--state: "paid" is not one of'],
    [['ledger', 'list', '--ugwo', 'act.AbCd.1'], '--ugwo: "act.AbCd.1" is the identifier of'],
    [['webhook', 'events', 'list', '--event', 'paid'], '"paid" is not one of nzube.onye.created,'],
    [['webhook', 'events', 'list', '--event', 'ugwo.activty.*'], '"ugwo.activty.*" is not one of'],
    [['webhook', 'events', 'list', '--ugwo', 'INV-1'], '--ugwo: "INV-1" is not the identifier of a payment request'],
    [
      ['webhook', 'listen', '--port', '0', '--only', 'ugwo.activty.*', '--secret-file', 'x'],
      '"ugwo.activty.*" is not one of',
    ],
  ])('is rejected: %j', async (args, message) => {
    const ended = await inProcess(args, {});
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr.replaceAll(/\s+/g, ' ')).toContain(message);
  });

  it.each(['ugwo.activity.*', 'ugwo.activity.next_action.*', '*'])('is not rejected: %s', async (pattern) => {
    await scene({ argv: ['webhook', 'events', 'list', '--event', pattern], stdout: '', stderr: /^/ });
  });
});

describe('onye list with filters', () => {
  it('rejects a period that ends before it begins', () =>
    scene({
      argv: ['onye', 'list', '--since', '2026-11-24', '--until', '2026-11-20'],
      exit: 2,
      stderr: ['--until is before --since'],
    }));

  it('continues after a matching reference, since customers may share one', async () => {
    const customer = (number: number, ref: string) => ({ uid: `ony.AbCd.${number}`, email: `${number}@a.b`, ref });
    await scene({
      service: [
        json(200, { data: [customer(1, 'shop'), customer(2, 'other')], next_cursor: 'a' }),
        json(200, { data: [customer(3, 'shop')], next_cursor: null }),
      ],
      argv: ['onye', 'list', '--ref', 'shop', '-o', 'tsv', '--columns', 'uid'],
      stdout: 'ony.AbCd.1\nony.AbCd.3\n',
      stderr: /^/,
      requests: ['GET /v1/onye?limit=100', 'GET /v1/onye?limit=100&cursor=a'],
    });
  });
});
