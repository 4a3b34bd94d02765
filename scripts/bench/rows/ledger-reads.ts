import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fillLedger } from '../run/filled-ledger.ts';
import type { Line } from '../run/line.ts';
import { type Environment, environment, NPM_BUILD, newHome, run } from '../run/programs.ts';
import { type Contender, race } from '../run/race.ts';
import { during, startList } from '../run/services.ts';
import { type Bench, unless } from './scene.ts';

const [FEW, MANY] = [1000, 1_000_000];
const [WARM_ROUNDS, COLD_ROUNDS, REPORT_ROUNDS] = [15, 5, 3];
/** A sync looks at what is younger than eight days, and whether the service has newer payment requests: it has none. */
const [AGE_MS, RECORDS] = [9 * 86_400_000, 0];

interface Read {
  readonly name: string;
  readonly args: readonly string[];
  /** Goals for a ledger in memory, and for one on the disk. */
  readonly warm: number;
  readonly cold: number;
}

const READS: readonly Read[] = [
  { name: 'list by reference, none found', args: ['ledger', 'list', '--ref', 'NONE'], warm: 1.2, cold: 1.3 },
  { name: 'list of open charges, none left', args: ['ledger', 'list', '--payment', 'open'], warm: 1.2, cold: 1.3 },
  { name: 'sync, nothing open', args: ['ledger', 'sync'], warm: 1.2, cold: 1.3 },
  { name: 'sums of a day', args: ['ledger', 'report', '--since', '10d'], warm: 1.3, cold: 1.3 },
  { name: 'Tab after ledger show', args: ['__complete', 'ledger', 'show', 'chg-'], warm: 1.2, cold: 1.3 },
];

/** The sums of a report, as one statement. */
const SUMS = `SELECT state, payment, currency, count(*), count(amount), sum(amount), count(received), sum(received)
  FROM charge WHERE kind = 'charge' GROUP BY state, payment, currency`;

interface Filled {
  readonly path: string;
  readonly env: Environment;
}

const filled = async (folder: string, service: string, count: number): Promise<Filled> => {
  const home = newHome(folder);
  const path = join(home, 'ledger.sqlite');
  await fillLedger(path, { service, workspace: 'Bnch', profile: 'default', count, newest: Date.now() - AGE_MS });
  return { path, env: { ...environment(folder, home), PAYCLI_BASE_URL: service } };
};

/** Drops a file from memory, as Node can't: posix_fadvise(POSIX_FADV_DONTNEED). Returns what is missing for it. */
const dropFromMemory = (path: string): string | undefined => {
  const { status } = spawnSync('dd', [`of=${path}`, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0'], {
    stdio: 'ignore',
  });
  return status === 0 ? undefined : 'dd of GNU coreutils is missing: `apt-get install coreutils`';
};

const readsOf = async (folder: string, service: string): Promise<Line[]> => {
  const [few, many] = [await filled(folder, service, FEW), await filled(folder, service, MANY)];
  const read = (args: readonly string[], { env }: Filled): number => run([...NPM_BUILD, ...args], env).ms;
  const missing = dropFromMemory(few.path);
  const compare = ({ name, args, warm, cold }: Read, isCold: boolean): Promise<Line[]> => {
    const contender = (ledger: Filled): Contender =>
      unless(isCold ? missing : undefined, () => {
        if (isCold) dropFromMemory(ledger.path);
        return read(args, ledger);
      });
    const where = isCold ? ', read from the disk' : '';
    return race({
      rounds: isCold ? COLD_ROUNDS : WARM_ROUNDS,
      warmUp: true,
      contenders: { many: contender(many), few: contender(few) },
      comparisons: [
        {
          row: 14,
          name: `${name}${where}`,
          work: `Node, \`paycli ${args.join(' ')}\` (${name})${where}, ledger of ${MANY.toLocaleString('en')}`,
          against: `with ${FEW.toLocaleString('en')}`,
          ratio: ['many', 'few'],
          goal: { bound: '≤', value: isCold ? cold : warm },
        },
      ],
    });
  };
  const bare = (): number => {
    const db = new DatabaseSync(many.path, { readOnly: true });
    const started = performance.now();
    db.prepare(SUMS).all();
    const ms = performance.now() - started;
    db.close();
    return ms;
  };
  const report = await race({
    rounds: REPORT_ROUNDS,
    warmUp: true,
    contenders: { report: () => read(['ledger', 'report'], many), 'bare sums': bare },
    comparisons: [
      {
        row: 14,
        name: 'report',
        work: `Node, \`paycli ledger report\`, ledger of ${MANY.toLocaleString('en')}`,
        against: 'the same sums by one `GROUP BY` in SQLite, within a process',
        ratio: ['report', 'bare sums'],
        goal: { bound: '≤', value: 2 },
      },
    ],
  });
  const lines: Line[] = [];
  for (const isCold of [false, true]) {
    for (const one of READS) lines.push(...(await compare(one, isCold)));
  }
  return [...lines, ...report];
};

/** Row 14: what an operator reads from a ledger that is large, each time in a process of its own. */
export const ledgerReads: Bench = ({ folder }) => during(startList(RECORDS), (service) => readsOf(folder, service));
