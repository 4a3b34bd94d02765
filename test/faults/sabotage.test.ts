import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  ACKNOWLEDGED_FIRST,
  ASKED_ONCE,
  EMERGENCY_UNSYNCED,
  FOLDER_UNSYNCED,
  NORMAL,
  OFF,
  SENT_FIRST,
  sabotaged,
} from './sabotage.ts';
import { SABOTAGES } from './shared/sabotages.ts';

const OWN = [NORMAL, OFF, SENT_FIRST, EMERGENCY_UNSYNCED, FOLDER_UNSYNCED, ASKED_ONCE, ACKNOWLEDGED_FIRST];

// `npm run torture` runs them; this test checks that their lines still exist.
it.each([...OWN, ...SABOTAGES.map(({ sabotage }) => sabotage)])('sabotage finds its line: $name', (sabotage) => {
  const source = readFileSync(sabotage.file, 'utf8');
  expect(sabotaged(sabotage, source)).not.toBe(source);
});
