import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type { AttemptResult } from '../../src/client/transport.ts';
import { operations } from '../../src/contract/operations.ts';
import type { PayError } from '../../src/core/error.ts';
import { ACTIVITY, ONYE_ID, UGWO_ID, ugwo } from '../support/service.ts';
import { answer, EXCESS, large, type Script, scripted, whole } from './scripted.ts';
import { thrownBy } from './support.ts';

const CHARGE = { params: { ugwoUid: UGWO_ID }, body: { type: 'charge', data: { medium: 'bank_transfer' } } };
const READ = { params: { uid: UGWO_ID } };
const FOUND = answer(200, whole({ ...ugwo(1), uid: UGWO_ID }));

/** A client whose attempts end as these, and what it tells people. */
const clientOf = (outcomes: readonly AttemptResult[], script: Script = {}, validate = true) => {
  const { context, transport, ...seen } = scripted(outcomes, script);
  const notices: string[] = [];
  let closed = 0;
  const close = async (): Promise<void> => {
    closed += 1;
  };
  const notice = (line: string): void => void notices.push(line);
  const { isHeard } = script;
  const client = createClient({
    ...context,
    notice,
    ...(isHeard === undefined ? {} : { isHeard }),
    transport: { ...transport, close },
    validate,
  });
  return { client, notices, closed: () => closed, ...seen };
};

describe('what would be sent', () => {
  it('is shown with its body, where it has one, and nothing is sent', () => {
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

  it('has an empty body where none is given and none is asked for', () => {
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
  ])('is nothing for %j', async (input, message) => {
    const { client, attempts } = clientOf([]);
    expect(await thrownBy(client.call('ugwo.get', input))).toMatchObject({ kind: 'usage', message });
    expect(attempts).toEqual([]);
  });

  it('is nothing where the service would refuse it', async () => {
    const { client } = clientOf([]);
    const thrown = await thrownBy(client.call('ugwo.list', { query: { limit: '0' } }));
    expect(thrown).toMatchObject({
      kind: 'usage',
      message: 'the service would refuse this, so nothing was sent',
      detail: { hint: 'fix the value, then run the command again' },
    });
    expect((thrown as PayError).detail.violations).toHaveLength(1);
  });

  it('has its own bounds in time', () => {
    const { client } = clientOf([]);
    expect([client.longestAttempt, client.longestWrite]).toEqual([5000, 505_000]);
  });
});

describe('a read that the service may not have', () => {
  it('is what was read', async () => {
    const { client } = clientOf([FOUND]);
    expect((await client.look('ugwo.get', READ))?.value).toMatchObject({ uid: UGWO_ID });
  });

  it.each<[string, AttemptResult]>([
    ['404', answer(404)],
    ['405', answer(405)],
    ['501', answer(501)],
    ['another payment request', answer(200, whole(ugwo(7)))],
    ['a list', answer(200, whole({ data: [], next_cursor: null }))],
  ])('is nothing where the answer is %s', async (_what, outcome) => {
    const { client } = clientOf([outcome]);
    expect(await client.look('ugwo.get', READ)).toBeUndefined();
  });

  it.each<[string, AttemptResult, string]>([
    ['401', answer(401), 'auth'],
    ['403', answer(403), 'auth'],
    ['422', answer(422), 'rejected'],
    ['no JSON', answer(200, { fault: 'the answer is not JSON' }), 'read_failed'],
  ])('fails where the answer is %s', async (_what, outcome, kind) => {
    const { client } = clientOf([outcome]);
    expect(await thrownBy(client.look('ugwo.get', READ))).toMatchObject({ kind });
  });

  it('throws on what is no failure of ours', async () => {
    const broken = new TypeError('broken');
    const onSend = (): never => {
      throw broken;
    };
    const { client } = clientOf([FOUND], { onSend });
    expect(await thrownBy(client.look('ugwo.get', READ))).toBe(broken);
  });
});

describe('what of an answer can not be read', () => {
  const odd = answer(200, whole({ ...ACTIVITY, status: { code: 7 } }));

  it('is told, each thing once', async () => {
    const { client, notices } = clientOf([odd, odd]);
    await client.call('ugwo.charge', CHARGE);
    const first = [...notices];
    expect(first.length).toBeGreaterThan(0);
    for (const line of first) expect(line).toMatch(/^note: ./);
    await client.call('ugwo.charge', CHARGE);
    expect(notices).toEqual(first);
  });

  it('is told of a page as it is opened', async () => {
    const list = answer(200, whole({ data: [{ ...ugwo(1), status: { code: 7 } }], next_cursor: null }));
    const { client, notices } = clientOf([list]);
    for await (const { records } of client.pages('ugwo.list', {}, {})) expect(records).toHaveLength(1);
    expect(notices.length).toBeGreaterThan(0);
  });

  it('is not looked for in a page where nobody hears of it', async () => {
    const body = whole({ data: [{ ...ugwo(1), status: { code: 7 } }], next_cursor: null });
    const asked = vi.spyOn(body, 'value', 'get');
    const { client, notices } = clientOf([answer(200, body)], { isHeard: false });
    for await (const { records } of client.pages('ugwo.list', {}, {})) expect(records).toHaveLength(1);
    expect([notices, asked.mock.calls.length]).toEqual([[], 0]);
  });

  it('is not looked for in any answer where nobody hears of it', async () => {
    const body = whole({ ...ACTIVITY, status: { code: 7 } });
    const { client, notices } = clientOf([answer(200, body)], { isHeard: false });
    const asked = vi.spyOn(operations['ugwo.charge'].success, 'schema');
    onTestFinished(() => asked.mockRestore());
    await client.call('ugwo.charge', CHARGE);
    expect([notices, asked.mock.calls.length]).toEqual([[], 0]);
  });

  it('is too much of it: only its main fields are read', async () => {
    const { client, notices } = clientOf([answer(200, large(ACTIVITY))]);
    await client.call('ugwo.charge', CHARGE);
    expect(notices).toEqual([`note: ${EXCESS}; only its main fields are read and shown`]);
  });

  it('changes nothing of what was done, be it that even that can not be told', async () => {
    const { client, debug } = clientOf([odd]);
    const telling = createClient({
      ...scripted([]).context,
      transport: { send: async () => odd, close: async () => undefined },
      validate: true,
      debug: (line) => void debug.push(line),
      notice: () => {
        throw new Error('nobody hears it');
      },
    });
    expect((await telling.call('ugwo.charge', CHARGE)).value).toMatchObject({ uid: ACTIVITY.uid });
    expect(debug).toEqual(['. the answer could not be looked through: nobody hears it']);
    expect((await client.call('ugwo.charge', CHARGE)).value).toMatchObject({ uid: ACTIVITY.uid });
  });
});

it('the pages of a list are asked for by their cursors, and by what else was asked for', async () => {
  const pageOf = (number: number, cursor: string | null): AttemptResult =>
    answer(200, whole({ data: [ugwo(number)], next_cursor: cursor }));
  const { client, attempts } = clientOf([pageOf(1, 'a b'), pageOf(2, null)]);
  const cursors: unknown[] = [];
  for await (const { cursor } of client.pages('ugwo.list', { query: { limit: '1' } }, {})) cursors.push(cursor);
  expect(attempts.map(({ path }) => path)).toEqual(['/v1/ugwo?limit=1', '/v1/ugwo?limit=1&cursor=a+b']);
  expect(cursors).toEqual([undefined, 'a b']);
});

it('what breaks a rule goes out where the service is to judge it', async () => {
  const { client, attempts } = clientOf([answer(422)], {}, false);
  expect(await thrownBy(client.call('ugwo.list', { query: { limit: '0' } }))).toMatchObject({ kind: 'rejected' });
  expect(attempts).toHaveLength(1);
});

it('a charge that breaks a rule is not sent', async () => {
  const { client, attempts } = clientOf([]);
  const body = { type: 'charge', data: { medium: 'card' } };
  expect(await thrownBy(client.call('ugwo.charge', { ...CHARGE, body }))).toMatchObject({ kind: 'usage' });
  expect(attempts).toEqual([]);
});

it('a client that is closed closes its way', async () => {
  const { client, closed } = clientOf([]);
  await client.close();
  expect(closed()).toBe(1);
});
