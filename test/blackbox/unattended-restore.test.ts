import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { PROGRAM } from '../support/built.ts';
import { type Ended, newFolder, start } from '../support/program.ts';
import { programs } from '../support/shell.ts';
import { blockBelow, openRealShop } from './unattended-support.ts';

// The lines are for a POSIX shell.
it.skipIf(process.platform === 'win32')(
  'a machine that dies is replaced from a backup, and its file is sent again without a second charge',
  async () => {
    const shop = await openRealShop();
    const home = newFolder();
    const data = join(home, 'data');
    const tools = programs({ paycli: `exec ${PROGRAM.map((word) => `'${word}'`).join(' ')} "$@"` });
    writeFileSync(join(tools, 'paycli-cron'), blockBelow('/usr/local/bin/paycli-cron'), { mode: 0o755 });
    const env = {
      ...{ HOME: home, PAYCLI_HOME: data, PAYCLI_BASE_URL: shop.origin, PAYCLI_SECRET_KEY: shop.key },
      PATH: [tools, process.env['PATH']].join(delimiter),
    };
    const sh = (line: string): Promise<Ended> => start(['-c', line], { env, cwd: home, program: ['/bin/sh'] }).ended;
    const request = async (emulate?: string): Promise<string> => (await shop.request(emulate)).uid;
    const [before, lost, after, unpaid] = [await request(), await request('lost'), await request(), await request()];
    const file = (...uids: string[]): void =>
      writeFileSync(join(home, 'due.csv'), `ugwo,medium,provider\n${uids.map((uid) => `${uid},ussd,gtb\n`).join('')}`);
    const charge = (): Promise<Ended> => sh('paycli ugwo charge --yes --from due.csv --json');

    file(before);
    expect(await charge()).toMatchObject({ code: 0 });
    mkdirSync(join(home, 'safe'));
    // In a crontab, a percent sign ends the command.
    const backup = blockBelow('For a ledger file').trim().split(' ').slice(5).join(' ').replaceAll('\\%', '%');
    expect(await sh(backup)).toMatchObject({ code: 0, stdout: '' });
    const [copy = '', ...others] = readdirSync(join(home, 'safe'));
    expect(others).toEqual([]);
    file(before, lost, after);
    await charge();
    rmSync(data, { recursive: true });

    for (const line of blockBelow('Start anew').trim().split('\n')) {
      const ended = await sh(line.replace('COPY', `"$HOME/safe/${copy}"`));
      expect(ended.code, ended.stderr).toBe(0);
    }
    file(before, lost, after, unpaid);
    const again = await charge();
    expect(again.code, again.stderr).toBe(9);
    expect(JSON.parse(again.stdout)).toMatchObject({ rows: 4, accepted: 2, skipped: 1, refused: 2 });
    for (const uid of [before, lost, after, unpaid]) expect((await shop.read(uid)).activities).toHaveLength(1);
  },
);
