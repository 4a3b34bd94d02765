import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SEEDED } from '../../src/core/data-files.ts';
import { explained } from '../../src/core/service-codes.ts';
import { inProcess } from '../support/in-process.ts';
import { errorOf, newFolder } from '../support/program.ts';
import { json, problem, serveBy } from '../support/service.ts';
import { csvOf, fileOf, reportOf, reportPath } from './bulk-support.ts';

const MISSING = 'nzube.refund.error.missing_destination';
const violated = (title: string, propertyPath = 'destination') => problem(422, 'No', [{ propertyPath, title }]);
const REFUND = ['refund', 'create', SEEDED.paid.activity, '--amount-minor', '20000', '--yes'];

const refused = async (answer: ReturnType<typeof problem>, args: readonly string[]) => {
  const service = await serveBy(() => answer);
  return inProcess(args, { service, home: newFolder() });
};

describe('a known error code of the service', () => {
  it.each([
    [violated(MISSING), 'Say where the refund goes: --provider and --account-number.'],
    [violated('missing_destination', ''), 'Say where the refund goes: --provider and --account-number.'],
    [
      violated('nzube.refund.error.refund_amount_too_high', 'amount'),
      '--amount-minor (amount): The refund is larger than what is left of the payment.',
    ],
    [
      json(409, { message: 'nzube.refund.error.activity_not_paid', errors: [] }),
      'error: the service answered 409: The activity is not paid, so there is nothing to refund.',
    ],
    [problem(402, 'workspace.error.balance_too_low'), "402: The workspace's own balance is too low."],
    [json(404, { title: 'Not Found', status: 404, detail: 'ugwo.error.not_found' }), '404: No payment request in this'],
    [problem(409, 'nzube.refund.error.not_known_here'), '409: nzube.refund.error.not_known_here\n'],
  ])('is explained in a sentence that names the option: %#', async (answer, words) => {
    const ended = await refused(answer, REFUND);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain(words);
  });

  it('does not repeat the option beside the sentence', async () => {
    const { stderr } = await refused(violated(MISSING), REFUND);
    expect(stderr.split('\n')[1]).toBe('  Say where the refund goes: --provider and --account-number.');
  });

  it('names the property if no option sets it', () => {
    expect(explained(MISSING)).toBe('Say where the refund goes: provider and account_number.');
  });

  it('stays in JSON, and is shown with --debug beside the sentence', async () => {
    const ended = await refused(violated(MISSING), [...REFUND, '--json']);
    expect(errorOf(ended)['violations']).toMatchObject([{ title: MISSING }]);
    const { stderr } = await refused(violated(MISSING), [...REFUND, '--debug']);
    expect(stderr).toContain(`--provider and --account-number (${MISSING})\n`);
  });

  it('is explained with column names in the summary and, with the code, in the report', async () => {
    const report = reportPath();
    const rows = [1, 2].map((number) => `act.AbCd.${String(number).padStart(24, '0')},20000,NGN`);
    const file = ['refund', 'create', '--from', fileOf(csvOf('activity,amount_minor,currency', ...rows)), '--yes'];
    const ended = await refused(violated(MISSING), [...file, '--report', report]);
    expect(ended.code, ended.stderr).toBe(3);
    const words = 'Say where the refund goes: column provider and column account_number';
    expect(ended.stderr).toContain(`${words}: rows 1 and 2`);
    expect(reportOf(report)['1']?.['error']).toContain(`${words} (${MISSING})`);
  });

  it('of the emulator is explained, too', async () => {
    const ended = await inProcess(['ugwo', 'cancel', SEEDED.paid.ugwo, '--local', '--yes'], { home: newFolder() });
    expect(ended.code, ended.stderr).toBe(3);
    expect(ended.stderr).toContain('409: A payment request can be cancelled only before');
  });

  it('has a sentence for every code of the emulator', () => {
    const files = readdirSync('src/emulator').filter((name) => name.endsWith('.ts'));
    const sources = files.map((name) => readFileSync(`src/emulator/${name}`, 'utf8'));
    const codes = sources.flatMap((text) =>
      text.match(/(?<=')[a-z.]*\.error\.\w+|(?<=')ugwo_(?:processed|cancelled)/g),
    );
    expect(codes.length).toBeGreaterThan(10);
    const unexplained = codes.filter((code) => explained(code ?? '') === code && !code?.startsWith('psp.'));
    expect(unexplained).toEqual([]);
  });
});
