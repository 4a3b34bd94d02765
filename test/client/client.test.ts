import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type { AttemptResult } from '../../src/client/transport.ts';
import { operations } from '../../src/contract/operations.ts';
import type { PayError } from '../../src/core/error.ts';
import type { ApiRecord } from '../../src/core/record.ts';
import { ACTIVITY, ONYE_ID, UGWO_ID, ugwo } from '../support/service.ts';
import { answer, EXCESS, large, type Script, scripted, whole } from './scripted.ts';
import { thrownBy } from './support.ts';

const CHARGE = { params: { ugwoUid: UGWO_ID }, body: { type: 'charge', data: { medium: 'bank_transfer' } } };
const READ = { params: { uid: UGWO_ID } };
const FOUND = answer(200, whole({ ...ugwo(1), uid: UGWO_ID }));

/** A client with scripted attempts, and its notices. */
const clientOf = (
  outcomes: readonly AttemptResult[],
  script: Script = {},
  validate = true,
  state: { known?: ApiRecord } = {},
) => {
  const { context, transport, ...seen } = scripted(outcomes, script);
  const notices: string[] = [];
  let closed = 0;
  const close = async (): Promise<void> => {
    closed += 1;
  };
  const notice = (line: string): void => void notices.push(line);
  const client = createClient({
    ...context,
    notice,
    transport: { ...transport, close },
    validate,
    state,
  });
  return { client, notices, closed: () => closed, ...seen };
};

describe('preview and check', () => {
  it('return the request with its body and send nothing', () => {
    const { client, attempts } = clientOf([]);
    expect(client.preview('ugwo.charge', CHARGE)).toEqual({
      method: 'POST',
      url: `https://pay.example/v1/ugwo/${UGWO_ID}/activities`,
      body: CHARGE.body,
    });
    expect(client.preview('ugwo.list', { query: { limit: '5' } })).toEqual({
      method: 'GET',
      url: 'https://pay.example/v1/ugwo?limit=5',
    });
    expect(attempts).toEqual([]);
  });

  it('have an empty body if none is given or required', () => {
    const { client } = clientOf([], {}, false);
    expect(client.preview('onye.update', { params: { uid: ONYE_ID } }).body).toEqual({});
    expect(client.check('ugwo.charge', CHARGE)).toEqual({
      path: `/v1/ugwo/${UGWO_ID}/activities`,
      body: JSON.stringify(CHARGE.body),
      effect: operations['ugwo.charge'].effect,
    });
  });

  it.each([
    [{ params: { uid: '..' } }, '".." can\'t be used as uid'],
    [{ params: {} }, '"" can\'t be used as uid'],
    [{}, '"" can\'t be used as uid'],
  ])('reject %j', async (input, message) => {
    const { client, attempts } = clientOf([]);
    expect(await thrownBy(client.call('ugwo.get', input))).toMatchObject({ kind: 'usage', message });
    expect(attempts).toEqual([]);
  });

  it('reject input that the service would reject', async () => {
    const { client } = clientOf([]);
    const thrown = await thrownBy(client.call('ugwo.list', { query: { limit: '0' } }));
    expect(thrown).toMatchObject({
      kind: 'usage',
      message: 'the service would refuse this, so nothing was sent',
      detail: { hint: 'fix the value, then run the command again' },
    });
    expect((thrown as PayError).detail.violations).toHaveLength(1);
  });

  it('the client exposes its time limits', () => {
    const { client } = clientOf([]);
    expect([client.longestAttempt, client.longestWrite]).toEqual([5000, 505_000]);
  });
});

it('a record that is known answers the next request alone, and only a read of the same object', async () => {
  const known = { value: ugwo(1), text: '' };
  const [same, other] = [{ params: { uid: known.value['uid'] as string } }, READ];
  const state: { known?: ApiRecord } = { known };
  const found = answer(200, whole(known.value));
  const { client, attempts } = clientOf([found, FOUND, found], {}, true, state);
  expect(await client.call('ugwo.get', same)).toBe(known);
  await client.call('ugwo.get', same);
  expect(attempts).toHaveLength(1);
  state.known = known;
  expect((await client.call('ugwo.get', other)).value).toMatchObject({ uid: UGWO_ID });
  await client.call('ugwo.get', same);
  expect(attempts).toHaveLength(3);
});

describe('look', () => {
  it('returns the record', async () => {
    const { client } = clientOf([FOUND]);
    expect((await client.look('ugwo.get', READ))?.value).toMatchObject({ uid: UGWO_ID });
  });

  it.each<[string, AttemptResult]>([
    ['404', answer(404)],
    ['405', answer(405)],
    ['501', answer(501)],
  ])('returns undefined for %s', async (_what, outcome) => {
    const { client } = clientOf([outcome]);
    expect(await client.look('ugwo.get', READ)).toBeUndefined();
  });

  it.each<[string, AttemptResult, string]>([
    ['401', answer(401), 'auth'],
    ['403', answer(403), 'auth'],
    ['422', answer(422), 'rejected'],
    ['invalid JSON', answer(200, { fault: 'the answer is not JSON' }), 'read_failed'],
  ])('fails for %s', async (_what, outcome, kind) => {
    const { client } = clientOf([outcome]);
    expect(await thrownBy(client.look('ugwo.get', READ))).toMatchObject({ kind });
  });

  it.each([
    ['another payment request', ugwo(7)],
    ['a list', { data: [], next_cursor: null }],
  ])('returns undefined for %s, and fails for it on a live service if it must exist', async (_what, value) => {
    const found = answer(200, whole(value));
    const { client } = clientOf([found, found]);
    expect(await client.look('ugwo.get', READ)).toBeUndefined();
    const failed = thrownBy(client.look('ugwo.get', READ, { mustExist: true }));
    expect(await failed).toMatchObject({ kind: 'read_failed' });
  });

  it('rethrows other exceptions', async () => {
    const broken = new TypeError('broken');
    const onSend = (): never => {
      throw broken;
    };
    const { client } = clientOf([FOUND], { onSend });
    expect(await thrownBy(client.look('ugwo.get', READ))).toBe(broken);
  });
});

describe('a note on an answer', () => {
  const other = answer(200, whole({ uid: 'ony.AbCd.other' }));
  const UPDATE = { params: { uid: ONYE_ID }, body: { first_name: 'Ada' } };

  it('names the other object in the answer to a write, once', async () => {
    const { client, notices } = clientOf([other, other]);
    await client.call('onye.update', UPDATE);
    await client.call('onye.update', UPDATE);
    expect(notices).toEqual(['note: the service answered with another customer (onye), ony.AbCd.other']);
  });

  it('is not made for the object itself, nor for values that nobody can read', async () => {
    const { client, notices } = clientOf([
      answer(200, whole({ uid: ONYE_ID })),
      answer(200, whole({ ...ACTIVITY, status: { code: 7 } })),
    ]);
    await client.call('onye.update', UPDATE);
    await client.call('ugwo.charge', CHARGE);
    expect(notices).toEqual([]);
  });

  it('may be its size: only the main fields are read', async () => {
    const { client, notices } = clientOf([answer(200, large(ACTIVITY))]);
    await client.call('ugwo.charge', CHARGE);
    expect(notices).toEqual([`note: ${EXCESS}; only its main fields are read and shown`]);
  });
});

it('pages repeats the query with each cursor', async () => {
  const pageOf = (number: number, cursor: string | null): AttemptResult =>
    answer(200, whole({ data: [ugwo(number)], next_cursor: cursor }));
  const { client, attempts } = clientOf([pageOf(1, 'a b'), pageOf(2, null)]);
  const cursors: unknown[] = [];
  for await (const { cursor } of client.pages('ugwo.list', { query: { limit: '1' } }, {})) cursors.push(cursor);
  expect(attempts.map(({ path }) => path)).toEqual(['/v1/ugwo?limit=1', '/v1/ugwo?limit=1&cursor=a+b']);
  expect(cursors).toEqual([undefined, 'a b']);
});

it('an invalid request is sent with validation off', async () => {
  const { client, attempts } = clientOf([answer(422)], {}, false);
  expect(await thrownBy(client.call('ugwo.list', { query: { limit: '0' } }))).toMatchObject({ kind: 'rejected' });
  expect(attempts).toHaveLength(1);
});

it('a value that looks spoilt is sent again if it was copied from a read, and not if it was typed', async () => {
  const [spoilt, typed] = [{ account: '2.02611E+16' }, { note: 'x' }];
  const input = { params: { uid: ONYE_ID }, body: { meta: { ...spoilt, ...typed } } };
  const { client, attempts } = clientOf([answer(200, whole({ uid: ONYE_ID }))]);
  expect(await thrownBy(client.call('onye.update', input))).toMatchObject({ kind: 'usage' });
  expect(attempts).toEqual([]);
  await client.call('onye.update', { ...input, typed: { meta: typed } });
  expect(attempts).toHaveLength(1);
});

it('an invalid charge is not sent', async () => {
  const { client, attempts } = clientOf([]);
  const body = { type: 'charge', data: { medium: 'card' } };
  expect(await thrownBy(client.call('ugwo.charge', { ...CHARGE, body }))).toMatchObject({ kind: 'usage' });
  expect(attempts).toEqual([]);
});

it('close closes the transport', async () => {
  const { client, closed } = clientOf([]);
  await client.close();
  expect(closed()).toBe(1);
});
