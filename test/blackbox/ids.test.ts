import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { errorOf, newFolder } from '../support/program.ts';
import { json, serveAllBy, ugwo } from '../support/service.ts';
import { chargeFrom, csvOf, fileOf, once, postsOf, serveCharges, ugwoOf } from './bulk-support.ts';

const [UGW, ONY, ACT, CHK] = ['ugw', 'ony', 'act', 'chk'].map((kind) => `${kind}.AbCd.${'1'.padStart(24, '0')}`);
const env = { PAYCLI_BASE_URL: 'https://api.example.com', PAYCLI_SECRET_KEY: 'sk.AbCd.x' };
const run = (args: readonly string[]) => inProcess(args, { env, home: newFolder() });

/** Forms in which people copy an id. */
const FORMS: readonly [string, (id: string) => string][] = [
  ['with whitespace', (id) => ` \t${id}\u00a0\n`],
  ['in a link', (id) => `https://pay.example.com/x/${id}?lang=en#top`],
  ['in an API path', (id) => `/v1/things/${id}/more`],
  ['in a query string', (id) => `https://pay.example.com/?pk=a&id=${id}`],
];

/** Commands that take an id as their last argument. */
const COMMANDS: readonly (readonly [line: string, id: string | undefined])[] = [
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
  it.each(COMMANDS)('is accepted by `%s`', async (line, id = '') => {
    const plain = await run([...line.split(' '), id, '--as-curl']);
    expect(plain).toMatchObject({ code: 0, stdout: expect.stringContaining(id) });
    expect(await run([...line.split(' '), form(id), '--as-curl'])).toEqual(plain);
  });

  it('is accepted as one of several', async () => {
    const plain = await run(['watch', UGW ?? '', UGW ?? '']);
    expect(plain).toMatchObject({ code: 2, stderr: expect.stringContaining(`no charge of ${UGW}`) });
    expect(await run(['watch', UGW ?? '', form(UGW ?? '')])).toEqual(plain);
  });

  it.each([
    ['ledger list --ugwo', UGW],
    ['webhook events list --ugwo', UGW],
    ['ugwo list --as-curl --customer', ONY],
  ])('is accepted by `%s`', async (line, id = '') => {
    expect(await run([...line.split(' '), form(id)])).toMatchObject({ code: 0 });
  });

  it('is accepted in the column ugwo, and identifies the same request in every form', async () => {
    const service = await serveCharges();
    const rows = [{ ugwo: form(ugwoOf(1)) }, { ugwo: ugwoOf(2) }].map((row) =>
      JSON.stringify({ ...row, medium: 'bank_transfer' }),
    );
    const ended = await chargeFrom(fileOf(`${rows.join('\n')}\n`, 'a.ndjson'), { service, home: newFolder() });
    expect(ended.code, ended.stderr).toBe(0);
    expect(postsOf(service)).toEqual(once(1, 2));
    const twice = fileOf(csvOf('ugwo,medium', `"${form(ugwoOf(1))}",ussd`, `${ugwoOf(1)},ussd`));
    const refused = await chargeFrom(twice, { service, home: newFolder() }, '--provider', 'gtb');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('duplicate of row 1') });
    const [checked, file] = [await serveCharges(), fileOf(csvOf('ugwo,medium', `"${form(ugwoOf(3))}",bank_transfer`))];
    expect(await chargeFrom(file, { service: checked, home: newFolder() }, '--check')).toMatchObject({ code: 0 });
    expect(checked.looks.map(({ url }) => url)).toEqual(Array(checked.looks.length).fill(`/v1/ugwo/${ugwoOf(3)}`));
  });

  it('is accepted in other columns', async () => {
    const service = await serveAllBy(() => json(200, ugwo(1)));
    const row = { ref: 'a', amount: '5000.00', currency: 'NGN', customer: form(ONY ?? ''), checkout: form(CHK ?? '') };
    const file = fileOf(`${JSON.stringify(row)}\n`, 'a.ndjson');
    const ended = await inProcess(['ugwo', 'create', '--from', file], { service, home: newFolder() });
    expect(ended.code, ended.stderr).toBe(0);
    expect(JSON.parse(service.seen[0]?.body ?? '{}')).toMatchObject({ onye: ONY, checkout: CHK });
    const refunds = fileOf(`${JSON.stringify({ activity: ACT, ugwo: form(ugwoOf(1)) })}\n`, 'b.ndjson');
    const dry = ['refund', 'create', '--from', refunds, '--all-of-it', '--dry-run'];
    expect(await inProcess(dry, { service, home: newFolder() })).toMatchObject({ code: 0 });
  });

  it('of another kind is named in the error', async () => {
    const ended = await run(['ugwo', 'get', form(ACT ?? ''), '--json']);
    expect(ended.code).toBe(2);
    expect(errorOf(ended)['message']).toMatch(/^"act\.AbCd\.0+1" is the identifier of an activity, not of/);
  });
});

it.each([
  ['https://pay.example.com/a', 'no id'],
  [`https://pay.example.com/${UGW}/${UGW}x`, 'two ids'],
])('a link with %s is rejected: %s', async (link) => {
  const ended = await run(['ugwo', 'get', link, '--json']);
  expect(errorOf(ended)['message']).toContain(`"${link}" is not the identifier of a payment request`);
});

it.each([
  ['a path of another kind', `${UGW}/b`],
  ['a name beside it', `a/${UGW}`],
  ['a slash at its end', `${UGW}/`],
  ['a path of another version', `/v2/ugwo/${UGW}`],
])('an id in a text with %s is rejected: %s', async (_what, text) => {
  const ended = await run(['ugwo', 'get', text, '--json']);
  expect(ended.code).toBe(2);
  expect(errorOf(ended)['message']).toBe(
    `"${text}" is not the identifier of a payment request (ugwo): ugw.XXXX.YYYY…, alone, in a URL, or in a path that starts with /v1/`,
  );
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
  const ended = await run([...line.split(' '), '--json']);
  expect(ended.code).toBe(2);
  expect(errorOf(ended)['message']).toContain(message);
});
