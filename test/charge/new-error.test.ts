import { describe, expect, it } from 'vitest';
import { charged, reportOf, reportPath, serveCharges, ugwoOf, ussdFile } from '../blackbox/bulk-support.ts';
import { changedProgram } from '../support/changed.ts';
import { errorOf, newFolder, paycli } from '../support/program.ts';
import { problem } from '../support/service.ts';

/** One edit: the service's 409 becomes an error of its own, a little less grave than `rejected`. */
const CONFLICT = {
  name: 'an error of its own for 409',
  file: 'src/core/error.ts',
  from: 'statuses: [400, 402, 404, 405, 409, 415, 422],\n  },',
  to: `statuses: [400, 402, 404, 405, 415, 422],
  },
  conflict: { exit: 15, meaning: 'busy', again: 'no', certain: 'rejected', row: 'rejected', statuses: [409] },`,
};

describe('an error that is added to the table', () => {
  const program = changedProgram(CONFLICT);
  const conflict = problem(409, 'Busy');

  it('decides the exit code, and the state in the ledger', async () => {
    const [service, home] = [await serveCharges({ 1: conflict }), newFolder()];
    const options = { service, home, program };
    const ended = await paycli(
      ['ugwo', 'charge', ugwoOf(1), '--medium', 'ussd', '--provider', 'gtb', '--json'],
      options,
    );
    expect(ended.code).toBe(15);
    expect(errorOf(ended)).toMatchObject({ kind: 'conflict', exit_code: 15, status: 409 });
    const { data } = JSON.parse((await paycli(['ledger', 'list', '--json'], options)).stdout);
    expect(data).toMatchObject([{ state: 'rejected', exit_code: 15 }]);
  });

  it.each([
    ['less grave than a rejection', problem(422, 'No'), 3],
    ['graver than a failed charge', charged(2, { status: 'failed' }), 15],
  ])('decides the state of a row, and is %s', async (_what, other, code) => {
    const [service, report] = [await serveCharges({ 1: conflict, 2: other }), reportPath()];
    const from = ['ugwo', 'charge', '--from', ussdFile(1, 2), '--report', report];
    expect(await paycli(from, { service, home: newFolder(), program })).toMatchObject({ code });
    expect(reportOf(report)[1]).toMatchObject({ state: 'rejected' });
  });
});
