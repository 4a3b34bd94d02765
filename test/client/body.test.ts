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
