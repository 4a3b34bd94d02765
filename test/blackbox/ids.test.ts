import { describe, expect, it } from 'vitest';
import { scene } from '../support/scene.ts';
import { json, ugwo } from '../support/service.ts';
import { charging, csvOf, fileOf, serveCharges, ugwoOf } from './bulk-support.ts';

const idOf = (kind: string): string => `${kind}.AbCd.${'1'.padStart(24, '0')}`;
const [UGW, ONY, ACT, CHK] = [idOf('ugw'), idOf('ony'), idOf('act'), idOf('chk')];
const env = { PAYCLI_BASE_URL: 'https://api.example.com', PAYCLI_SECRET_KEY: 'sk.AbCd.x' };

/** Forms in which people copy an id. */
const FORMS: readonly [string, (id: string) => string][] = [
  ['with whitespace', (id) => ` \t${id}\u00a0\n`],
  ['in a link', (id) => `https://pay.example.com/x/${id}?lang=en#top`],
  ['in an API path', (id) => `/v1/things/${id}/more`],
  ['in a query string', (id) => `https://pay.example.com/?pk=a&id=${id}`],
];

/** Commands that take an id as their last argument. */
const COMMANDS: readonly (readonly [line: string, id: string])[] = [
  ['ugwo get', UGW],
  ['ugwo cancel --yes', UGW],
  ['ugwo charge --medium bank_transfer', UGW],
  ['ugwo create --amount 5.00 --currency NGN --checkout', CHK],
  ['ugwo create --amount 5.00 --currency NGN --customer', ONY],
  ['onye get', ONY],
  ['onye delete', ONY],
  ['onye update --email a@example.com', ONY],
  ['checkout get', CHK],
  ['refund create', ACT],
];

describe.each(FORMS)('an id %s', (_form, form) => {
  it.each(COMMANDS)('is accepted by `%s`', async (line, id) => {
    const argv = (text: string) => [...line.split(' '), text, '--as-curl'];
    const { stdout, stderr } = await scene({ env, argv: argv(id), stdout: [id], stderr: /^/ });
    await scene({ env, argv: argv(form(id)), stdout, stderr });
  });

  it('is accepted as one of several', async () => {
    const { stderr } = await scene({ env, argv: ['watch', UGW, UGW], exit: 2, stderr: [`no charge of ${UGW}`] });
    await scene({ env, argv: ['watch', UGW, form(UGW)], exit: 2, stderr });
  });

  it.each([
    ['ledger list --ugwo', UGW],
    ['webhook events list --ugwo', UGW],
    ['ugwo list --as-curl --customer', ONY],
  ])('is accepted by `%s`', async (line, id) => {
    await scene({ env, argv: [...line.split(' '), form(id)], stderr: /^/ });
  });

  it('is accepted in the column ugwo, and identifies the same request in every form', async () => {
    const rows = [form(ugwoOf(1)), ugwoOf(2)].map((id) => JSON.stringify({ ugwo: id, medium: 'bank_transfer' }));
    await scene({
      service: serveCharges(),
      argv: charging(fileOf(`${rows.join('\n')}\n`, 'a.ndjson'), '--concurrency', '1'),
      requests: [1, 2].map((number) => `POST /v1/ugwo/${ugwoOf(number)}/activities`),
    });
    const twice = fileOf(csvOf('ugwo,medium', `"${form(ugwoOf(1))}",ussd`, `${ugwoOf(1)},ussd`));
    const violations = [{ row: 2, column: 'ugwo', title: /duplicate of row 1/ }];
    await scene({ service: [], argv: charging(twice, '--provider', 'gtb'), exit: 2, error: { violations } });
    const file = fileOf(csvOf('ugwo,medium', `"${form(ugwoOf(3))}",bank_transfer`));
    const { service } = await scene({ service: serveCharges(), argv: charging(file, '--check') });
    expect(new Set(service?.looks.map(({ url }) => url))).toEqual(new Set([`/v1/ugwo/${ugwoOf(3)}`]));
  });

  it('is accepted in other columns', async () => {
    const row = { ref: 'a', amount: '5000.00', currency: 'NGN', customer: form(ONY), checkout: form(CHK) };
    await scene({
      service: [json(200, ugwo(1))],
      argv: ['ugwo', 'create', '--from', fileOf(`${JSON.stringify(row)}\n`, 'a.ndjson')],
      stderr: 'note: row 1: the answer shows NGN 5,000.01, not NGN 5,000.00\n',
      requests: [`POST /v1/ugwo {"amount":500000,"currency":"NGN","onye":"${ONY}","ref":"a","checkout":"${CHK}"}`],
    });
    const refunds = fileOf(`${JSON.stringify({ activity: ACT, ugwo: form(ugwoOf(1)) })}\n`, 'b.ndjson');
    const argv = ['refund', 'create', '--from', refunds, '--all-of-it', '--dry-run'];
    await scene({ service: () => json(200, ugwo(1)), looks: 'asked', argv, stderr: /^/ });
  });

  it('of another kind is named in the error', async () => {
    const message = /^"act\.AbCd\.0+1" is the identifier of an activity, not of/;
    await scene({ env, argv: ['ugwo', 'get', form(ACT), '--json'], exit: 2, error: { message } });
  });
});

it.each([
  ['a link without an id', 'https://pay.example.com/a'],
  ['a link with two ids', `https://pay.example.com/${UGW}/${UGW}x`],
  ['an id with a path of another kind', `${UGW}/b`],
  ['an id with a name beside it', `a/${UGW}`],
  ['an id with a slash at its end', `${UGW}/`],
  ['an id in a path of another version', `/v2/ugwo/${UGW}`],
])('%s is rejected: %s', async (_what, text) => {
  const message = `"${text}" is not the identifier of a payment request (ugwo): ugw.XXXX.YYYY…, alone, in a URL, or in a path that starts with /v1/`;
  await scene({ env, argv: ['ugwo', 'get', text, '--json'], exit: 2, error: { message } });
});

it.each([
  ['checkout providers', "missing required argument 'checkout': the checkout, chk.…"],
  ['checkout providers ussd', "missing required argument 'checkout': the checkout, chk.…"],
  [`checkout providers https://x.example/${CHK}`, "missing required argument 'medium': "],
  ['config set', "missing required argument 'setting': the name of the setting"],
  ['config set columns', "missing required argument 'value': the value of the setting, such as ussd for medium"],
  ['ugwo get', "missing required argument 'ugwo': the payment request, ugw.…"],
  ['payment get', "missing required argument 'ugwo': the payment request, ugw.…"],
])('`%s` names the missing argument', async (line, message) => {
  const error = { message: expect.stringContaining(message) };
  await scene({ env, argv: [...line.split(' '), '--json'], exit: 2, error });
});
