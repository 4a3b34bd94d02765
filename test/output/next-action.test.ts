import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type NextAction, readNextAction } from '../../src/core/charge.ts';
import type { View } from '../../src/core/result.ts';
import { formatLocal } from '../../src/core/time.ts';
import { nextActionLines } from '../../src/output/next-action.ts';
import { render } from '../../src/output/render.ts';
import type { Surface } from '../../src/output/style.ts';
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
  entries: [],
} as const satisfies NextAction;
const DIAL = {
  kind: 'dial',
  instruction: 'Dial it on the phone',
  code: '*737*000*1234#',
  entries: [],
} as const satisfies NextAction;
const OTHER: NextAction = {
  kind: 'other',
  type: 'redirect',
  instruction: undefined,
  entries: [
    ['url', 'https://pay.example.com/a/very/long/address/indeed'],
    ['method', 'GET'],
  ],
};

const rule = (width = 48): string => '-'.repeat(width);

const expiry = `expires ${formatLocal(NOW + 12 * MINUTE, NOW)}, in 12 min`;

describe('a transfer', () => {
  it('is a block of instructions', async () => {
    expect(await nextActionLines(TRANSFER, 'NGN 5,000.00', await surface(80))).toEqual([
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
    expect(await nextActionLines(TRANSFER, undefined, await surface(30))).toEqual([
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
    expect(await nextActionLines({ ...TRANSFER, expiresAt }, undefined, await surface(80))).toContain(line);
  });

  it('shows other values for the customer', async () => {
    const lines = await nextActionLines(
      { ...TRANSFER, entries: [['amount', 'NGN 5,000.00']] },
      undefined,
      await surface(80),
    );
    expect(lines.map((line) => line.trim())).toContain('amount        NGN 5,000.00');
    const dial = await nextActionLines({ ...DIAL, entries: [['session', '77']] }, undefined, await surface(80));
    expect(dial.map((line) => line.trim())).toContain('session  77');
  });

  it('omits unknown values', async () => {
    const bare = { ...TRANSFER, instruction: undefined, bank: '', accountName: '', expiresAt: undefined };
    expect(await nextActionLines(bare, undefined, await surface(80))).toEqual([
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
    await nextActionLines(DIAL, undefined, await surface(width, color, env));

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

  it('is bold, with a QR code if possible', async () => {
    const lines = await shown(80, true, { LANG: 'C.UTF-8', TERM: 'xterm' });
    expect(lines).toContain('  \u001b[1m*737*000*1234#\u001b[22m');
    expect(lines.length).toBeGreaterThan(20);
  });
});

/** Decodes half blocks to modules. */
const modulesOf = (lines: readonly string[]): boolean[][] =>
  lines.flatMap((line) => {
    const [before, after] = ['\u001b[107m\u001b[30m', '\u001b[39m\u001b[49m'];
    const inside = line.slice(before.length, -after.length);
    if (line !== before + inside + after || !/^[█▀▄ ]+$/u.test(inside))
      throw new Error(`no black on white: ${JSON.stringify(line)}`);
    const blocks = [...inside];
    return [
      blocks.map((block) => block === '█' || block === '▀'),
      blocks.map((block) => block === '█' || block === '▄'),
    ];
  });

/** The lines below the data of a code to dial. */
const qrLines = async (code: string, on: Surface): Promise<string[]> => {
  const lines = await nextActionLines({ ...DIAL, instruction: undefined, code }, undefined, on);
  return lines.slice(lines.findLastIndex((line) => /^[-─]+$/.test(stripVTControlCharacters(line))) + 1);
};

describe('the QR code of a dial string', () => {
  const UTF8 = { LANG: 'en_NG.UTF-8' };
  const qr = async (code: string, width = 80, color = true, env: Record<string, string> = UTF8): Promise<string[]> =>
    await qrLines(code, await surface(width, color, env));

  it('is black on white with a border of four modules', async () => {
    const modules = modulesOf(await qr('*737*000*1234#'));
    const size = modules[0]?.length ?? 0;
    expect(modules.length - size).toBe(1);
    modules.forEach((row, y) => {
      row.forEach((dark, x) => {
        const isMargin = Math.min(x, y) < 4 || Math.max(x, y) >= size - 4;
        if (isMargin) expect(dark).toBe(false);
      });
    });
    const finder = modules.slice(4, 11).map((row) =>
      row
        .slice(4, 11)
        .map((dark) => (dark ? '#' : '.'))
        .join(''),
    );
    expect(finder).toEqual(['#######', '#.....#', '#.###.#', '#.###.#', '#.###.#', '#.....#', '#######']);
  });

  it('contains a tel: link with an encoded #', async () => {
    const { encode } = await import('uqr');
    const { data } = encode('tel:*737*000*1234%23', { ecc: 'L', border: 4 });
    expect(modulesOf(await qr('*737*000*1234#')).slice(0, data.length)).toEqual(data);
  });

  it.each<[string, () => Promise<string[]>]>([
    ['without colour', () => qr('*737#', 80, false)],
    ['in a pipe', () => qr('*737#', Number.POSITIVE_INFINITY)],
    ['on a narrow terminal', () => qr('*737#', 28)],
    ['on a dumb terminal', () => qr('*737#', 80, true, { ...UTF8, TERM: 'dumb' })],
    ['for other text', () => qr('*737#;ext=1')],
    ['for oversized text', () => qr('*'.repeat(65))],
  ])('is omitted %s', async (_, lines) => {
    expect(await lines()).toEqual([]);
  });

  it.each([{ LANG: 'C' }, {}, { ...UTF8, LC_ALL: 'POSIX' }])('is omitted with a reason for %j', async (env) => {
    const lines = (await qr('*737#', 80, true, env)).map(stripVTControlCharacters);
    expect(lines).toEqual(['  No QR code: this locale shows ASCII only. --qr draws one with #.']);
  });

  describe('that was requested', () => {
    const asked = async (code: string, width: number, color: boolean, env: Record<string, string>): Promise<string[]> =>
      await qrLines(code, { ...(await surface(width, color, env)), qr: 'always' });

    it('is drawn without colour and in a pipe', async () => {
      expect(await asked('*737#', Number.POSITIVE_INFINITY, false, UTF8)).toHaveLength(15);
    });

    it('is drawn with two # per module in an ASCII locale', async () => {
      const { encode } = await import('uqr');
      const { data } = encode('tel:*737%23', { ecc: 'L', border: 4 });
      const lines = await asked('*737#', 80, false, { LANG: 'C' });
      expect(
        lines.map((line) => Array.from({ length: line.length / 2 }, (_, at) => line.slice(2 * at, 2 * at + 2))),
      ).toEqual(data.map((row) => row.map((dark) => (dark ? '##' : '  '))));
    });

    it.each([
      ['*737#', 57, 'No QR code: it needs 58 columns.'],
      ['*737#;ext=1', 80, "No QR code: a telephone can't dial this code from a link."],
    ])('is omitted with a reason: %s in %d columns', async (code, width, why) => {
      expect(await asked(code, width, false, { LANG: 'C' })).toEqual([`  ${why}`]);
    });
  });

  it('is not drawn with qr: never', async () => {
    expect(await qrLines('*737#', { ...(await surface(80, true, UTF8)), qr: 'never' })).toEqual([]);
  });

  it.each([
    { LC_ALL: 'en_US.utf8', LANG: 'C' },
    { LC_CTYPE: 'UTF-8', LANG: 'C' },
  ])('is drawn with %j', async (env) => {
    expect((await qr('*737#', 29, true, env)).length).toBeGreaterThan(10);
  });
});

it('any other action shows its type and values', async () => {
  expect(await nextActionLines(OTHER, undefined, await surface(40))).toEqual([
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
  [{ ...OTHER, type: 'a\u001b', entries: [['b\n', 'c\u009b']], instruction: '\ud800' }],
] as readonly [NextAction][])('control characters are escaped: %#', async (action) => {
  for (const width of [30, 80, Number.POSITIVE_INFINITY]) {
    const lines = await nextActionLines(action, '\u001b', await surface(width));
    expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Cs}\u202e]/u);
  }
});

it.each([TRANSFER, DIAL, OTHER])('%# fits 30 columns', async (action) => {
  for (const line of await nextActionLines(action, 'NGN 5,000.00', await surface(30))) {
    expect(widthOf(line)).toBeLessThanOrEqual(30);
  }
});

it.each([TRANSFER, DIAL, OTHER, { ...TRANSFER, expiresAt: NOW - MINUTE }])(
  '%# has the same text with and without colour',
  async (action) => {
    for (const width of [30, 80]) {
      const [plain, colored] = [await surface(width), { ...(await surface(width, true)), qr: 'never' as const }];
      const lines = (await nextActionLines(action, 'NGN 5', colored)).map(stripVTControlCharacters);
      expect(lines).toEqual(await nextActionLines(action, 'NGN 5', plain));
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
