import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';

/** The size of the fault tests: short in `npm test`, full under `npm run torture`. */
export const full = process.env['PAYCLI_TORTURE'] === 'full';

/** In the short form under vitest, every run draws the same. */
const usual = !full && process.env['VITEST'] !== undefined ? 1 : Date.now() % 2 ** 31;

/** The seed of random tests; PAYCLI_TORTURE_SEED repeats a run. */
export const seed = Number(process.env['PAYCLI_TORTURE_SEED'] ?? usual);

/** A number in [0, 2^32) derived from the seed and a name. */
export const drawn = (name: string): number => createHash('sha256').update(`${seed} ${name}`).digest().readUInt32BE(0);

/** The same in [0, 1). */
export const chance = (name: string): number => drawn(name) / 2 ** 32;

/** Appends a figure of this run to the file in PAYCLI_TORTURE_FIGURES, as a line of JSON. */
export const figure = (name: string, value: number, unit?: string): void => {
  const file = process.env['PAYCLI_TORTURE_FIGURES'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ name, value, unit })}\n`);
};
