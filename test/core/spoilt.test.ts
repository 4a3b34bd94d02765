import { expect, it } from 'vitest';
import { isLeftover, spoiltIn, spoiltWords } from '../../src/core/spoilt.ts';

const ROUNDED = 'was rounded by a spreadsheet: format the column as text and type it again';
const ERROR = "is a spreadsheet's error, not a value: fix its formula";
const TRUNK = 'has a 0 after the country code, which is dialled only at home: write';
const BLANK = 'has a blank at its beginning or end, as copying leaves it: write';
const AROUND = 'has something around the address, as copying leaves it: write';
const ESCAPE = 'has an escape that stands in CSV for a character that is not shown: take the value from -o json';

it.each([
  ['ref', '2.02611E+16', ROUNDED],
  ['meta.account', '2,02611E+16', ROUNDED],
  ['ref', '2E+16', ROUNDED],
  ['ref', '7.36E-05', ROUNDED],
  ['ref', '-2.5e7', ROUNDED],
  ['first_name', '#N/A', ERROR],
  ['first_name', '#NAME?', ERROR],
  ['first_name', '#REF!', ERROR],
  ['first_name', '#ÜBERLAUF!', ERROR],
  ['ref', '####', 'was too long for its column in a spreadsheet: widen the column and save again'],
  ['last_name', 'Bj\ufffdrn', 'has lost characters: save the file as UTF-8 and type it again'],
  ['last_name', '\\u200fLevi', ESCAPE],
  ['last_name', 'a\\x1b[2J', ESCAPE],
  ['first_name', ' Ada', `${BLANK} "Ada"`],
  ['first_name', 'Ada Bello\u00a0\u00a0', `${BLANK} "Ada Bello"`],
  ['email', '\u200bada@example.com', `${BLANK} "ada@example.com"`],
  ['email', 'mailto:ada@example.com', `${AROUND} "ada@example.com"`],
  ['onye_email', '<ada@example.com>,', `${AROUND} "ada@example.com"`],
  ['phone', 'tel:+233241234567', 'is a link: write "+233241234567"'],
  ['phone', '+2340803123456', `${TRUNK} "+234803123456"`],
  ['phone', '+233 (0) 24 123 4567', `${TRUNK} "+23324 123 4567"`],
  ['phone', '+4407700900123', `${TRUNK} "+447700900123"`],
  [
    'account_number',
    '736251840',
    'has 9 digits of 10: a spreadsheet has probably dropped a leading 0: write "0736251840"',
  ],
  ['account_number', '1736251840.00', 'was formatted as a number by a spreadsheet: write "1736251840"'],
])('spoiltIn detects %s %j', (path, text, cause) => {
  const names = path.split('.');
  const body = names.reduceRight<unknown>((value, name) => ({ [name]: value }), text);
  expect(spoiltIn([{ ok: 'x' }, body])).toEqual([
    { propertyPath: `1.${path}`, title: `${JSON.stringify(text)} ${cause}` },
  ]);
});

it.each([
  ['ref', '2E16'],
  ['ref', 'E+16'],
  ['ref', '12.5E+3'],
  ['ref', 'INV-2.0E+1'],
  ['ref', "'=1"],
  ['ref', '#1'],
  ['ref', '#VIP'],
  ['ref', '##'],
  ['ref', '736251840'],
  ['ref', '+2340803123456'],
  ['first_name', 'Ada Bello'],
  ['first_name', ''],
  ['first_name', ' '],
  ['description', 'C:\\users\\ada'],
  ['phone', '+2348031234567'],
  ['phone', '+390612345678'],
  ['phone', '+22901234567'],
  ['account_number', '0736251840'],
])('spoiltWords accepts %s %j', (name, text) => {
  expect(spoiltWords(text, name)).toBeUndefined();
});

it('spoiltWords is short for a long value', () => {
  expect(spoiltWords(`${' '.repeat(5000)}x`, 'ref')?.length).toBeLessThan(1000);
});

it.each([
  ...[
    'nan',
    'NaN',
    'NaT',
    'NULL',
    'null',
    'Null',
    'None',
    'undefined',
    'nil',
    'NA',
    '<NA>',
    'N/A',
    'n/a',
    '(null)',
    '\\N',
  ],
  ...[
    'Invalid Date',
    '[object Object]',
    '{{first_name}}',
    '$' + '{name}',
    'O&#39;Brien',
    'Ada &amp; Obi',
    'Ad\u00c3\u00a9',
  ],
  ...['a_x000D_'],
])('isLeftover detects %j', (text) => {
  expect(isLeftover(text, 'first_name')).toBe(true);
});

it.each(['Nan', 'Na', 'Nat', 'Nulla', 'no', 'A & B', '{x}', 'S\u00c3O', '1001.0', ''])(
  'isLeftover accepts %j',
  (text) => {
    expect(isLeftover(text, 'first_name')).toBe(false);
  },
);

it('isLeftover knows decimals in a reference, and the country NA', () => {
  expect([isLeftover('1001.0', 'ref'), isLeftover('1.0', 'ref'), isLeftover('1001.5', 'ref')]).toEqual([
    true,
    false,
    false,
  ]);
  expect(isLeftover('NA', 'billing_address.country')).toBe(false);
});
