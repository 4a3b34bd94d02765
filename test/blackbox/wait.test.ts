import { beforeEach, describe, expect, it } from 'vitest';
import { startHere } from '../support/in-process.ts';
import { errorOf, quickClock, start } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import type { Answer } from '../support/service.ts';
import { ACTIVITY, hang, held, json, problem, serve, UGWO_ID } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';

beforeEach(() => void quickClock());

const WAIT = ['activity', 'wait', UGWO_ID, ACTIVITY.uid];
const AGAIN = `paycli activity wait ${UGWO_ID} ${ACTIVITY.uid} --wait-timeout`;

const standing = (status: unknown, more: object = {}): Answer => json(200, { ...ACTIVITY, status, ...more });
const PAID = standing('successful', { next_action: null });
const printed = (status: string): string => `${JSON.stringify({ ...ACTIVITY, status })}\n`;

describe('activity wait', () => {
  it('waits for the payment and prints the activity once', () =>
    scene({
      service: [standing('requires_action'), standing(['on_hold', 'On hold']), PAID],
      argv: [...WAIT, '--json'],
      stdout: `${JSON.stringify({ ...ACTIVITY, status: 'successful', next_action: null })}\n`,
    }));

  it('exits with 11 if the charge has failed', () =>
    scene({
      service: [standing('failed', { error: { message: 'no funds' } })],
      argv: [...WAIT, '--json'],
      exit: 11,
      json: { status: 'failed' },
      error: { kind: 'charge_failed', message: 'the charge failed: no funds' },
    }));

  it('exits with 12 on timeout, with the last activity and the command to continue', () =>
    scene({
      service: () => standing('processing'),
      argv: [...WAIT, '--wait-timeout', '2s', '--json'],
      exit: 12,
      stdout: printed('processing'),
      error: {
        kind: 'pending',
        message: /^the payment is still open after \d+ s \(last status: processing\)$/,
        hint: `wait again with: ${AGAIN} 2s`,
      },
    }));

  it('exits with 12 if the account has expired, with the command to charge again', () =>
    scene({
      service: () => {
        const headers = { account_number: '0123456789', expires_at: new Date(Date.now() - 30_000).toISOString() };
        return standing('requires_action', { next_action: { type: 'user_action', headers } });
      },
      argv: [...WAIT, '--wait-timeout', '1s', '--json'],
      exit: 12,
      json: { status: 'requires_action' },
      error: {
        kind: 'pending',
        message: 'the time to pay is over, and nothing came',
        hint: `charge again: paycli ugwo charge ${UGWO_ID}`,
      },
    }));

  it('prints nothing before the end', async () => {
    const service = await serve([standing('requires_action'), hang]);
    const run = startHere([...WAIT, '--json'], { service });
    await service.came(2);
    expect(run.stdout()).toBe('');
    run.kill('SIGTERM');
    expect(await run.ended).toMatchObject({ code: 143, stdout: printed('requires_action') });
  });

  it('stops a hanging read at the timeout and says that nothing was read', () =>
    scene({
      service: [hang],
      argv: [...WAIT, '--wait-timeout', '1s', '--json'],
      exit: 8,
      error: { message: /^couldn't reach the service: no answer within \d+ s \(--wait-timeout\)$/ },
    }));

  it('stops at once if the service rejects the read', () =>
    scene({ service: [problem(404, 'No')], argv: WAIT, exit: 3 }));
});

describe('activity wait on a terminal', () => {
  it('shows the activity at once, a countdown that is erased, and the final change', async () => {
    const { hold, letGo } = held(PAID);
    const service = await serve([standing('requires_action'), hold]);
    const terminal = openTerminal(WAIT, { service, columns: 34, env: quickClock() });
    await terminal.saw(/not paid, waiting; 1[45]:\d\d left/);
    const first = await terminal.screen();
    expect(first).toMatch(/^uid +act\.AbCd/);
    expect(first).toContain('*737*000*5000#');
    expect(first.match(/left/g)).toHaveLength(1);
    letGo();
    expect((await terminal.ended).code).toBe(0);
    const screen = await terminal.screen();
    expect(screen).toMatch(/\nstatus +paid$/);
    expect(screen.match(/^uid/gm)).toHaveLength(1);
    expect(screen).not.toContain('left');
  });

  it('shows the activity at the end if the first read failed', async () => {
    const service = await serve([json(200, '{"cut'), PAID]);
    const terminal = openTerminal(WAIT, { service, env: quickClock() });
    await terminal.saw(/waiting; the last read failed; /);
    expect((await terminal.ended).code).toBe(0);
    const screen = await terminal.screen();
    expect(screen).toMatch(/^uid +act\.AbCd/);
    expect(screen).toMatch(/^status +paid$/m);
  });

  it('shows the last activity after Ctrl-C', async () => {
    const service = await serve([standing('requires_action'), hang]);
    const terminal = openTerminal(WAIT, { service, columns: 34, env: quickClock() });
    await service.came(2);
    terminal.type('\u0003');
    expect((await terminal.ended).code).toBe(130);
    const screen = await terminal.screen();
    expect(screen).toMatch(/^uid +act\.AbCd/);
    expect(screen).toMatch(/^status +not paid$/m);
    expect(screen).toContain('Cancelled by Ctrl-C;');
    expect(screen.replaceAll(/\s+/g, ' ')).toContain('wait again with');
    expect(screen).not.toMatch(/left|\^C/);
  });

  it('shows only the end with --quiet', async () => {
    const service = await serve([standing('processing'), PAID]);
    const terminal = openTerminal([...WAIT, '--quiet'], { service, env: quickClock() });
    expect((await terminal.ended).code).toBe(0);
    expect(terminal.raw()).not.toContain('left');
    expect(terminal.raw()).not.toContain('\r\u001b[2K');
  });
});

describe('ugwo charge --wait', () => {
  const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'ussd', '--provider', 'gtb', '--wait'];

  it('shows the next action at once, and then the outcome on a terminal', async () => {
    const { hold, letGo } = held(PAID);
    const service = await serve([json(200, ACTIVITY), standing('requires_action'), hold]);
    const terminal = openTerminal(CHARGE, { service, env: quickClock() });
    await terminal.saw(/not paid, waiting; /);
    expect(await terminal.screen()).toContain('*737*000*5000#');
    letGo();
    expect((await terminal.ended).code).toBe(0);
    const screen = await terminal.screen();
    expect(screen).toMatch(/\nstatus {2}paid$/);
    expect(screen.match(/^uid/gm)).toHaveLength(1);
    expect(screen).not.toContain('left');
  });

  it('prints only the outcome in a pipe, and updates the ledger', async () => {
    const service = await serve([json(200, ACTIVITY), standing('successful')]);
    const { home } = await scene({ service, argv: [...CHARGE, '--json'], stdout: printed('successful') });
    await scene({ service, home, argv: CHARGE, exit: 9, stderr: ['it is already paid'], requests: [] });
  });

  it('completes the charge without waiting if a signal arrives during it', async () => {
    const { hold, letGo } = held(json(200, ACTIVITY));
    const service = await serve([hold]);
    const run = startHere(CHARGE, { service });
    await service.came(1);
    run.kill('SIGTERM');
    await run.saw(/Finishing requests in flight/);
    letGo();
    const ended = await run.ended;
    expect(ended).toMatchObject({ code: 12, stdout: expect.stringContaining(`uid\t${ACTIVITY.uid}\n`) });
    expect(ended.stderr).toContain('stopped by SIGTERM before waiting; the charge was made and is in the ledger');
    expect(ended.stderr.replaceAll(/\s+/g, ' ')).toContain(AGAIN);
  });

  it('does not read how much came if a signal arrives during a charge whose answer shows the payment', async () => {
    const { hold, letGo } = held(PAID);
    const service = await serve([hold]);
    const run = startHere(CHARGE, { service });
    await service.came(1);
    run.kill('SIGTERM');
    await run.saw(/Finishing requests in flight/);
    letGo();
    const ended = await run.ended;
    expect(ended).toMatchObject({ code: 143, stdout: expect.stringContaining(`uid\t${ACTIVITY.uid}\n`) });
    expect(ended.stderr.replaceAll(/\s+/g, ' ')).toContain(AGAIN);
  });

  it('after Ctrl-C, prints the charge that was created and exits with 130', async () => {
    const service = await serve([json(200, ACTIVITY), hang]);
    const run = start([...CHARGE, '--json'], { service, env: quickClock() });
    await service.came(2);
    run.kill('SIGINT');
    const ended = await run.ended;
    expect(ended).toMatchObject({ code: 130, stdout: printed('requires_action') });
    expect(errorOf(ended)).toMatchObject({
      message: 'stopped waiting; the charge was made and is in the ledger',
      hint: expect.stringContaining(AGAIN),
    });
  });
});
