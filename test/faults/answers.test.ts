import { expect, it } from 'vitest';
import { newFolder } from '../support/program.ts';
import { shapes } from './answer-shapes.ts';
import { answers } from './answers.ts';

it('has more than 200 shapes', () => {
  expect(shapes().length).toBeGreaterThan(200);
});

it('takes answers that are hostile within the bound on bytes, in little memory and in time', async () => {
  const { failures } = await answers({ short: true, folder: newFolder(), say: () => undefined });
  expect(failures).toEqual([]);
}, 180_000);
