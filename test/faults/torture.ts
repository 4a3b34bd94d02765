import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';

/** The size of the fault tests: short in `npm test`, full under `npm run torture`. */
export const full = process.env['PAYCLI_TORTURE'] === 'full';

/** What random tests start from; PAYCLI_TORTURE_SEED runs them again as they were. */
export const seed = Number(process.env['PAYCLI_TORTURE_SEED'] ?? Date.now() % 2 ** 31);

/** A number in [0, 2^32) that follows from the seed and a name: the same in every run with that seed. */
export const drawn = (name: string): number => createHash('sha256').update(`${seed} ${name}`).digest().readUInt32BE(0);

/** The same in [0, 1). */
export const chance = (name: string): number => drawn(name) / 2 ** 32;

/** Keeps a figure of this run where PAYCLI_TORTURE_FIGURES names a file, a line of JSON each. */
export const figure = (name: string, value: number, unit?: string): void => {
  const file = process.env['PAYCLI_TORTURE_FIGURES'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ name, value, unit })}\n`);
};
