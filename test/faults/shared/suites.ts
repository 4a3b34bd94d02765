import type { Part } from '../part.ts';
import { cuts } from './cuts.ts';
import { deaths } from './deaths.ts';
import { orders } from './orders.ts';
import { restored } from './restored.ts';
import { warned } from './warned.ts';

/** What is done to a ledger that is shared, a suite each. */
export const SUITES: Readonly<Record<string, Part>> = { cuts, deaths, orders, warned, restored };
