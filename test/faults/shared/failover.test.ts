import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../support/program.ts';
import { sabotaged } from '../sabotage.ts';
import { SABOTAGES } from './failover.ts';
import { machineAt } from './failover-machine.ts';
import { asynchronous, cancelled, synchronous } from './failover-runs.ts';

describe.skipIf(process.platform === 'win32')('a failover of the shared ledger', () => {
  it.each([
    ['to a lagging standby loses intents, which is detected and blocks all charges', asynchronous],
    ['to a synchronous standby loses no intent', synchronous],
    ['sends nothing that no standby has', cancelled],
  ])('%s', async (_name, run) => {
    expect(await run({ each: 4, folder: newFolder('failover'), machineAt })).toMatchObject({ failures: [] });
  });
});

// `npm run torture` builds them; this test checks that their lines still exist.
it.each(SABOTAGES)('the sabotage finds its line: $name', (sabotage) => {
  const source = readFileSync(sabotage.file, 'utf8');
  expect(sabotaged(sabotage, source)).not.toBe(source);
});
