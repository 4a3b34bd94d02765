import { describe, expect, it } from 'vitest';
import { decode } from '../../src/client/decode.ts';
import type { Body } from '../../src/client/transport.ts';
import { operations } from '../../src/contract/operations.ts';
import type { ThingPage } from '../../src/contract/proof.ts';
import { ACTIVITY, ONYE_ID, UGWO_ID, ugwo } from '../support/service.ts';

const GET = {
  operation: operations['onye.get'],
  params: { uid: ONYE_ID },
  subject: { prefix: 'ony', uid: ONYE_ID },
} as const;
const LIST = { operation: operations['ugwo.list'], params: {} };
const CHARGE = { operation: operations['ugwo.charge'], params: { ugwoUid: UGWO_ID } };

const written = (text: string): Body => ({ text, json: JSON.parse(text) });
const whole = (value: unknown): Body => written(JSON.stringify(value));
const large = (text: string): Body => ({ text, excess: 'the answer holds more than 100,000 values' });
const EXACT = '12345678901234567890';

describe('an answer', () => {
  it('is its value and its text, with the times that came with it', () => {
    const text = JSON.stringify({ uid: ONYE_ID });
    const found = { value: { uid: ONYE_ID }, text };
    expect(decode.answer(GET, { body: written(text) })).toStrictEqual(found);
    expect(decode.answer(GET, { body: written(text), servedAt: 5 })).toStrictEqual({ ...found, servedAt: 5 });
    expect(decode.answer(GET, { body: written(text), age: 6 })).toStrictEqual({ ...found, age: 6 });
  });

  it.each<[string, Body, string, boolean]>([
    ['about another customer', whole({ uid: 'ony.AbCd.other' }), 'another customer (onye), ony.AbCd.other', true],
    ['that is another thing', whole({ uid: UGWO_ID }), '', true],
    ['that is a list', whole([]), '', false],
    ['that is a text', whole('no'), '', false],
    ['that is null', whole(null), '', false],
    ['that could not be read', { fault: 'the answer is empty' }, 'the answer is empty', false],
  ])('%s is at fault, and is of something else only where it is an object', (_what, body, fault, isOther) => {
    const decoded = decode.answer(GET, { body });
    expect(decoded).toStrictEqual({ fault: expect.stringContaining(fault), ...(isOther ? { isOther: true } : {}) });
  });

  it('keeps all digits of a thing, and of a list those of its texts', () => {
    const thing = `{"uid":"${ONYE_ID}","n":${EXACT}}`;
    const { value } = decode.answer(GET, { body: written(thing) }) as { value: { n: unknown } };
    expect(String(value.n)).toBe(EXACT);
    const exact = `{"uid":"${ONYE_ID}","n":7}`;
    expect(decode.answer(GET, { body: written(exact) })).toMatchObject({ value: { n: 7 } });
    const list = `{"data":[{"n":${EXACT}}],"next_cursor":null}`;
    expect(decode.answer(LIST, { body: written(list) })).toMatchObject({ value: { data: [{ n: Number(EXACT) }] } });
  });

  it('that holds too much fails a read, and leaves what a write did done', () => {
    const text = JSON.stringify(ACTIVITY);
    const excess = 'the answer holds more than 100,000 values';
    expect(decode.answer(GET, { body: large(JSON.stringify({ uid: ONYE_ID })) })).toStrictEqual({ fault: excess });
    expect(decode.answer(CHARGE, { body: large(text), servedAt: 5 })).toStrictEqual({
      value: expect.objectContaining({ uid: ACTIVITY.uid }),
      text,
      cut: excess,
      servedAt: 5,
    });
    expect(decode.answer(CHARGE, { body: large(text.slice(1)) })).toStrictEqual({ fault: 'the answer is not JSON' });
  });
});

describe('an error document', () => {
  it('is what a JSON object says, however much it holds', () => {
    expect(decode.problem(whole({ title: 'No' }))).toMatchObject({ title: 'No' });
    expect(decode.problem(large('{"title":"No","status":422}'))).toMatchObject({ title: 'No' });
    expect(decode.problem(whole('no'))).toBeUndefined();
    expect(decode.problem(large('{"title":'))).toBeUndefined();
    expect(decode.problem({ fault: 'the answer is empty' })).toBeUndefined();
  });
});

describe('a page', () => {
  it('has its records, each with its own text, and its cursors', () => {
    const [one, two] = [ugwo(1), ugwo(2)];
    const text = JSON.stringify({ data: [one, two], next_cursor: 'b' });
    const value = JSON.parse(text) as ThingPage;
    expect(decode.page({ value, text }, 'a')).toEqual({
      records: [
        { value: one, text: JSON.stringify(one) },
        { value: two, text: JSON.stringify(two) },
      ],
      cursor: 'a',
      nextCursor: 'b',
    });
  });
});
