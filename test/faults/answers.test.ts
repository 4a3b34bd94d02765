import { expect, it } from 'vitest';
import { newFolder } from '../support/program.ts';
import { shapes } from './answer-shapes.ts';
import { answers } from './answers.ts';

it('has more than 200 shapes', () => {
  expect(shapes().length).toBeGreaterThan(200);
});

it('accepts hostile answers below the size limit, in bounded memory and time', async () => {
  const { failures } = await answers({ short: true, folder: newFolder(), say: () => undefined });
  expect(failures).toEqual([]);
}, 180_000);
