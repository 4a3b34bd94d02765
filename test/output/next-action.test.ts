import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type NextAction, readNextAction } from '../../src/core/charge.ts';
import type { View } from '../../src/core/result.ts';
import { formatLocal } from '../../src/core/time.ts';
import { nextActionLines } from '../../src/output/next-action.ts';
import { render } from '../../src/output/render.ts';
import { widthOf } from '../../src/output/text.ts';
import { MINUTE } from '../support/units.ts';
import { NOW, options, pipe, recordOf, surface, terminal } from './support.ts';

const TRANSFER: NextAction = {
  kind: 'transfer',
  instruction: 'Transfer the exact amount to this account before it expires',
  bank: 'Wema Bank',
  accountName: 'KWUGWO / ADAOBI EZE',
  accountNumber: '0123456789',
  expiresAt: NOW + 12 * MINUTE,
  headers: {},
} as const satisfies NextAction;
const DIAL = {
  kind: 'dial',
  instruction: 'Dial it on the phone',
  code: '*737*000*1234#',
  headers: {},
} as const satisfies NextAction;
const OTHER: NextAction = {
  kind: 'other',
  type: 'redirect',
  instruction: undefined,
  headers: { url: 'https://pay.example.com/a/very/long/address/indeed', method: 'GET' },
};

const rule = (width = 48): string => '-'.repeat(width);

const expiry = `expires ${formatLocal(NOW + 12 * MINUTE, NOW)}, in 12 min`;

describe('a transfer', () => {
  it('is a block of instructions', async () => {
    expect(nextActionLines(TRANSFER, 'NGN 5,000.00', await surface(80))).toEqual([
      'Next: transfer to this account',
      rule(),
      '  bank          Wema Bank',
      '  account name  KWUGWO / ADAOBI EZE',
      '  amount        NGN 5,000.00',
      '',
      '  account number',
      '  0123456789',
      '',
      `  ${expiry}`,
      rule(),
      '  Transfer the exact amount to this account before it expires',
    ]);
  });

  it('is readable in 30 columns', async () => {
    expect(nextActionLines(TRANSFER, undefined, await surface(30))).toEqual([
      'Next: transfer to this account',
      rule(30),
      '  bank          Wema Bank',
      '  account name  KWUGWO /',
      '                ADAOBI EZE',
      '',
      '  account number',
      '  0123456789',
      '',
      `  ${expiry}`,
      rule(30),
      '  Transfer the exact amount to',
      '  this account before it',
      '  expires',
    ]);
  });

  it.each([
    [NOW - 5 * MINUTE, `  expired at ${formatLocal(NOW - 5 * MINUTE, NOW)}, 5 min ago`],
    [NOW, `  expired at ${formatLocal(NOW, NOW)}, 0 s ago`],
    [NOW + 1000, `  expires ${formatLocal(NOW + 1000, NOW)}, in 1 s`],
  ])('shows the expiry in the past: %d', async (expiresAt, line) => {
    expect(nextActionLines({ ...TRANSFER, expiresAt }, undefined, await surface(80))).toContain(line);
  });

  it('shows other values for the customer', async () => {
    const lines = nextActionLines({ ...TRANSFER, headers: { amount: 'NGN 5,000.00' } }, undefined, await surface(80));
    expect(lines.map((line) => line.trim())).toContain('amount        NGN 5,000.00');
    const dial = nextActionLines({ ...DIAL, headers: { session: '77' } }, undefined, await surface(80));
    expect(dial.map((line) => line.trim())).toContain('session  77');
  });

  it('omits unknown values', async () => {
    const bare = { ...TRANSFER, instruction: undefined, bank: '', accountName: '', expiresAt: undefined };
    expect(nextActionLines(bare, undefined, await surface(80))).toEqual([
      'Next: transfer to this account',
      rule(),
      '  account number',
      '  0123456789',
      '',
      '  incomplete: the service sent no bank and no account name',
      rule(),
    ]);
  });
});

describe('a dial string', () => {
  const shown = async (width: number, color: boolean, env: Record<string, string>): Promise<string[]> =>
    nextActionLines(DIAL, undefined, await surface(width, color, env));

  it('is alone on its line', async () => {
    expect(await shown(30, false, {})).toEqual([
      'Next: dial this code',
      rule(30),
      '  dial',
      '  *737*000*1234#',
      rule(30),
      '  Dial it on the phone',
    ]);
  });

  it('is bold, with nothing but the instruction below its data', async () => {
    const lines = await shown(80, true, { LANG: 'C.UTF-8', TERM: 'xterm' });
    expect(lines).toContain('  \u001b[1m*737*000*1234#\u001b[22m');
    expect(lines.map(stripVTControlCharacters)).toEqual([
      'Next: dial this code',
      '─'.repeat(48),
      '  dial',
      '  *737*000*1234#',
      '─'.repeat(48),
      '  Dial it on the phone',
    ]);
  });
});

it('any other action shows its type and values', async () => {
  expect(nextActionLines(OTHER, undefined, await surface(40))).toEqual([
    'Next: redirect',
    rule(40),
    '  url     https://pay.example.com/a/very',
    '          /long/address/indeed',
    '  method  GET',
    rule(40),
  ]);
});

it.each([
  [{ ...TRANSFER, bank: '\u001b]0;x\u0007', accountNumber: '01\n23\u202e', instruction: 'a\nb\u001b\u009b' }],
  [{ ...DIAL, code: '*1\u001b[2J\n#', instruction: 'a\u202e' }],
  [{ ...OTHER, type: 'a\u001b', headers: { 'b\n': 'c\u009b' }, instruction: '\ud800' }],
] as readonly [NextAction][])('control characters are escaped: %#', async (action) => {
  for (const width of [30, 80, Number.POSITIVE_INFINITY]) {
    const lines = nextActionLines(action, '\u001b', await surface(width));
    expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Cs}\u202e]/u);
  }
});

it.each([TRANSFER, DIAL, OTHER])('%# fits 30 columns', async (action) => {
  for (const line of nextActionLines(action, 'NGN 5,000.00', await surface(30))) {
    expect(widthOf(line)).toBeLessThanOrEqual(30);
  }
});

it.each([TRANSFER, DIAL, OTHER, { ...TRANSFER, expiresAt: NOW - MINUTE }])(
  '%# has the same text with and without colour',
  async (action) => {
    for (const width of [30, 80]) {
      const [plain, colored] = [await surface(width), await surface(width, true)];
      const lines = nextActionLines(action, 'NGN 5', colored).map(stripVTControlCharacters);
      expect(lines).toEqual(nextActionLines(action, 'NGN 5', plain));
    }
  },
);

describe('on a card, the next action', () => {
  const view: View = {
    columns: [{ path: 'uid' }, { path: 'amount', kind: 'money' }, { path: 'currency', machineOnly: true }],
    nextAction: readNextAction,
  };
  const next_action = { type: 'user_action', headers: { account_number: '0123456789' } };
  const record = recordOf({ uid: 'act.A.b', amount: 500000, currency: 'NGN', next_action });

  it("comes last, with the record's amount", async () => {
    const io = terminal();
    await render({ kind: 'record', record, view }, io, options({ format: 'table' }));
    expect(io.stdout.text).toBe(
      `uid     act.A.b\namount  NGN 5,000.00\n\nNext: transfer to this account\n${'─'.repeat(48)}\n  amount  NGN 5,000.00\n\n` +
        '  account number\n  0123456789\n\n  incomplete: the service sent no bank and no account name\n' +
        `${'─'.repeat(48)}\n`,
    );
  });

  it('is missing without an action, or with named columns', async () => {
    const io = pipe();
    await render(
      { kind: 'record', record: recordOf({ uid: 'act.A.b', next_action: null }), view },
      io,
      options({ format: 'table' }),
    );
    await render({ kind: 'record', record, view }, io, options({ format: 'table', columns: ['uid'] }));
    expect(io.stdout.text).toBe('uid  act.A.b\nuid  act.A.b\n');
  });
});
