import { join } from 'node:path';
import { hostile } from './bulk-hostile.ts';
import { kills } from './bulk-kills.ts';
import type { Part } from './part.ts';

const ROWS = 10_000;
const KILLS = { rows: ROWS, kills: 100, processes: 8, concurrency: 8, latency: 50, again: false };
const AGAIN = { ...KILLS, rows: 3000, kills: 30, again: true };

/** Bulk charges at full size; `npm test` runs a short form of each. */
export const bulk: Part = async ({ folder, say }) => {
  const results = [
    await kills(KILLS, { folder: join(folder, 'kills'), say }),
    await kills(AGAIN, { folder: join(folder, 'again'), say }),
    await hostile(ROWS, { folder: join(folder, 'hostile'), say }),
  ];
  return {
    figures: results.flatMap(({ figures }) => figures),
    failures: results.flatMap(({ failures }) => failures),
  };
};
