import { join } from 'node:path';
import type { Part } from './part.ts';
import { webhookHostile } from './webhook-hostile.ts';
import { webhookKills } from './webhook-kills.ts';
import { webhookPower } from './webhook-power.ts';

const KILLS = { events: 10_000, requests: 200, kills: 100 };
const HOSTILE = { events: 500, connections: 10_000, large: 120 };
const SHORT_KILLS = { events: 400, requests: 40, kills: 5 };
const SHORT_HOSTILE = { events: 40, connections: 1500, large: 12 };

/** A listener that is killed, loses its power and meets hostile senders. */
export const webhooks: Part = async ({ short, folder, say }) => {
  const results = [
    await webhookKills(short ? SHORT_KILLS : KILLS, { folder: join(folder, 'kills'), say }),
    await webhookHostile(short ? SHORT_HOSTILE : HOSTILE, { folder: join(folder, 'hostile'), say }),
    await webhookPower({ short, folder: join(folder, 'power'), say }),
  ];
  return {
    figures: results.flatMap(({ figures }) => figures),
    failures: results.flatMap(({ failures }) => failures),
  };
};
