import { join, resolve } from 'node:path';
import { build } from 'rolldown';
import type { Figure, Part, PartResult } from '../part.ts';
import { type Sabotage, sabotaged } from '../sabotage.ts';
import { machineAt } from './failover-machine.ts';
import { asynchronous, cancelled, type RunOptions, synchronous } from './failover-runs.ts';

type Run = (options: RunOptions) => Promise<PartResult>;

/** The run that must detect each sabotage. */
export const SABOTAGES: readonly (readonly [sabotage: Sabotage, run: Run])[] = [
  [
    {
      name: 'no shadow',
      file: 'src/ledger/postgres/open.ts',
      from: 'shadow.server() !== server || mine.some((id) => !knows.has(id))',
      to: 'false',
    },
    asynchronous,
  ],
  [
    {
      name: 'a warning at the commit ignored',
      file: 'src/ledger/postgres/transaction.ts',
      from: 'if (warnings.length > 0 && writes.length > 0) throw',
      to: 'if (warnings.length < 0) throw',
    },
    cancelled,
  ],
  [
    {
      name: 'synchronous_commit=off',
      file: 'src/ledger/postgres/transaction.ts',
      from: "SET LOCAL synchronous_commit = 'on'",
      to: "SET LOCAL synchronous_commit = 'off'",
    },
    synchronous,
  ],
];

/** The machine's code, sabotaged. */
const machineWith = async (sabotage: Sabotage, file: string): Promise<typeof machineAt> => {
  const path = resolve(sabotage.file);
  await build({
    input: resolve('test/faults/shared/failover-machine.ts'),
    platform: 'node',
    logLevel: 'silent',
    external: ['pg-native', 'cloudflare:sockets'],
    plugins: [
      {
        name: 'sabotage',
        transform: {
          order: 'pre',
          handler: (source, id) => (id === path ? sabotaged(sabotage, source) : undefined),
        },
      },
    ],
    output: { file, format: 'esm', codeSplitting: false },
  });
  return ((await import(file)) as { machineAt: typeof machineAt }).machineAt;
};

const notCaught = async (folder: string, index: number): Promise<string[]> => {
  const [sabotage, run] = SABOTAGES[index] as (typeof SABOTAGES)[number];
  const machine = await machineWith(sabotage, join(folder, `sabotaged-${index}.mjs`));
  const { failures } = await run({ each: 4, folder, machineAt: machine });
  return failures.length > 0 ? [] : [`the sabotage "${sabotage.name}" was not caught`];
};

/** Failover to an up-to-date standby, and to a lagging one. Unless `short`, with sabotages. */
export const failover: Part = async ({ short, folder }) => {
  const figures: Figure[] = [];
  const failures: string[] = [];
  for (const run of [asynchronous, synchronous, cancelled]) {
    const result = await run({ each: short ? 8 : 150, folder, machineAt });
    figures.push(...result.figures);
    failures.push(...result.failures);
  }
  if (short) return { figures, failures };
  for (const index of SABOTAGES.keys()) failures.push(...(await notCaught(folder, index)));
  figures.push({ name: 'failover: sabotages', value: SABOTAGES.length });
  return { figures, failures };
};
