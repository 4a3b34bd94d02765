import { allSpecs } from '../../src/commands/all.ts';

/** Every command. */
export const SPECS = await allSpecs();
