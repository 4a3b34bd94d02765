import { expect, it } from 'vitest';
import { scene } from './scene.ts';
import { json } from './service.ts';

const argv = ['checkout', 'list', '--json'];
const service = [json(200, [{ uid: 'chk.AbCd.1' }])];

it.each<[string, object]>([
  ['exit code', { exit: 1 }],
  ['text', { stdout: 'other' }],
  ['pattern', { stdout: /other/ }],
  ['part', { stdout: ['data', 'other'] }],
  ['pattern among others', { stdout: [/data/, /other/] }],
  ['pattern alone', { stdout: [/other/] }],
  ['value', { json: { data: [1] } }],
  ['pattern of a value', { json: { data: [{ uid: /other/ }] } }],
  ['error', { error: { code: 'usage' } }],
  ['request', { requests: ['POST'] }],
  ['entry', { entries: [{}] }],
])('a scene fails without a wanted %s', async (_what, wanted) => {
  await scene({ argv, service });
  await expect(scene({ argv, service, ...wanted })).rejects.toThrow(/to match object/);
});
