import { describe, expect, it } from 'vitest';
import { formatAnywhere } from '../../src/core/time.ts';
import { PROGRAM } from '../support/built.ts';
import { newFolder } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import { ACTIVITY, json, serve, serveBy, UGWO_ID } from '../support/service.ts';
import { openShell, openTerminal } from '../support/terminal.ts';

const GET = ['activity', 'get', UGWO_ID, ACTIVITY.uid];
const ACTION = {
  type: 'user_action',
  instruction: 'Transfer the exact amount',
  headers: {
    bank_name: 'Wema Bank',
    account_name: 'KWUGWO / ADA',
    account_number: '0123456789',
    expires_at: '2099-01-02T03:04:05+01:00',
  },
};
const OPEN = json(200, { ...ACTIVITY, status: 'requires_action', next_action: ACTION });
const MESSAGE =
  'Transfer the exact amount\n\nBank: Wema Bank\nAccount name: KWUGWO / ADA\nAccount number: 0123456789\nExpires: ';

describe('--share and --copy', () => {
  it('prints a message for the customer, and nothing else', () =>
    scene({
      built: true,
      service: [OPEN],
      argv: [...GET, '--share'],
      stdout: `${MESSAGE}${formatAnywhere(Date.parse(ACTION.headers.expires_at))}\nReference: order-1\n`,
    }));

  const charge = (...one: string[]): string[] => ['ugwo', 'charge', ...one, '--medium', 'bank_transfer'];

  it.each([
    [[...GET, '--share'], '-o json', "--share prints a message; it can't be used with -o json"],
    [[...GET, '--share'], '--columns uid', "--share prints a message; it can't be used with --columns"],
    [charge(UGWO_ID), '--share --wait', "--share and --wait can't be used together"],
    [charge(), '--share --from x.csv', "--share and --from can't be used together"],
    [charge(), '--copy --from x.csv', "--copy and --from can't be used together"],
  ])('reject other output, --wait and --from before sending: %j %s', async (args, more, message) => {
    await scene({ service: [], argv: [...args, ...more.split(' ')], exit: 2, stderr: [message], requests: [] });
  });

  it('rejects --jq, too', () =>
    scene({
      built: true,
      service: [],
      argv: [...GET, '--share', '--jq', '.uid'],
      exit: 2,
      stderr: ["--share prints a message; it can't be used with --jq"],
      requests: [],
    }));

  it('copies the account number through the terminal and prints it between rules', async () => {
    const terminal = openTerminal([...GET, '--copy'], { service: await serve([OPEN]) });
    expect(await terminal.ended).toEqual({ code: 0 });
    expect(terminal.raw()).toContain(`\u001b]52;c;${Buffer.from('0123456789').toString('base64')}\u0007`);
    const lines = (await terminal.screen()).split('\n');
    const number = lines.indexOf('  0123456789');
    expect(number).toBeGreaterThan(0);
    expect(lines.filter((line) => /^[─-]{48}$/u.test(line))).toHaveLength(2);
  });

  // A pasted line break runs a line, and nobody sees an escape sequence.
  it.each(['0123\nrm -rf ~\n', '\u001b]0;x\u0007', '01\u200b23', '01\r'])(
    'copies no hidden characters: %j',
    async (hidden) => {
      const transfer = { ...ACTION, headers: { ...ACTION.headers, account_number: hidden } };
      const dial = { ...ACTION, headers: { ussd: hidden } };
      for (const next_action of [transfer, dial]) {
        const service = await serve([json(200, { ...ACTIVITY, status: 'requires_action', next_action })]);
        const terminal = openTerminal([...GET, '--copy'], { service });
        expect(await terminal.ended).toEqual({ code: 0 });
        expect(terminal.raw()).not.toContain(']52;');
        expect(await terminal.screen()).toMatch(
          /Nothing was copied: the (account number|code to dial) has hidden characters\./,
        );
      }
    },
  );

  it('copies a message as it is shown', async () => {
    const headers = { ...ACTION.headers, account_name: 'A\u001b[2JB\nC' };
    const next_action = { ...ACTION, instruction: 'Pay\u001b]0;x\u0007\nnow', headers };
    const service = await serve([json(200, { ...ACTIVITY, status: 'requires_action', next_action })]);
    const terminal = openTerminal([...GET, '--copy', '--share'], { service });
    expect(await terminal.ended).toEqual({ code: 0 });
    const [, base64 = ''] = /\]52;c;([\w+/=]*)/.exec(terminal.raw()) ?? [];
    const copied = Buffer.from(base64, 'base64').toString();
    expect(copied).toMatch(/^Pay\\x1b\]0;x\\x07\nnow\n\n[\s\S]*Account name: A\\x1b\[2JB\\nC\n/);
  });
});

it('a progress line is erased while the program is suspended, and redrawn afterwards', async () => {
  const service = await serveBy(() => OPEN);
  const words = [...PROGRAM, 'activity', 'wait', UGWO_ID, ACTIVITY.uid];
  const shell = openShell({ service, cwd: newFolder('cwd') });
  await shell.saw(/ready\$ /);
  shell.type(`${words.join(' ')}\r`);
  await shell.saw(/left, Ctrl-C stops waiting/);
  shell.type('\u001a');
  await shell.saw(/Stopped[^$]*ready\$ /);
  expect(await shell.screen()).not.toContain('left, Ctrl-C');
  const before = shell.raw().length;
  shell.type('fg\r');
  await shell.saw(/left, Ctrl-C stops waiting/, before);
  shell.type('\u0003');
  await shell.saw(/Cancelled by Ctrl-C[^$]*ready\$ /);
  shell.type('echo ended:$?\r');
  await shell.saw(/ended:130/);
  expect(await shell.screen()).not.toContain('left, Ctrl-C');
  shell.type('exit\r');
  await shell.ended;
});
