import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { words } from '../structure/words.ts';
import { inProcess } from '../support/in-process.ts';
import { fromNoon, newFolder } from '../support/program.ts';
import { tryLines } from '../support/shell.ts';

/** The first block of commands under a heading of the guide. */
const linesUnder = (heading: string): string => {
  const [, section = ''] = readFileSync('docs/guide.md', 'utf8').split(`\n## ${heading}\n`);
  const [block = ''] = /(?:^ {4}.*\n)+/m.exec(section) ?? [];
  return block.replaceAll(/^ {4}/gm, '').trim();
};

const REQUEST = 'uid,status,amount_minor,currency,ref';

describe.runIf(process.platform !== 'win32')('the example day in the guide', () => {
  it('ends with a customer, a paid request with a partial refund, and a cancelled request', async () => {
    const day = linesUnder("A day's work, on this machine alone");
    expect(day.split('\n')).toHaveLength(10);
    const home = newFolder();
    fromNoon();
    const printed: string[] = [];
    for (const line of day.split('\n')) {
      const [program, ...argv] = words(line);
      const { code, stdout, stderr } = await inProcess(argv, { home, env: { PAYCLI_PROFILE: 'local' } });
      expect([program, code], stderr).toEqual(['paycli', 0]);
      printed.push(stdout);
    }
    const [list, csv] = printed.slice(-2);

    const look = async (...words: readonly string[]): Promise<string> =>
      (await inProcess([...words, '--local'], { home })).stdout;
    const found = JSON.parse(await look('onye', 'list', '--email', 'ada@example.com', '--all', '--json'));
    expect(found.data).toMatchObject([{ first_name: 'Ada', last_name: 'Obi' }]);
    const [paid, cancelled] = await Promise.all(
      ['INV-1', 'INV-2'].map(async (ref) => JSON.parse(await look('ugwo', 'list', '--ref', ref, '--json')).data[0]),
    );
    expect(paid).toMatchObject({ status: 'partially_refunded', amount: 500_000, total_amount_paid: 500_000 });
    expect(paid.onye.uid).toBe(found.data[0].uid);
    expect(cancelled).toMatchObject({ status: 'cancelled', amount: 90_000, total_amount_paid: 0 });
    // Money is formatted, too.
    expect(await look('ugwo', 'get', paid.uid, '-o', 'tsv')).toContain('\ntotal_amount_paid_minor\t500000\n');
    expect(await look('ledger', 'list', '--kind', 'all', '-o', 'tsv', '--columns', 'kind,state')).toContain(
      'refund\taccepted\n',
    );

    const shown = /^ugw\.\S+\tcancelled\t90000\tNGN\tINV-2\t.*\nugw\.\S+\tpartially_refunded\t500000\tNGN\tINV-1\t/m;
    expect(list).toMatch(shown);
    const [header, ...rows] = csv?.trimEnd().split('\r\n') ?? [];
    expect(header).toMatch(new RegExp(`^${REQUEST},`));
    expect(rows.map((row) => row.split(',').slice(1, 5).join())).toEqual(
      expect.arrayContaining(['cancelled,90000,NGN,INV-2', 'partially_refunded,500000,NGN,INV-1']),
    );
  });

  it('at the desk ends with nothing left to do', async () => {
    const desk = linesUnder('A day at the desk');
    const [home, cwd] = [newFolder(), newFolder('cwd')];
    const env = { PAYCLI_PROFILE: 'local', ...fromNoon() };
    const { codes, ended } = await tryLines(desk, { home, cwd, env, also: { date: 'echo 2026-11-20' } });
    expect(codes, ended.stderr).toEqual([]);
    expect(ended.stdout).toMatch(/^underpaid\tugw\.\S+\tINV-P5\t250000\tNGN\t.*--remaining\b.*\nexit 14\n/m);
    expect(ended.stdout).toMatch(/\tINV-P5\t.*\tledger\tref\tpaycli /);
    expect(ended.stderr).toMatch(/received NGN 5,000\.00 {3}refunded nothing {3}open nothing\n/);
    expect(ended.stdout.match(/^agrees\tref\t/gm)).toHaveLength(2);
  });
});
