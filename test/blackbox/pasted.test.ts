import { describe, it } from 'vitest';
import { SEEDED } from '../../src/core/data-files.ts';
import { shellQuote } from '../../src/core/shell.ts';
import { newFolder } from '../support/program.ts';
import { scene } from '../support/scene.ts';

const CHARGE = ['ugwo', 'charge', SEEDED.ugwo, '--medium', 'bank_transfer', '--local'];
const LIST = ['ledger', 'list', '--local', '-o', 'tsv', '--columns'];

describe('a command line in a hint', () => {
  it.each([
    [['policy', 'show', '--local'], 'paycli policy set --local'],
    [['policy', 'show', '--local'], 'paycli policy list --local'],
    [['policy', 'show', 'shop', '--local'], 'paycli policy set shop --local'],
    [['policy', 'show', '--others'], 'paycli policy set --others'],
    [['policy', 'remove', 'shop', '--local'], 'paycli policy list --local'],
  ])('keeps the profile and the ledger of %j', async (argv, line) => {
    await scene({ argv, exit: 2, stderr: [`\`${line}\``] });
  });

  it("keeps the ledger of an entry that can't be resolved", async () => {
    const { home, stdout } = await scene({ before: [CHARGE], argv: [...LIST, 'id'] });
    const id = stdout.trim();
    const refused = async (as: string, line: string) => {
      const argv = ['ledger', 'resolve', id, '--as', as, '--reason', 'seen', '--yes', '--local'];
      await scene({ home, argv, exit: 2, stderr: [`\`${line} --local\``] });
    };
    await refused('paid', `paycli ledger show ${id}`);
    await refused('failed', 'paycli refund list');
    await refused('created', `paycli ledger show ${id}`);
  });

  it('keeps the service of a charge that was paid twice, whichever profile reads the ledger', async () => {
    const { home, stdout } = await scene({ before: [CHARGE], argv: [...LIST, 'id,activity'] });
    const [id = '', activity = ''] = stdout.trim().split('\t');
    await scene({ home, argv: ['emulator', 'settle', activity, '--as', 'successful', '--amount', '900000.00'] });
    const stderr = [new RegExp(`paycli refund create ${activity} --ugwo \\S+ --amount [0-9.]+ --local\n`)];
    for (const line of ['ledger sync --local', `ledger show ${id}`, 'ledger list --all-profiles'])
      await scene({ home, argv: line.split(' '), stderr });
  });

  it.each([
    [['webhook', 'remove', '9'], 'webhook list'],
    [['webhook', 'deliveries', '--replay', '9'], 'webhook deliveries'],
    [['webhook', 'trigger', 'ugwo.successful'], 'webhook add URL'],
  ])('keeps the data file of emulator %j', async (words, line) => {
    const file = `${newFolder()}/it's here.sqlite`;
    const stderr = [`\`paycli emulator ${line} --data ${shellQuote(file)}\``];
    await scene({ argv: ['emulator', ...words, '--data', file], exit: 2, stderr });
  });
});
