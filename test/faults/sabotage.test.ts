import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ASKED_ONCE, EMERGENCY_UNSYNCED, FOLDER_UNSYNCED, NORMAL, OFF, SENT_FIRST, sabotaged } from './sabotage.ts';

// `npm run torture` builds them; that their lines are there still is seen here.
it.each([NORMAL, OFF, SENT_FIRST, EMERGENCY_UNSYNCED, FOLDER_UNSYNCED, ASKED_ONCE])(
  '$name finds its line',
  (sabotage) => {
    const source = readFileSync(sabotage.file, 'utf8');
    expect(sabotaged(sabotage, source)).not.toBe(source);
  },
);
