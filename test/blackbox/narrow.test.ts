import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { json, serve, ugwo } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';

const CURSOR = 'c'.repeat(90);

const RECORDS = [
  { ...ugwo(1), ref: 'INV-000120', onye: { uid: 'ony.AbCd.1', email: 'amaka.olawale16@example.com' } },
  { ...ugwo(2), ref: 'INV-000119', onye: { uid: 'ony.AbCd.2', email: null, first_name: 'Ada', last_name: 'Bello' } },
];

it.each([
  [['ugwo', 'get', '…1YOiDNb4jrYtSK']],
  [['ugwo', 'charge', 'ugw.AbCd.0000…', '--medium', 'bank_transfer']],
  [['onye', 'get', '…qc0Tk86Uj']],
  [['ledger', 'list', '--customer', '…qc0Tk86Uj']],
  [['webhook', 'events', 'list', '--ugwo', '…qc0Tk86Uj']],
])('an id shortened by a table is rejected: %j', async (args) => {
  const ended = await inProcess(args, { service: await serve([]) });
  expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('…') });
});

const listed = async (columns: number, env: Record<string, string> = {}): Promise<string> => {
  const service = await serve([json(200, { data: RECORDS, next_cursor: CURSOR })]);
  const terminal = openTerminal(['ugwo', 'list', '--limit', '2'], { service, columns, env });
  expect(await terminal.ended).toEqual({ code: 0 });
  return terminal.raw().replaceAll('\r\n', '\n');
};

describe('a list on a terminal of 80 columns', () => {
  it('prints the command for the next page unbroken on its own line', async () => {
    const lines = (await listed(80, { NO_COLOR: '1' })).split('\n');
    expect(lines.slice(-3)).toEqual(['More:', `  paycli ugwo list --limit 2 --cursor ${CURSOR}`, '']);
  });

  it.each([{ LC_ALL: 'C' }, { LC_ALL: '', LANG: 'C' }, { LC_ALL: '', LC_CTYPE: 'POSIX' }])(
    'is ASCII with %j',
    async (env) => {
      expect(await listed(64, { NO_COLOR: '1', ...env })).toMatch(/^[ -~\n]+$/);
    },
  );
});
