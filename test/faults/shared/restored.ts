import { ugwoOf } from '../counting.ts';
import type { Part } from '../part.ts';
import { type Bench, openBench } from './bench.ts';
import { charge, PATIENT, type Process } from './machine.ts';

/** Restores an earlier state of the database. */
const restore = async ({ cluster, database }: Bench, backup: string): Promise<void> => {
  await cluster.sql(`DROP DATABASE ${database} WITH (FORCE)`);
  await cluster.sql(`ALTER DATABASE ${backup} RENAME TO ${database}`);
};

/** The database is restored from a backup without a charge: the machine that sent it detects that, and refuses. */
export const restored: Part = async ({ folder }) => {
  const bench = await openBench(folder);
  try {
    const where: Process = { url: bench.url(), folder: bench.newMachine(), limits: PATIENT };
    const [before, lost, other] = [ugwoOf(0), ugwoOf(1), ugwoOf(2)];
    const charged = (ugwo: string) => charge(where, bench.service.origin, ugwo);
    const first = await charged(before);
    const backup = await bench.cluster.createDatabase(bench.database);
    const second = await charged(lost);
    await restore(bench, backup);
    const later = [await charged(lost), await charged(other)];
    const failures = [
      ...[first, second].flatMap(({ kind }) => (kind === 'accepted' ? [] : [`a charge before it was ${kind}`])),
      ...later.flatMap(({ kind, message }) => (kind === 'ledger' ? [] : [`a charge after it was ${kind} ${message}`])),
      ...(bench.posts(lost) === 1 ? [] : [`${bench.posts(lost)} came of what it had forgotten`]),
      ...(bench.posts(other) === 0 ? [] : ['another came before anybody knew']),
    ];
    return { figures: [{ name: 'databases restored', value: 1 }], failures };
  } finally {
    await bench.close();
  }
};
