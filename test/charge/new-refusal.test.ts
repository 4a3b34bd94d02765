import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Sabotage } from '../faults/sabotage.ts';
import { changedFolder, changedProgram } from '../support/changed.ts';
import { ugwoOf } from '../support/ids.ts';
import { newFolder, paycli } from '../support/program.ts';
import { json, reset, serveBy, ugwo } from '../support/service.ts';

const TABLE = 'src/charge/refusals.ts';
const PAID = "  paid: { short: 'already paid',";

/** A reason of its own for a status that the service may get. */
const HELD: Sabotage = {
  name: 'a reason for requests on hold',
  file: TABLE,
  from: PAID,
  to: `  held: { short: 'on hold', statuses: { on_hold: 'is on hold' }, passedBy: ['--again'] },\n${PAID}`,
};
const HELD_WORDS: Sabotage = {
  name: 'its words',
  file: 'src/charge/refused.ts',
  from: '  cancelled: ({ intent }) => [',
  to: "  held: () => ['it is on hold', 'wait'],\n  cancelled: ({ intent }) => [",
};

describe('a reason that is added to the table of refusals', () => {
  const program = changedProgram(HELD, HELD_WORDS);
  const open = async () => {
    const request = { ...ugwo(1), uid: ugwoOf(1), status: 'on_hold', checkout: { uid: 'chk.AbCd.1' }, activities: [] };
    const service = await serveBy(() => json(200, request), { looks: 'asked' });
    const charge = (...more: readonly string[]) =>
      paycli(['ugwo', 'charge', ugwoOf(1), '--medium', 'bank_transfer', ...more], {
        service,
        home: newFolder(),
        program,
      });
    return { service, charge };
  };

  it('refuses, with its words, also in a dry run', async () => {
    const { service, charge } = await open();
    for (const more of [[], ['--dry-run']]) {
      const { code, stderr } = await charge(...more);
      expect([code, stderr]).toEqual([9, expect.stringContaining('it is on hold')]);
    }
    expect(service.seen.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it('lets the charge pass with the option that it names', async () => {
    const { service, charge } = await open();
    await charge('--again');
    expect(service.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });
});

const BLIND: Sabotage = {
  name: 'a guard that passes what is unknown',
  file: 'src/ledger/guard.ts',
  from: "if (state === 'unknown') return because('unresolved');",
  to: "if (state === 'unknown') return [];",
};

it('names the guard, if the ledger has to hold a second charge back', async () => {
  const request = { ...ugwo(1), uid: ugwoOf(1), checkout: { uid: 'chk.AbCd.1' }, activities: [] };
  const service = await serveBy(({ method }) => (method === 'POST' ? reset : json(200, request)), { looks: 'asked' });
  const options = { service, home: newFolder(), program: changedProgram(BLIND) };
  const charge = () => paycli(['ugwo', 'charge', ugwoOf(1), '--medium', 'bank_transfer', '--no-preflight'], options);
  expect((await charge()).code).toBe(6);
  const { code, stderr } = await charge();
  expect([code, stderr]).toEqual([
    9,
    expect.stringMatching(/^error: nothing was sent for .*report this as a bug in paycli/s),
  ]);
  expect(service.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
});

/** Errors of the compiler in files that import the table. */
const errorsOf = (...edits: readonly Sabotage[]): string => {
  const folder = changedFolder(...edits);
  const config = { extends: join(process.cwd(), 'tsconfig.json'), include: [], files: ['src/charge/refused.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(process.cwd(), 'node_modules/typescript/bin/tsc');
  return spawnSync(process.execPath, [tsc, '-p', folder, '--noEmit', '--incremental', 'false'], { encoding: 'utf8' })
    .stdout;
};

describe('the compiler', () => {
  it('finds the words that a new reason lacks', () => {
    expect(errorsOf(HELD)).toMatch(/refused\.ts.*held/s);
  });

  it('lets no option override what may be a charge under way', () => {
    const grave = ['unresolved', 'in_progress', 'disputed'];
    const edits = grave.map((why) => ({
      name: why,
      file: TABLE,
      from: `  ${why}: {`,
      to: `  ${why}: { passedBy: ['--again'],`,
    }));
    const lines = errorsOf(...edits).split('\n');
    expect(lines.filter((line) => line.includes("is not assignable to type 'never'"))).toHaveLength(grave.length);
  });
});
