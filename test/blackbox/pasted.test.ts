import { describe, expect, it } from 'vitest';
import { SEEDED } from '../../src/core/data-files.ts';
import { shellQuote } from '../../src/core/shell.ts';
import { inProcess } from '../support/in-process.ts';
import { newFolder } from '../support/program.ts';

describe('a command line in a hint', () => {
  it.each([
    [['policy', 'show', '--local'], 'paycli policy set --local'],
    [['policy', 'show', '--local'], 'paycli policy list --local'],
    [['policy', 'show', 'shop', '--local'], 'paycli policy set shop --local'],
    [['policy', 'show', '--others'], 'paycli policy set --others'],
    [['policy', 'remove', 'shop', '--local'], 'paycli policy list --local'],
  ])('keeps the profile and the ledger of %j', async (words, line) => {
    const ended = await inProcess(words, { home: newFolder() });
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(`\`${line}\``) });
  });

  it("keeps the ledger of an entry that can't be resolved", async () => {
    const home = newFolder();
    const local = (...words: readonly string[]) => inProcess([...words, '--local'], { home });
    expect(await local('ugwo', 'charge', SEEDED.ugwo, '--medium', 'bank_transfer')).toMatchObject({ code: 0 });
    const id = (await local('ledger', 'list', '-o', 'tsv', '--columns', 'id')).stdout.trim();
    const resolve = (as: string) => local('ledger', 'resolve', id, '--as', as, '--reason', 'seen', '--yes');
    expect((await resolve('paid')).stderr).toContain(`\`paycli ledger show ${id} --local\``);
    expect((await resolve('failed')).stderr).toContain('see: `paycli refund list --local`\n');
    expect((await resolve('created')).stderr).toContain(`\`paycli ledger show ${id} --local\``);
  });

  it('keeps the service of a charge that was paid twice, whichever profile reads the ledger', async () => {
    const home = newFolder();
    const run = (...words: readonly string[]) => inProcess(words, { home });
    await run('ugwo', 'charge', SEEDED.ugwo, '--medium', 'bank_transfer', '--local');
    const columns = ['-o', 'tsv', '--columns', 'id,activity'];
    const [id = '', activity = ''] = (await run('ledger', 'list', '--local', ...columns)).stdout.trim().split('\t');
    await run('emulator', 'settle', activity, '--as', 'successful', '--amount', '900000.00');
    const line = new RegExp(`paycli refund create ${activity} --amount [0-9.]+ --local\n`);
    expect((await run('ledger', 'sync', '--local')).stderr).toMatch(line);
    expect((await run('ledger', 'show', id)).stderr).toMatch(line);
    expect((await run('ledger', 'list', '--all-profiles')).stderr).toMatch(line);
  });

  it.each([
    [['webhook', 'remove', '9'], 'webhook list'],
    [['webhook', 'deliveries', '--replay', '9'], 'webhook deliveries'],
    [['webhook', 'trigger', 'ugwo.successful'], 'webhook add URL'],
  ])('keeps the data file of emulator %j', async (words, line) => {
    const home = newFolder();
    const file = `${home}/it's here.sqlite`;
    const ended = await inProcess(['emulator', ...words, '--data', file], { home });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(`\`paycli emulator ${line} --data ${shellQuote(file)}\``);
  });
});
