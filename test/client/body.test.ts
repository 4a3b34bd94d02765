import { describe, expect, it } from 'vitest';
import { type JsonBody, readBody } from '../../src/client/body.ts';
import { BOUNDS } from '../../src/core/bounds.ts';
import { ACTIVITY } from '../support/service.ts';
import { EXCESS, large } from './scripted.ts';

const bodyOf = (text: string, clean = (given: string) => given, isCut = false): JsonBody =>
  readBody({ bytes: Buffer.from(text), isCut }, clean) as JsonBody;

describe('an answer beyond the bounds', () => {
  it('has its main fields, without numbers that lose digits', () => {
    const body = bodyOf(large({ ...ACTIVITY, amount: '1e400' }).text.replace('"1e400"', '1e400'));
    expect(body.excess).toBe(EXCESS);
    expect(body.mainFields).toMatchObject({ uid: ACTIVITY.uid, status: ACTIVITY.status });
    expect(body.mainFields).not.toHaveProperty('more');
  });

  it('leaves out a field that is itself beyond them', () => {
    const body = bodyOf(large({ uid: 'act.AbCd.1', status: 'x'.repeat(BOUNDS.kept + 1) }).text);
    expect(body.mainFields).toEqual({ uid: 'act.AbCd.1' });
  });

  it('that was cut has the fields before the cut, and half of none', () => {
    const text = '{"uid":"act.AbCd.1","next_action":{"a":1},"status":"requires_act';
    const body = bodyOf(text, (given) => given, true);
    expect([body.isJson, body.excess]).toEqual([false, 'the answer is larger than 2 MiB']);
    expect(body.mainFields).toEqual({ uid: 'act.AbCd.1', next_action: { a: 1 } });
  });

  it('that broke off is no JSON', () => {
    const body = bodyOf(large(ACTIVITY).text.slice(0, -1));
    expect([body.isJson, body.excess]).toEqual([false, EXCESS]);
  });
});

describe('a body', () => {
  const clean = (text: string): string => text.replaceAll('secret', '[gone]');

  it('has no byte order mark', () => {
    const marked = bodyOf('\ufeff{"a":1}', clean);
    expect([marked.isJson, marked.value]).toEqual([true, { a: 1 }]);
  });

  it.each([
    ['{"a":"secret"}', '{"a":"[gone]"}'],
    ['{"a":"\\u0073ecret"}', '{"a":"[gone]"}'],
    ['{"a":"secret', '{"a":"[gone]'],
  ])('has no secret in its bytes: %s', (text, cleaned) => {
    const body = readBody({ bytes: Buffer.from(text), isCut: true }, clean) as JsonBody;
    expect(Buffer.from(body.raw).toString()).toBe(cleaned);
  });
});
