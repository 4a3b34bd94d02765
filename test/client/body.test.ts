import { expect, it } from 'vitest';
import type { JsonBody } from '../../src/client/body.ts';
import { readBody } from '../../src/client/body.ts';
import { ACTIVITY } from '../support/service.ts';
import { EXCESS, large } from './scripted.ts';

it('holds what a large answer proves, though no value is made of the whole', async () => {
  const body = (await readBody({ bytes: large(ACTIVITY).raw }, (text) => text)) as JsonBody;
  expect(body.excess).toBe(EXCESS);
  expect(body.kept).toMatchObject({ uid: ACTIVITY.uid, status: ACTIVITY.status });
});

it('has no mark at its start, and no secret in its bytes', async () => {
  const clean = (text: string): string => text.replaceAll('secret', '[gone]');
  const marked = (await readBody({ bytes: Buffer.from('\ufeff{"a":1}') }, clean)) as JsonBody;
  expect([marked.isJson, marked.value]).toEqual([true, { a: 1 }]);
  const told = (await readBody({ bytes: Buffer.from('{"a":"secret"}') }, clean)) as JsonBody;
  expect(Buffer.from(told.raw).toString()).toBe('{"a":"[gone]"}');
});

it('that is cut off and large is never taken apart', async () => {
  const body = (await readBody({ bytes: large(ACTIVITY).raw.subarray(0, -1) }, (text) => text)) as JsonBody;
  expect([body.isJson, body.excess]).toEqual([false, EXCESS]);
});
