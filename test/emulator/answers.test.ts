import { describe, expect, test } from 'vitest';
import { operations } from '../../src/contract/operations.ts';
import { problemAnswer } from '../../src/contract/problem.ts';
import { checkedAnswer, invalid, problemError } from '../../src/emulator/service.ts';
import { activitiesIn, customersIn, inFile, startEmulator } from './support.ts';

/** Changes every record of a table directly in the file. */
const spoil = (file: string, table: 'onye' | 'ugwo', change: string): void =>
  inFile(file, (db) => db.exec(`UPDATE ${table} SET record = ${change}`));

describe('an answer that violates the contract becomes a 500 problem', () => {
  test('a list with an invalid amount', async () => {
    const { file, send } = await startEmulator({ ugwo: 2 });
    spoil(file, 'ugwo', "json_set(record, '$.amount', 'much')");
    const answer = await send('GET', '/v1/ugwo');
    expect(answer.status).toBe(500);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.json).toMatchObject({ title: 'An error occurred', status: 500 });
    expect(answer.json.detail).toContain('data.0.amount');
  });

  test('an updated customer with an invalid date, whose update is rolled back', async () => {
    const { file, send } = await startEmulator({ customers: 1 });
    const [uid = ''] = customersIn(file);
    spoil(file, 'onye', "json_set(record, '$.created_at', 'lately')");
    const before = inFile(file, (db) => db.prepare('SELECT record FROM onye').get());
    const answer = await send('PATCH', `/v1/onye/${uid}`, { first_name: 'Changed' });
    expect(answer.json).toMatchObject({ status: 500, detail: expect.stringContaining('created_at') });
    expect(inFile(file, (db) => db.prepare('SELECT record FROM onye').get())).toEqual(before);
  });

  test('a charge with an invalid checkout currency, whose activity is rolled back', async () => {
    const { file, send } = await startEmulator({ ugwo: 1 });
    const [{ uid }] = (await send('GET', '/v1/ugwo')).json.data;
    spoil(file, 'ugwo', "json_set(record, '$.checkout.currency', json_array('NGN'))");
    const answer = await send('POST', `/v1/ugwo/${uid}/activities`, {
      type: 'charge',
      data: { medium: 'bank_transfer' },
    });
    expect(answer.json).toMatchObject({ status: 500, detail: expect.stringContaining('checkout.currency') });
    expect(activitiesIn(file)).toEqual([]);
  });

  test('a record that is not JSON', async () => {
    const { file, send } = await startEmulator({ ugwo: 1 });
    spoil(file, 'ugwo', "'{'");
    expect((await send('GET', '/v1/ugwo')).json).toMatchObject({ status: 500 });
  });
});

describe('checked', () => {
  const schema = operations['ugwo.list'].success.schema();

  test('returns a valid answer unchanged', () => {
    expect(checkedAnswer(schema, { data: [], next_cursor: null, more: 1 })).toBe(
      '{"data":[],"next_cursor":null,"more":1}',
    );
  });

  test.each([{ data: [] }, { data: [], next_cursor: '' }, { data: [{}], next_cursor: null }, null])(
    'rejects %j',
    (answer) => {
      expect(() => checkedAnswer(schema, answer)).toThrow(
        expect.objectContaining({ problem: expect.objectContaining({ status: 500 }) }),
      );
    },
  );

  test('validates error documents, too', () => {
    expect(JSON.parse(checkedAnswer(problemAnswer(), problemError(404, 'x').problem))).toMatchObject({ status: 404 });
    expect(
      JSON.parse(checkedAnswer(problemAnswer(), invalid([{ propertyPath: 'a', title: 'b' }]).problem)).violations,
    ).toHaveLength(1);
    expect(() => checkedAnswer(problemAnswer(), { title: 'x' } as unknown)).toThrow();
  });
});
