import { describe, expect, test } from 'vitest';
import { customersIn, NOON, startEmulator } from './support.ts';

const TRANSFER = { type: 'charge', data: { medium: 'bank_transfer' } };
const USSD = { type: 'charge', data: { medium: 'ussd', provider: 'gtb' } };

const charged = async () => {
  const emulator = await startEmulator({ customers: 1, ugwo: 3 });
  const [first, second] = (await emulator.send('GET', '/v1/ugwo')).json.data;
  const charge = async (ugwo: { uid: string }, body: unknown) =>
    (await emulator.send('POST', `/v1/ugwo/${ugwo.uid}/activities`, body)).json;
  return { ...emulator, first, second, charge };
};

describe('GET /v1/onye/{uid}', () => {
  test('returns the current customer', async () => {
    const { send, file } = await startEmulator({ customers: 2 });
    const [one, other] = customersIn(file);
    const updated = (await send('PATCH', `/v1/onye/${one}`, { first_name: 'Ngozi' })).json;
    const answer = await send('GET', `/v1/onye/${one}`);
    expect([answer.status, answer.json]).toEqual([200, updated]);
    expect(updated).toMatchObject({ uid: one, first_name: 'Ngozi' });
    expect((await send('GET', `/v1/onye/${other}`)).json.uid).toBe(other);
  });
});

describe('GET /v1/ugwo/{uid}', () => {
  test('returns the payment request as in lists, at first without activities', async () => {
    const { send, first } = await charged();
    const answer = await send('GET', `/v1/ugwo/${first.uid}`);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ ...first, activities: [] });
  });

  test('contains its own activities, oldest first', async () => {
    const { send, first, charge, clock } = await charged();
    const { data } = (await send('GET', '/v1/ugwo')).json;
    const ghanaian = data[1];
    const mobile = { type: 'charge', data: { medium: 'mobile_money', provider: 'mtn', phone: '+233201234567' } };
    const one = await charge(first, TRANSFER);
    await charge(ghanaian, mobile);
    clock.set(NOON + 1000);
    const two = await charge(first, USSD);
    const three = await charge(first, TRANSFER);
    expect((await send('GET', `/v1/ugwo/${first.uid}`)).json.activities).toEqual([one, two, three]);
  });

  test('is a 404 problem for an unknown payment request', async () => {
    const { send } = await charged();
    const answer = await send('GET', '/v1/ugwo/ugw.Lcal.nothing');
    expect(answer.json).toMatchObject({ status: 404, detail: 'ugwo.error.not_found' });
    expect(answer.headers['content-type']).toBe('application/problem+json');
  });
});

describe('GET /v1/ugwo/{ugwoUid}/activities/{activityUid}', () => {
  test('returns the activity', async () => {
    const { send, first, charge } = await charged();
    const made = await charge(first, USSD);
    await charge(first, TRANSFER);
    const answer = await send('GET', `/v1/ugwo/${first.uid}/activities/${made.uid}`);
    expect([answer.status, answer.json]).toEqual([200, made]);
  });

  test('is a 404 problem if the activity is unknown or on another payment request', async () => {
    const { send, first, second, charge } = await charged();
    const { uid } = await charge(first, USSD);
    for (const path of [`${first.uid}/activities/act.Lcal.nothing`, `${second.uid}/activities/${uid}`]) {
      const { json } = await send('GET', `/v1/ugwo/${path}`);
      expect(json).toMatchObject({ status: 404, detail: 'activity.error.not_found' });
    }
    const { json } = await send('GET', `/v1/ugwo/ugw.Lcal.nothing/activities/${uid}`);
    expect(json).toMatchObject({ status: 404, detail: 'ugwo.error.not_found' });
  });

  test('is a 405 problem with the allowed methods for another method', async () => {
    const { send, first } = await charged();
    const paths = { [`/v1/ugwo/${first.uid}`]: 'GET, DELETE', [`/v1/ugwo/${first.uid}/activities/act.Lcal.x`]: 'GET' };
    for (const [path, allow] of Object.entries(paths)) {
      const answer = await send('PATCH', path, {});
      expect([answer.status, answer.headers['allow']]).toEqual([405, allow]);
    }
  });
});

test("every answer has a Date from the emulator's clock", async () => {
  const { send, first, clock } = await charged();
  clock.set(NOON + 61_000);
  const paths = ['/v1/ugwo', `/v1/ugwo/${first.uid}`, '/v1/ugwo/ugw.Lcal.nothing', '/nowhere'];
  for (const path of paths) {
    expect((await send('GET', path)).headers['date']).toBe('Fri, 20 Nov 2026 12:01:01 GMT');
  }
  const answer = await send('POST', `/v1/ugwo/${first.uid}/activities`, USSD);
  expect(answer.headers['date']).toBe('Fri, 20 Nov 2026 12:01:01 GMT');
});
