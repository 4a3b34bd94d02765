import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { errorOf, newFolder, paycli } from '../support/program.ts';
import type { Service } from '../support/service.ts';
import { json, ONYE_ID, problem, serveAllBy, ugwo } from '../support/service.ts';

const customer = { uid: ONYE_ID, email: 'Ada@example.com', ref: 'c-1', meta: {} };

/** A service with two payment requests, and what a read of one shows. */
const service = (shown = json(200, { ...ugwo(2), activities: [] })): Promise<Service> =>
  serveAllBy(({ url }) => {
    if (url.startsWith('/v1/onye?')) return json(200, { data: [customer], next_cursor: null });
    if (url.startsWith('/v1/onye/')) return json(200, customer);
    return url.includes('/ugw.') ? shown : json(200, { data: [ugwo(1), ugwo(2)], next_cursor: null });
  });

const FILE = 'seen.sqlite';
const search = ['ugwo', 'list', '--ref', 'order-2', '-o', 'ndjson'];
const told = ['ugwo', 'list', '--ref', 'order-2', '-o', 'tsv'];
const urls = ({ seen }: Service): string[] => seen.map(({ url }) => url.split('?')[0] ?? '');
const ONE = `/v1/ugwo/${ugwo(2)['uid']}`;

describe('a search', () => {
  it('is one request the second time, and keeps no reference, no address and no origin, in a file that others can’t read', async () => {
    const [serving, home] = [await service(), newFolder()];
    const first = await paycli(search, { service: serving, home });
    const second = await paycli(search, { service: serving, home });
    expect(second).toMatchObject({ code: 0, stdout: first.stdout });
    expect((await paycli(told, { service: serving, home })).stderr).toContain('this machine has seen it before');
    expect(urls(serving)).toEqual(['/v1/ugwo', ONE, ONE]);
    const byMail = ['onye', 'list', '--email', 'ADA@example.com', '-o', 'tsv', '--columns', 'uid'];
    for (const _ of [1, 2]) {
      expect(await inProcess(byMail, { service: serving, home })).toMatchObject({ code: 0, stdout: `${ONYE_ID}\n` });
    }
    expect(urls(serving).slice(3)).toEqual(['/v1/onye', `/v1/onye/${ONYE_ID}`]);
    // What is kept has no reference, no address and no origin, and others can't read it.
    const bytes = readFileSync(join(home, FILE)).toString('latin1');
    expect(bytes).toContain(ONYE_ID);
    for (const text of ['order-2', 'example.com', 'Ada', 'ada@', 'ADA', '127.0.0.1']) expect(bytes).not.toContain(text);
    if (process.platform !== 'win32') expect(statSync(join(home, FILE)).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['has another reference by now', json(200, { ...ugwo(2), ref: 'other' })],
    ['is gone', problem(404, 'Not Found')],
  ])('walks again where what was seen %s', async (_what, shown) => {
    const [serving, home] = [await service(shown), newFolder()];
    await inProcess(search, { service: serving, home });
    expect((await inProcess(told, { service: serving, home })).stderr).toContain('Looked through 2');
    expect(urls(serving)).toEqual(['/v1/ugwo', ONE, '/v1/ugwo']);
  });

  it('remembers for one service alone', async () => {
    const [one, other, home] = [await service(), await service(), newFolder()];
    await inProcess(search, { service: one, home });
    await inProcess(search, { service: other, home });
    expect(urls(other)).toEqual(['/v1/ugwo']);
  });

  it.each([{ CI: 'true' }, { PAYCLI_NO_INDEX: '1' }])('remembers nothing with %j', async (env) => {
    const [serving, home] = [await service(), newFolder()];
    expect(await inProcess(search, { service: serving, home, env })).toMatchObject({ code: 0 });
    expect(existsSync(join(home, FILE))).toBe(false);
  });

  it('remembers nothing of --local, nor of a walk that looks for nothing', async () => {
    const [serving, home] = [await service(), newFolder()];
    expect((await inProcess(['ugwo', 'list', '--all'], { service: serving, home })).code).toBe(0);
    expect((await inProcess(['ugwo', 'list', '--local', '--ref', 'x'], { home })).code).toBe(0);
    expect(existsSync(join(home, FILE))).toBe(false);
  });

  it('goes on as if nothing were remembered where the file is of no use', async () => {
    const [serving, home] = [await service(), newFolder()];
    writeFileSync(join(home, FILE), 'no database');
    chmodSync(join(home, FILE), 0o400);
    const ended = await inProcess(search, { service: serving, home });
    expect(ended).toMatchObject({ code: 0 });
    expect(readFileSync(join(home, FILE), 'utf8')).toBe('no database');
    const kept = await inProcess(['forget', '--json'], { home });
    expect(kept.code).toBe(2);
    expect(errorOf(kept)['message']).toContain('is not one of its files');
  });

  it('is forgotten when that is asked for', async () => {
    const [serving, home] = [await service(), newFolder()];
    await inProcess(search, { service: serving, home });
    const forgotten = await inProcess(['forget', '--json'], { home });
    expect(JSON.parse(forgotten.stdout)).toEqual({ file: join(home, FILE), removed: true });
    expect(existsSync(join(home, FILE))).toBe(false);
    expect(JSON.parse((await inProcess(['forget', '--json'], { home })).stdout)).toMatchObject({ removed: false });
  });
});
