import { join } from 'node:path';
import type { Part } from './part.ts';
import { webhookHostile } from './webhook-hostile.ts';
import { webhookKills } from './webhook-kills.ts';
import { webhookPower } from './webhook-power.ts';

const KILLS = { events: 10_000, requests: 200, kills: 100 };
const HOSTILE = { events: 500, connections: 10_000, large: 120 };

/** A listener with power losses, kills and hostile senders; `npm test` runs a short form of the last two. */
export const webhooks: Part = async ({ short, folder, say }) => {
  const results = [
    await webhookPower({ short, folder: join(folder, 'power'), say }),
    ...(short
      ? []
      : [
          await webhookKills(KILLS, { folder: join(folder, 'kills'), say }),
          await webhookHostile(HOSTILE, { folder: join(folder, 'hostile'), say }),
        ]),
  ];
  return {
    figures: results.flatMap(({ figures }) => figures),
    failures: results.flatMap(({ failures }) => failures),
  };
};
