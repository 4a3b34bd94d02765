import { describe, expect, it } from 'vitest';
import { PROGRAM } from '../support/built.ts';
import { newFolder, quickClock } from '../support/program.ts';
import { openShell, openTerminal } from '../support/terminal.ts';
import { charge } from './watch-support.ts';

/** Non-empty lines of the screen. */
const linesOf = (screen: string): string[] => screen.split('\n').filter((line) => line !== '');

const CURSOR = '\u001b[?25';

describe('watch on a terminal', () => {
  it('redraws a table with totals that fits the screen', async () => {
    const world = await charge(12);
    const session = openTerminal(['watch'], { ...world, columns: 80, rows: 12, env: quickClock() });
    await session.saw(/12 open NGN 60,000\.78/);
    world.set(3, 'successful');
    await session.saw(/1 paid NGN 5,000\.03/);
    world.set(4, 'failed');
    await session.saw(/1 failed NGN 5,000\.04/);
    const lines = linesOf(await session.screen());
    expect(lines).toHaveLength(11);
    expect(lines[0]).toMatch(/^ref +amount +now +received$/);
    expect(lines[2]).toMatch(/^order-4 +NGN 5,000\.04 +failed +NGN 0\.00$/);
    expect(lines[3]).toMatch(/^order-3 +NGN 5,000\.03 +paid +NGN 5,000\.03$/);
    expect(lines.slice(-3)).toEqual([
      'and 6 more',
      '1 paid NGN 5,000.03, 10 open NGN 50,000.71, 1 failed NGN 5,000.04',
      'polling; Ctrl-C stops watching',
    ]);
    session.type('\u0003');
    expect(await session.ended).toEqual({ code: 130 });
    const end = linesOf(await session.screen());
    expect(end.slice(-2)).toEqual([
      '1 paid NGN 5,000.03, 10 open NGN 50,000.71, 1 failed NGN 5,000.04',
      'Stopped watching; nothing was changed',
    ]);
    expect(session.raw()).not.toContain(CURSOR);
  });

  it('ends with the totals once all are final', async () => {
    const world = await charge(2);
    for (const number of [1, 2]) world.set(number, 'successful');
    const session = openTerminal(['watch', '--job', world.job, '--until-final'], {
      ...world,
      columns: 60,
      env: quickClock(),
    });
    expect(await session.ended).toEqual({ code: 0 });
    expect(linesOf(await session.screen()).at(-1)).toBe('2 paid NGN 10,000.03');
  });

  it('keeps what programs print above the table', async () => {
    const world = await charge(2);
    const session = openTerminal(['watch', '--job', world.job, '--until-final', '--exec', 'echo told'], {
      ...world,
      env: quickClock(),
    });
    await session.saw(/2 open/);
    world.set(1, 'successful');
    await session.saw(/told/);
    world.set(2, 'successful');
    expect(await session.ended).toEqual({ code: 0 });
    const [first, second, header] = linesOf(await session.screen());
    expect([first, second, header]).toEqual(['told', 'told', expect.stringMatching(/^ref /)]);
  });

  it.each([{ ACCESSIBLE: '1' }, { TERM: 'dumb' }])('prints lines without redrawing with %j', async (env) => {
    const world = await charge(2);
    const session = openTerminal(['watch', '--job', world.job, '--until-final'], {
      ...world,
      env: { ...env, ...quickClock() },
    });
    await session.saw(/order-2[^\n]*open/);
    world.set(1, 'successful');
    await session.saw(/order-1[^\n]*paid/);
    world.set(2, 'successful');
    expect(await session.ended).toEqual({ code: 0 });
    const lines = linesOf(await session.screen());
    expect(lines.filter((line) => line.startsWith('order-')).map((line) => line.split(/ {2,}/)[2])).toEqual([
      'open',
      'open',
      'paid',
      'paid',
    ]);
    expect(
      session
        .raw()
        .split('\u001b')
        .filter((piece) => /^\[(?:2K|0J|\d+[A-DG])/.test(piece)),
    ).toEqual([]);
  });

  it('is erased while suspended, and redrawn afterwards', async () => {
    const world = await charge(2);
    const shell = openShell({ ...world, cwd: newFolder('cwd') });
    await shell.saw(/ready\$ /);
    shell.type(`${[...PROGRAM, 'watch'].join(' ')}\r`);
    await shell.saw(/polling; Ctrl-C stops/);
    shell.type('\u001a');
    await shell.saw(/Stopped[^$]*ready\$ /);
    expect(await shell.screen()).not.toMatch(/polling|not paid/);
    const before = shell.raw().length;
    shell.type('fg\r');
    await shell.saw(/polling; Ctrl-C stops/, before);
    shell.type('\u0003');
    await shell.saw(/Stopped watching[^$]*ready\$ /, before);
    shell.type('echo ended:$?\r');
    await shell.saw(/ended:130/, before);
    expect((await shell.screen()).match(/polling/g)).toBeNull();
    expect(shell.raw()).not.toContain(CURSOR);
    shell.type('exit\r');
    await shell.ended;
  });
});
