import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { uidOf } from '../support/ids.ts';
import { errorOf } from '../support/program.ts';
import { type Scene, scene } from '../support/scene.ts';
import type { Answer, Seen } from '../support/service.ts';
import { ACTIVITY, json, ONYE_ID, problem, serve, UGWO_ID, ugwo } from '../support/service.ts';
import { charged, fileOf, numberIn, ugwoOf, ussdFile } from './bulk-support.ts';

const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'];
/** Has a next action without readable instructions. */
const MUTE = { ...ACTIVITY, next_action: { type: 'user_action', headers: { bank_name: 'Wema Bank' } } };
const UNREADABLE = "the charge was made, but its next action couldn't be read";

/** A service without reads that answers every charge alike. */
const charges =
  (answer: Answer) =>
  ({ method }: Seen): Answer =>
    method === 'POST' ? answer : problem(404, 'Not Found');

describe('half a surrogate pair in an answer', () => {
  const of = (number: number): string => JSON.stringify(ugwo(number)).replace('Order', String.raw`\ud83d`);
  const pages = [
    json(200, `{"data":[${of(1)}],"next_cursor":"more"}`),
    json(200, `{"data":[${of(2)}],"next_cursor":null}`),
  ];
  const LIST = ['ugwo', 'list', '--all'];
  const NOTE = 'note: the service sent half a surrogate pair, which is no character: it is shown as U+FFFD\n';

  it.each<[string, Partial<Scene>]>([
    [
      'in JSON',
      {
        argv: [...LIST, '--json'],
        stderr: '',
        json: { data: [{ description: '\ufffd 1' }, { description: '\ufffd 2' }] },
      },
    ],
    ['as text', { argv: [...LIST, '-o', 'tsv', '--columns', 'description'], stdout: '\ufffd 1\n\ufffd 2\n' }],
    [
      'in a single record',
      {
        service: [json(200, of(1))],
        looks: 'asked',
        argv: ['ugwo', 'get', ugwoOf(1), '-o', 'tsv'],
        stdout: /^description\t\ufffd 1$/m,
        stderr: [NOTE],
      },
    ],
  ])('is printed as U+FFFD, with one notice behind text: %s', async (_where, one) => {
    await scene({ argv: LIST, service: pages, stderr: NOTE, ...one });
  });
});

describe('a charge with an unusual answer', () => {
  it('is accepted and printed as received', async () => {
    const odd = { status: null, psp: ['psp.A', 'enum.psp.a'], checkout: { uid: 5, mediums: 'ussd' }, error: 7 };
    const { stderr } = await scene({
      built: true,
      service: charges(json(200, { ...ACTIVITY, ...odd })),
      argv: [...CHARGE, '-o', 'table'],
      stdout: ['Next: dial this code', /^psp +psp\.A$/m],
      stderr: /^/,
      entries: [{ state: 'accepted', activity: ACTIVITY.uid, exit_code: 0 }],
    });
    expect(stderr).not.toContain('could not be read');
  });

  it.each(['gzip', 'deflate', 'br'] as const)(
    'is read if the answer is compressed by %s, which paycli did not request',
    async (encoding) => {
      const encode = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }[encoding];
      const text = JSON.stringify({ ...ACTIVITY, activity_type: 1 });
      await scene({
        service: charges((_seen, response) => {
          const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
          response.writeHead(200, headers).end(encode(text));
        }),
        argv: [...CHARGE, '--json'],
        stdout: `${text}\n`,
      });
    },
  );

  it('is printed as JSON byte for byte, with nothing else', async () => {
    const text = `{"uid":"${ACTIVITY.uid}","status":[],"amount":1.50,"next_action":[]}`;
    await scene({ service: charges(json(200, text)), argv: [...CHARGE, '--json'], stdout: `${text}\n`, stderr: '' });
  });

  it('preserves the digits of a numeric account number, and warns about incomplete accounts', async () => {
    const [text, digits] = [
      JSON.stringify({ ...ACTIVITY, next_action: { headers: { account_number: 'N' } } }),
      '73645128901234567890',
    ];
    await scene({
      service: charges(json(200, text.replace('"N"', digits))),
      argv: [...CHARGE, '-o', 'table'],
      stdout: [`${digits}\n`, 'incomplete: the service sent no bank and no account name'],
      stderr: /^/,
      entries: [{ next_action: { headers: { account_number: digits } } }],
    });
  });

  it('keeps the earlier status if a later read has none', () =>
    scene({
      service: ({ method }) => json(200, method === 'POST' ? ACTIVITY : { ...ACTIVITY, status: [] }),
      before: [CHARGE],
      argv: ['activity', 'get', UGWO_ID, ACTIVITY.uid],
      stderr: /^/,
      entries: [{ status: 'requires_action' }],
    }));

  it.each([[[]], [['--wait']]])(
    'without a readable next action is accepted, recorded, printed and not awaited, and exits with 7: %j',
    async (more) => {
      await scene({
        service: charges(json(200, MUTE)),
        argv: [...CHARGE, ...more, '--json'],
        exit: 7,
        stdout: `${JSON.stringify(MUTE)}\n`,
        error: {
          kind: 'unrecorded',
          message: UNREADABLE,
          answer: MUTE,
          activity: { uid: ACTIVITY.uid, status: 'requires_action' },
          ledger_id: expect.stringMatching(/^chg-/),
        },
        requests: ['POST'],
        entries: [{ state: 'accepted', activity: ACTIVITY.uid, exit_code: 7 }],
      });
    },
  );

  it.each([
    ['another request', { ugwo_uid: 'ugw.AbCd.other' }],
    ['a refund', { activity_type: ['refund', 'enum.activity_type.refund'] }],
  ])('that names %s is unknown, with the answer as evidence', async (_what, more) => {
    const answer = { ...ACTIVITY, ...more };
    await scene({
      service: charges(json(200, answer)),
      argv: [...CHARGE, '--json'],
      exit: 6,
      error: { kind: 'unknown', answer },
      entries: [{ state: 'unknown', evidence: [{ kind: 'answer', answer: JSON.stringify(answer) }] }],
    });
  });
});

describe('ugwo charge --from with unusual answers', () => {
  const from = (file: string): string[] => ['ugwo', 'charge', '--from', file, '--json'];

  it('continues past a row without a readable next action and exits with 7, also on a repeated run', async () => {
    const repeated = {
      argv: from(ussdFile(1, 2, 3)),
      exit: 7,
      json: { rows: 3, accepted: 3 },
      report: {
        1: { state: 'accepted' },
        2: { state: 'accepted', activity: uidOf(2), error: UNREADABLE },
        3: { state: 'accepted', error: '' },
      },
    };
    const { home, service } = await scene({
      ...repeated,
      service: (seen) =>
        charges(charged(numberIn(seen), numberIn(seen) === 2 ? { next_action: MUTE.next_action } : {}))(seen),
      requests: ['POST', 'POST', 'POST'],
    });
    await scene({ ...repeated, home, service, requests: [] });
  });

  it('treats an answer about another payment request as unknown, not as a ledger error', () =>
    scene({
      service: (seen) => charges(charged(numberIn(seen), { ugwo_uid: ugwoOf(9) }))(seen),
      argv: [...from(ussdFile(1, 2)), '--concurrency', '1'],
      exit: 6,
      json: { unknown: 2, not_started: 0 },
    }));

  it('names the column of a violation in any notation', () =>
    scene({
      service: charges(json(422, { message: 'Invalid', violations: { 'data[provider]': ['Unknown bank.'] } })),
      argv: from(fileOf(`ugwo,medium,provider\n${ugwoOf(1)},ussd,gtbank\n`)),
      exit: 3,
      stdout: /"rejected":1/,
      report: { 1: { error: expect.stringContaining('provider: Unknown bank. (did you mean gtb?)') } },
    }));
});

describe('a rejection in an unusual format', () => {
  it.each<[string, Answer, number, object]>([
    ['401 without a body', (_seen, response) => response.writeHead(401).end(), 4, { status: 401 }],
    ['403 of a gateway', json(403, { error: 'forbidden' }), 4, { title: 'forbidden' }],
    ['404 by message', json(404, { message: 'No such request' }), 3, { title: 'No such request' }],
    ['405 with an empty list', json(405, []), 3, { status: 405 }],
    ['409 by code', json(409, { code: 'ugwo_processed', message: 'Paid already' }), 3, { title: 'Paid already' }],
  ])('%s: no charge was created', async (_what, answer, exit, error) => {
    const entries = [{ state: 'rejected', exit_code: exit }];
    await scene({ service: charges(answer), argv: [...CHARGE, '--json'], exit, error, entries });
  });

  const USSD = ['ugwo', 'charge', UGWO_ID, '--medium', 'ussd', '--provider', 'gtb', '--param', 'orderId=7'];
  const UNCHECKED = ['ugwo', 'charge', UGWO_ID, '--param', 'medium=x', '--no-validate'];
  const UPDATE = ['onye', 'update', ONYE_ID, '--first-name', 'Ada', '--billing-address', '{"city":"L"}'];

  it.each<[string, readonly string[], Readonly<Record<string, string | undefined>>]>([
    [
      'a charge',
      USSD,
      {
        'data.provider': '--provider',
        'data[provider]': '--provider',
        '[data][provider]': '--provider',
        provider: '--provider',
        'data.orderId': '--param orderId',
        orderId: '--param orderId',
        phone: '--phone',
        'checkout.provider': undefined,
      },
    ],
    ['an unchecked charge', UNCHECKED, { 'data.medium': '--param medium' }],
    [
      'an update',
      UPDATE,
      {
        firstName: '--first-name',
        first_name: '--first-name',
        '[firstName]': '--first-name',
        'billingAddress.city': '--billing-address',
        'billing_address[city]': '--billing-address',
        provider: undefined,
      },
    ],
  ])('of %s names the option for each path', async (_what, argv, options) => {
    const paths = Object.keys(options);
    const violations = paths.map((propertyPath) => ({ propertyPath, title: 'No.' }));
    const errors = Object.fromEntries(paths.map((path) => [path, 'No.']));
    for (const body of [{ violations }, { errors }]) {
      const ended = await scene({ service: [json(422, body)], argv: [...argv, '--json'], exit: 3 });
      expect(errorOf(ended)['violations']).toEqual(
        paths.map((path) => ({ property_path: path, title: 'No.', ...(options[path] && { option: options[path] }) })),
      );
    }
  });
});

describe('a read with an unusual answer', () => {
  it('does not end a list', () => {
    const odd = (number: number): object => ({ ...ugwo(number), uid: number, status: {}, amount: 'much' });
    return scene({
      service: [
        json(200, { data: [odd(1), odd(2)], next_cursor: 'a' }),
        json(200, { data: [odd(3)], next_cursor: null }),
      ],
      argv: ['ugwo', 'list', '--all', '-o', 'tsv'],
      stdout: /^(?:.*\n){4}$/,
      stderr: '',
    });
  });

  it('does not fail a login', async () => {
    const service = await serve([json(200, { data: [{ uid: null, status: 5 }], next_cursor: null })]);
    await scene({
      argv: ['login', '--base-url', service.origin, '--key-stdin'],
      stdin: `sk.AbCd.${'k'.repeat(80)}`,
      stderr: /^/,
    });
  });

  it('shows a label of its own for a pair whose label is a translation key', () =>
    scene({
      service: [
        json(200, {
          ...ugwo(1),
          uid: UGWO_ID,
          status: ['ugwo_successful', 'enum.ugwo_status.ugwo_successful'],
          currency: ['NGN', 'Naira (NGN)'],
        }),
      ],
      looks: 'asked',
      argv: ['ugwo', 'get', UGWO_ID, '-o', 'table'],
      stdout: [/^status +paid$/m, 'NGN 5,000.01'],
      stderr: /It shows no checkout/,
    }));

  it('causes a note if it shows another customer than the updated one', () =>
    scene({
      service: [json(200, { uid: 'ony.AbCd.other' })],
      argv: ['onye', 'update', ONYE_ID, '--first-name', 'Ada'],
      stderr: ['note: the service answered with another customer (onye), ony.AbCd.other\n'],
    }));
});
