import { existsSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { IS_HERE, RUNTIME } from '../support/built.ts';
import { inProcess } from '../support/in-process.ts';
import { newFolder, paycli, runBefore } from '../support/program.ts';
import { ACTIVITY, json, page, type Seen, serveBy, UGWO_ID } from '../support/service.ts';

interface Aim {
  readonly host?: string;
  readonly port?: number;
  readonly path?: string;
}

/** Where a run in this process connects to, by address or path. */
const notedHere = (): string[] => {
  const places: string[] = [];
  const { connect } = Socket.prototype;
  vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args: readonly unknown[]) {
    const [first, second] = [args[0]].flat() as [Aim | number, string?];
    places.push(typeof first === 'object' ? (first.path ?? `${first.host}:${first.port}`) : `${second}:${first}`);
    return Reflect.apply(connect, this, args);
  });
  return places;
};

/** The same of a process, which writes them down. */
const noting = (file: string): string => `
  import { appendFileSync } from 'node:fs';
  import { Socket } from 'node:net';
  const { connect } = Socket.prototype;
  Socket.prototype.connect = function (...args) {
    const [first, second] = [args[0]].flat();
    const to = typeof first === 'object' ? (first.path ?? (first.host + ':' + first.port)) : second + ':' + first;
    appendFileSync(${JSON.stringify(file)}, to + '\\n');
    return connect.apply(this, args);
  };`;

describe('nothing phones home', () => {
  afterEach(() => vi.restoreAllMocks());

  const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'];
  const answer = ({ method }: Seen) => (method === 'POST' ? json(200, ACTIVITY) : page([1], null));

  it.runIf(RUNTIME === 'node').each([
    [CHARGE, true],
    [['--version'], false],
  ])('%j by the built program connects to its service alone, or to nothing: %s', async (args, connects) => {
    const service = await serveBy(answer);
    const file = join(newFolder('connections'), 'connections');
    const ended = await paycli(args, { service, env: runBefore(noting(file)) });
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    const places = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
    expect([...new Set(places)]).toEqual(connects ? [new URL(service.origin).host] : []);
  });

  it.runIf(IS_HERE).each([
    [['ugwo', 'list'], true],
    [CHARGE, true],
    [['doctor'], true],
    [['api', '/v1/ugwo'], true],
    [['login', '--key-stdin', '--no-verify'], false],
    [['version'], false],
    [['--version'], false],
    [['--help'], false],
    [['ugwo', 'charge', '--help'], false],
    [['ledger', 'list'], false],
    [['profile', 'list'], false],
    [['completion', 'bash'], false],
    [['schema'], false],
  ])('%j connects to its service alone, or to nothing: %s', async (args, connects) => {
    const [service, places] = [await serveBy(answer), notedHere()];
    const ended = await inProcess(args, { service, stdin: `sk.Test.${'0'.repeat(80)}\n` });
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    expect([...new Set(places)]).toEqual(connects ? [new URL(service.origin).host] : []);
  });
});
