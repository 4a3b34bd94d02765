import { describe, expect, it, vi } from 'vitest';
import { decode } from '../../src/client/answer.ts';
import { type AnswerBody, JsonBody, TOO_LARGE } from '../../src/client/body.ts';
import { operations } from '../../src/contract/operations.ts';
import { ACTIVITY, ONYE_ID, UGWO_ID, ugwo } from '../support/service.ts';
import { bodyOf, EXCESS, large, whole } from './scripted.ts';

const GET = {
  operation: operations['onye.get'],
  params: { uid: ONYE_ID },
  subject: { prefix: 'ony', uid: ONYE_ID },
} as const;
const LIST = { operation: operations['ugwo.list'], params: {} };
const CHARGE = { operation: operations['ugwo.charge'], params: { ugwoUid: UGWO_ID } };

const EXACT = '12345678901234567890';

describe('decode.answer', () => {
  it('returns value, text and times', () => {
    const text = JSON.stringify({ uid: ONYE_ID });
    const found = { value: { uid: ONYE_ID }, text };
    expect(decode.answer(GET, { body: bodyOf(text) })).toStrictEqual(found);
    expect(decode.answer(GET, { body: bodyOf(text), servedAt: 5 })).toStrictEqual({ ...found, servedAt: 5 });
    expect(decode.answer(GET, { body: bodyOf(text), age: 6 })).toStrictEqual({ ...found, age: 6 });
  });

  it.each<[string, AnswerBody, string, boolean]>([
    ['about another customer', whole({ uid: 'ony.AbCd.other' }), 'another customer (onye), ony.AbCd.other', true],
    ['about another resource', whole({ uid: UGWO_ID }), '', true],
    ['that is a list', whole([]), '', false],
    ['that is text', whole('no'), '', false],
    ['that is null', whole(null), '', false],
    ['that is unreadable', { fault: 'the answer is empty' }, 'the answer is empty', false],
  ])('reports a fault for an answer %s; isOther only for objects', (_what, body, fault, isOther) => {
    const decoded = decode.answer(GET, { body });
    expect(decoded).toStrictEqual({ fault: expect.stringContaining(fault), ...(isOther ? { isOther: true } : {}) });
  });

  it('preserves the digits of a record, and of a list in its texts', () => {
    const thing = `{"uid":"${ONYE_ID}","n":${EXACT}}`;
    const { value } = decode.answer(GET, { body: bodyOf(thing) }) as { value: { n: unknown } };
    expect(String(value.n)).toBe(EXACT);
    const exact = `{"uid":"${ONYE_ID}","n":7}`;
    expect(decode.answer(GET, { body: bodyOf(exact) })).toMatchObject({ value: { n: 7 } });
    const list = `{"data":[{"n":${EXACT}}],"next_cursor":null}`;
    expect(decode.answer(LIST, { body: bodyOf(list) })).toMatchObject({ value: { data: [{ n: Number(EXACT) }] } });
  });

  it('fails a read above the limits, but not an accepted write', () => {
    const body = large(ACTIVITY);
    const made = vi.spyOn(body, 'value', 'get');
    expect(decode.answer(GET, { body: large({ uid: ONYE_ID }) })).toStrictEqual({ fault: EXCESS });
    expect(decode.answer(CHARGE, { body, servedAt: 5 })).toStrictEqual({
      value: expect.objectContaining({ uid: ACTIVITY.uid }),
      text: expect.not.stringContaining('more'),
      note: `${EXCESS}; only its main fields are read and shown`,
      servedAt: 5,
    });
    expect(made).not.toHaveBeenCalled();
    const cut = new JsonBody(
      JSON.stringify(ACTIVITY).slice(0, -1),
      Buffer.from(JSON.stringify(ACTIVITY).slice(0, -1)),
      true,
    );
    expect(decode.answer(CHARGE, { body: cut })).toMatchObject({
      value: { uid: ACTIVITY.uid },
      note: expect.stringContaining(TOO_LARGE),
    });
    const none = new JsonBody('{"a":"', Buffer.from('{"a":"'), true);
    expect(decode.answer(CHARGE, { body: none })).toStrictEqual({ fault: TOO_LARGE });
    const half = bodyOf(body.text.slice(0, -1));
    expect(decode.answer(CHARGE, { body: half })).toStrictEqual({ fault: 'the answer is not JSON' });
  });
});

describe('decode.problem', () => {
  it('reads a JSON object of any size', () => {
    expect(decode.problem(whole({ title: 'No' }))).toMatchObject({ title: 'No' });
    const much = large({ title: 'No', status: 422 });
    const made = vi.spyOn(much, 'value', 'get');
    expect(decode.problem(much)).toMatchObject({ title: 'No' });
    expect(made).not.toHaveBeenCalled();
    expect(decode.problem(whole('no'))).toBeUndefined();
    expect(decode.problem(bodyOf(large({}).text.slice(0, -1)))).toBeUndefined();
    expect(decode.problem({ fault: 'the answer is empty' })).toBeUndefined();
  });
});

describe('a page', () => {
  const records = (text: string) => (decode.answer(LIST, { body: bodyOf(text) }) as JsonBody).records();
  const shown = (text: string) =>
    records(text).map(({ value, text: own, bytes }) => [value, own, bytes && Buffer.from(bytes).toString()]);

  it('has its records with their texts, as bytes if printable unchanged', () => {
    const [one, two] = [ugwo(1), ugwo(2)];
    const text = JSON.stringify({ data: [one, two], next_cursor: 'b' });
    expect(shown(text)).toEqual([one, two].map((value) => [value, JSON.stringify(value), JSON.stringify(value)]));
  });

  it.each([
    ['a space between tokens', '{"a": 1}', '{"a":1}'],
    ['a line break between tokens', '{"a":1\n}', '{"a":1}'],
    ['a non-ASCII letter', '{"a":"\u00e9"}', '{"a":"\u00e9"}'],
    ['a bidi control', '{"a":"\u202e"}', '{"a":"\u202e"}'],
    ['a C1 control', '{"\u009b":1}', '{"\u009b":1}'],
    ['DEL', '{"a":"\u007f"}', '{"a":"\u007f"}'],
  ])('rewrites only the records with %s', (_what, record, own) => {
    const text = `{"data":[{"n":1},${record},{"n":2}],"next_cursor":null}`;
    const found = records(text);
    expect(found.map((one) => one.text)).toEqual(['{"n":1}', own, '{"n":2}']);
    expect(found.map(({ bytes }) => bytes !== undefined)).toEqual([true, false, true]);
  });

  it.each([
    ['no records', '{"next_cursor":null}'],
    ['records that are not a list', '{"data":{},"next_cursor":null}'],
    ['a record that is text', '{"data":[{},"x"],"next_cursor":null}'],
    ['no next cursor', '{"data":[]}'],
    ['an empty next cursor', '{"data":[],"next_cursor":""}'],
    ['more records than a page may have', `{"data":[${'{},'.repeat(1000)}{}],"next_cursor":null}`],
    ['a next cursor that is too long', `{"data":[],"next_cursor":"${'c'.repeat(4097)}"}`],
  ])('is invalid with %s', (_what, text) => {
    expect(decode.answer(LIST, { body: bodyOf(text) })).toStrictEqual({ fault: expect.any(String) });
  });

  it('is read from its envelope before its records are parsed', () => {
    const body = bodyOf('{"data":[{"a":1}],"next_cursor":"\\u0062"}');
    const made = vi.spyOn(body, 'value', 'get');
    const list = decode.answer(LIST, { body }) as JsonBody;
    expect(list.envelope).toMatchObject({ data: [{}], next_cursor: 'b' });
    expect(made).not.toHaveBeenCalled();
    expect(list.value).toEqual({ data: [{ a: 1 }], next_cursor: 'b' });
  });
});
