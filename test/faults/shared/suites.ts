import type { Part } from '../part.ts';
import { clocks } from './clocks.ts';
import { held, heldTogether, warned } from './commit-waits.ts';
import { cuts } from './cuts.ts';
import { deaths, deathsAtCommits } from './deaths.ts';
import { failover } from './failover.ts';
import { kills } from './kills.ts';
import { model } from './model.ts';
import { orders } from './orders.ts';
import { partitions } from './partitions.ts';
import { pauses } from './pauses.ts';
import { races } from './races.ts';
import { restored } from './restored.ts';
import { unseenKills } from './unseen-kills.ts';

/** The suites for shared ledgers. */
export const SUITES: Readonly<Record<string, Part>> = {
  cuts,
  deaths,
  orders,
  warned,
  held,
  'held together': heldTogether,
  restored,
  model,
  races,
  kills,
  'unseen kills': unseenKills,
  pauses,
  partitions,
  clocks,
};

/** The same, the failover with its own test and sabotages, and the parts that suffice to detect a sabotage. */
export const CATCHERS: Readonly<Record<string, Part>> = {
  ...SUITES,
  failover,
  'frozen at commits': deathsAtCommits(
    'backend frozen until the third connection',
    'backend frozen until the next charge',
  ),
  'stopped at commits': deathsAtCommits('server stopped'),
  'rolled back at commits': deathsAtCommits('commit rolled back'),
};
