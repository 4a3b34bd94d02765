import { describe, expect, it } from 'vitest';
import { parseArgv } from '../../src/cli/program.ts';
import { NOUNS } from '../../src/commands/all.ts';
import { update as updateCustomers } from '../../src/commands/onye/update.ts';
import type { UpdateInput } from '../../src/commands/onye/update-spec.ts';
import { updateCommand } from '../../src/commands/onye/update-spec.ts';
import type { Run } from '../../src/commands/run.ts';
import { PayError } from '../../src/core/error.ts';
import { errorBlock } from '../../src/output/error.ts';
import { bench } from '../client/support.ts';
import { pipe } from '../output/support.ts';
import type { Answer, Service } from '../support/service.ts';
import { json, ONYE_ID, problem, serve } from '../support/service.ts';

/** A customer in the service's format; `meta` is JSON text, because doubles lose digits. */
const customer = (meta: string | undefined): Answer =>
  json(200, `{"uid":"${ONYE_ID}","email":"ada@example.com"${meta === undefined ? '' : `,"meta":${meta}`}}`);

const asked = ({ seen }: Service): string[] =>
  seen.map(({ method, body }) => (body === '' ? method : `${method} ${body}`));

/** Runs a command line from parsing to requests; a person confirms. */
const update = async (words: readonly string[], answers: readonly Answer[], person = false) => {
  const service = await serve(answers);
  const questions: string[] = [];
  const deps = (globals: Run['globals']) => ({
    globals,
    io: {
      stdin: { isTerminal: person },
      stderr: { isTerminal: person },
      signals: { stop: new AbortController().signal },
    },
    client: async () => bench(service.origin, { validate: globals.validate }).client,
    ask: async (lines: string[]) => void questions.push(lines.join(' ')),
  });
  const parsed = parseArgv(['onye', 'update', ...words], [updateCommand], { version: '', env: {}, nouns: NOUNS });
  try {
    if (parsed.kind !== 'run') throw parsed.kind === 'error' ? parsed.error : parsed;
    const result = await updateCustomers(parsed.input as UpdateInput, deps(parsed.globals) as unknown as Run);
    return { service, questions, result };
  } catch (thrown) {
    if (!(thrown instanceof PayError)) throw thrown;
    const said = await errorBlock(thrown, { color: false, io: pipe() });
    return { service, questions, kind: thrown.kind, said };
  }
};

describe('the body of an update', () => {
  it.each([
    [['--meta', 'tier=vip', '--meta', 'visits:=3', '--meta', 'a=b=c'], '{"meta":{"tier":"vip","visits":3,"a":"b=c"}}'],
    [['--clear-meta'], '{"meta":{}}'],
    [['--meta-json', '{"a":{"b":[1,null]}}'], '{"meta":{"a":{"b":[1,null]}}}'],
    [['--data', '{"locale":"en_NG","n":12345678901234567890}'], '{"locale":"en_NG","n":12345678901234567890}'],
    [
      ['--data', '{"email":"x@y.z","extra":true}', '--email', 'ada@example.com'],
      '{"email":"ada@example.com","extra":true}',
    ],
    [
      ['--address', '1 Broad St', '--address2', '', '--zip', '101', '--country', 'NG'],
      '{"billing_address":{"address":"1 Broad St","address2":"","zip":"101","country":"NG"}}',
    ],
    [
      ['--clear', 'ref', '--clear', 'first-name', '--clear', 'meta', '--last-name', 'Obi'],
      '{"last_name":"Obi","ref":"","first_name":"","meta":{}}',
    ],
    [['--email', '"a b"@example.com'], '{"email":"\\"a b\\"@example.com"}'],
    [['--email', 'ada@localhost'], '{"email":"ada@localhost"}'],
    [['--email', 'añ@ëxample.com'], '{"email":"añ@ëxample.com"}'],
  ])('for %j is %s', async (words, body) => {
    expect(asked((await update([ONYE_ID, ...words], [customer('{}')])).service)).toEqual([`PATCH ${body}`]);
  });
});

describe('an invalid update', () => {
  it.each([
    [[ONYE_ID], /nothing to change/],
    [[ONYE_ID, '--data', '{}'], /nothing to change/],
    [['--email', 'a@b.c'], /missing required argument 'onye'/],
    [['ugw.AbCd.x1', '--email', 'a@b.c'], /is the identifier of a payment request/],
    [[ONYE_ID, '--billing-address', '{"zip":5}'], /--billing-address \(billing_address.zip\): should be text/],
    [[ONYE_ID, '--data', '{"ref":5}'], /--data \(ref\): should be text/],
    [[ONYE_ID, '--email', 'ada'], /--email.*not a valid e-mail address/s],
    [[ONYE_ID, '--first-name', 'é'.repeat(101)], /--first-name.*at most 100/s],
    [[ONYE_ID, '--ref', 'x'.repeat(151)], /--ref.*at most 150/s],
    [[ONYE_ID, '--billing-address', '{"country":"NGA"}'], /--billing-address.*two-letter/s],
    [[ONYE_ID, '--data', '{'], /--data: not JSON/],
    [[ONYE_ID, '--data', '{"billing_address":1.50}'], /--data \(billing_address\).*object/],
    [[ONYE_ID, '--meta-json', '[]'], /--meta-json: must be a JSON object/],
    [[ONYE_ID, '--meta', 'tier'], /--meta: "tier" is not key=value/],
    [[ONYE_ID, '--meta', 'a=1', '--meta', 'a=2'], /"a" is given twice/],
    [[ONYE_ID, '--meta', 'a=1', '--clear-meta'], /can't be used together/],
    [[ONYE_ID, '--data', '-', '--meta-json', '-'], /only one option can read standard input/],
    [[ONYE_ID, '--data', '@/nowhere.json'], /nowhere\.json can't be read/],
    [[ONYE_ID, '--emial', 'a@b.c'], /--emial.*--email/s],
    [[ONYE_ID, ONYE_ID, '--email', 'a@b.c'], /too many arguments/],
    [[ONYE_ID, '--clear', 'email'], /--clear: a customer always has an e-mail address/],
    [[ONYE_ID, '--clear', 'billing_address'], /--clear: the service takes no empty address/],
    [[ONYE_ID, '--clear', 'colour'], /"colour" is no field .* cleared: ref, first_name, last_name, meta\n$/s],
    [[ONYE_ID, '--clear', 'constructor'], /--clear: "constructor" is no field that can be cleared/],
    [[ONYE_ID, '--clear', 'ref', '--ref', 'a'], /--clear ref and --ref can't be used together/],
    [[ONYE_ID, '--clear', 'meta', '--meta', 'a=b'], /can't be used together/],
    [[ONYE_ID, '--city', 'Lagos', '--billing-address', '{}'], /--billing-address and --city can't be used together/],
    [[ONYE_ID, '--city', ''], /the service would refuse this/],
    [[ONYE_ID, '--merge-meta', 'a=1', '--meta', 'b=2'], /can't be used together/],
    [[ONYE_ID, '--unset-meta', 'a', '--clear-meta'], /can't be used together/],
    [[ONYE_ID, '--merge-meta', 'a=1', '--meta-json', '{}'], /can't be used together/],
    [[ONYE_ID, '--merge-meta', 'a=1', '--unset-meta', 'a'], /"a" is in both --merge-meta and --unset-meta/],
    [[ONYE_ID, '--merge-meta', 'a=1', '--merge-meta', 'a:=2'], /--merge-meta: "a" is given twice/],
    [[ONYE_ID, '--merge-meta', 'a=1', '--data', '{"meta":{}}'], /--data sets "meta"/],
    [[ONYE_ID, '--unset-meta', ''], /--unset-meta.*empty/],
    [[ONYE_ID, '--merge-meta', 'a=1', '--email', 'ada'], /--email.*not a valid e-mail address/s],
  ])('%j is a usage error', async (words, message) => {
    const { service, kind, said } = await update(words, []);
    expect([kind, said]).toEqual(['usage', expect.stringMatching(message)]);
    expect(service.connections()).toBe(0);
  });
});

describe('merged metadata', () => {
  it('preserves the digits of kept keys', async () => {
    const before = customer('{"big":12345678901234567890,"r":1.50,"deep":{"e":[1e2]}}');
    const { service } = await update([ONYE_ID, '--merge-meta', 'x=1'], [before, customer('{}')]);
    expect(service.seen[1]?.body).toBe('{"meta":{"big":12345678901234567890,"r":1.50,"deep":{"e":[1e2]},"x":"1"}}');
  });

  it.each(['[]', '{}', 'null'])('starts empty if the read shows %s', async (meta) => {
    const { service } = await update([ONYE_ID, '--merge-meta', 'a=1'], [customer(meta), customer('{}')]);
    expect(asked(service)).toEqual(['GET', 'PATCH {"meta":{"a":"1"}}']);
  });

  it.each<[string, Answer]>([
    ['404 (no such customer, or it has no such read)', problem(404, 'onye.error.not_found')],
    ['404 (no such customer, or it has no such read)', json(404, 'x')],
    ['405 (it has no such read)', problem(405, 'No')],
  ])('is rejected if the read is answered with %s', async (why, answer) => {
    const { kind, said } = await update([ONYE_ID, '--merge-meta', 'a=1'], [answer]);
    expect([kind, said?.replaceAll(/\s+/g, ' ')]).toEqual([
      'rejected',
      expect.stringContaining(`${why}; nothing was sent`),
    ]);
  });

  it.each<[string, Answer, string]>([
    ['401', problem(401, 'No'), 'auth'],
    ['a redirect', json(302, {}), 'read_failed'],
    ['metadata as a list', customer('["a"]'), 'read_failed'],
    ['no metadata', customer(undefined), 'read_failed'],
  ])('is not sent if the read ends with %s', async (_what, answer, kind) => {
    expect(await update([ONYE_ID, '--merge-meta', 'a=1'], [answer])).toMatchObject({ kind });
  });
});

describe('replaced metadata on a terminal', () => {
  const KEYS = 'These metadata keys would be lost (--merge-meta keeps them): a, "b\\u001b[2J" Replace all metadata?';
  const UNSHOWN = "The service doesn't show the metadata that would be lost. Replace all metadata?";

  it.each<[readonly string[], string]>([
    [['--meta', 'c=3'], '{"meta":{"c":"3"}}'],
    [['--meta-json', '{"c":3}'], '{"meta":{"c":3}}'],
    [['--clear-meta'], '{"meta":{}}'],
    [['--data', '{"meta":{"c":3}}'], '{"meta":{"c":3}}'],
  ])('by %j needs confirmation that names the lost keys', async (words, body) => {
    const before = customer('{"a":"1","b\\u001b[2J":"2","c":"3"}');
    const keys = words[0] === '--clear-meta' ? KEYS.replace('2J"', '2J", c') : KEYS;
    const { service, questions } = await update([ONYE_ID, ...words], [before, customer('{}')], true);
    expect(questions).toEqual([keys]);
    expect(asked(service)).toEqual(['GET', `PATCH ${body}`]);
  });

  it.each(['{"c":"1"}', '{}', '[]'])('needs no confirmation if %s loses no key', async (meta) => {
    const { questions } = await update([ONYE_ID, '--meta', 'c=3'], [customer(meta), customer('{}')], true);
    expect(questions).toEqual([]);
  });

  it.each<[string, Answer]>([
    ['does not exist (405)', problem(405, 'No')],
    ['finds no such customer (404)', problem(404, 'No')],
    ['shows no metadata', customer(undefined)],
  ])('needs a general confirmation if the read %s', async (_what, answer) => {
    const { questions } = await update([ONYE_ID, '--meta', 'c=3'], [answer, customer('{}')], true);
    expect(questions).toEqual([UNSHOWN]);
  });

  it('is not sent if the read fails', async () => {
    expect(await update([ONYE_ID, '--meta', 'c=3'], [problem(401, 'No')], true)).toMatchObject({ kind: 'auth' });
  });

  it.each(['--yes', '--no-input'])('is sent unchanged with %s', async (flag) => {
    const { service, questions, result } = await update([ONYE_ID, '--meta', 'c=3', flag], [customer('{}')], true);
    expect([questions, asked(service)]).toEqual([[], ['PATCH {"meta":{"c":"3"}}']]);
    expect(result).toMatchObject({ notice: 'All metadata was replaced, not merged.' });
  });
});
