import { argument, defineCommand } from '../../cli/define.ts';
import { SEEDED } from '../../core/data-files.ts';

/** Approval of a file by a second person before it is sent. */
export const approveCommand = defineCommand({
  path: ['approve'],
  danger: 'money',
  summary: 'approve a file of charges that somebody else wants to send',
  description:
    'For a file that comes to more than the policy of its profile leaves to one person (`paycli policy set --approve-above`). ' +
    'Shows what the file comes to and who wants to send it, and asks for the sum, typed in full on a terminal; --yes does not ' +
    'answer that. Whoever ran the file cannot approve it. The approval holds for this file with these options, for as many ' +
    'rows and as much money as are shown. It sends nothing.',
  args: [argument('job', 'the job, job-…, that the refused command named', { completes: 'job' })],
  examples: {
    "the file waits (exit 9), and whoever sent it can't approve it (exit 9)":
      "paycli policy set --approve-above 'NGN 1.00'\n" +
      `printf 'ugwo\\n${SEEDED.ugwo}\\n' | paycli ugwo charge --from - --medium bank_transfer\n` +
      'paycli approve "$(paycli ledger jobs --max 1 -o tsv --columns id)"',
  },
  output: 'the job, as in `paycli ledger show`',
  exits: ['usage', 'refused', 'ledger', 'interrupted'],
  read: ([id = '']) => ({ id }),
  load: async () => ({ run: (await import('./jobs.ts')).approve }),
});
