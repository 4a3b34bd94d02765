import { argument, defineCommand } from '../../cli/define.ts';
import { SEEDED } from '../../core/data-files.ts';

/** Approval of a file by a second person before it is sent. */
export const approveCommand = defineCommand({
  path: ['approve'],
  danger: 'money',
  summary: "approve another person's file, or an agent's charge",
  description:
    'In a shared ledger, a file above the policy of its profile (`paycli policy set --approve-above`) needs a second ' +
    'person. Shows the sum of the file and who wants to send it, and asks you to type the sum on a terminal; --yes ' +
    "does not answer that question. The person who ran the file can't approve it. The approval is for this file, " +
    'these options, and at most these rows and this sum. It sends nothing.\n\n' +
    'An agent that charges at a live service with `paycli mcp --allow money` names its plan, plan-…. Any person can ' +
    'approve a plan, within ten minutes.',
  args: [argument('job', 'the job, job-…, that the refused command named, or the plan, plan-…', { completes: 'job' })],
  examples: {
    'the newest file (exit 2 without a shared ledger)':
      `printf 'ugwo\\n${SEEDED.ugwo}\\n' | paycli ugwo charge --from - --medium bank_transfer\n` +
      'paycli approve "$(paycli ledger jobs --max 1 -o tsv --columns id)"',
  },
  output: 'the job, as in `paycli ledger show`',
  exits: ['usage', 'refused', 'ledger', 'interrupted'],
  read: ([id = '']) => ({ id }),
  load: async () => ({ run: (await import('./jobs.ts')).approve }),
});
