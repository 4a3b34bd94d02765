import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RUNTIME } from '../support/built.ts';
import { newFolder, paycli, runBefore } from '../support/program.ts';
import { ACTIVITY, json, page, serveBy, UGWO_ID } from '../support/service.ts';

/** Writes down where a run connects to, by address or path. */
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
  const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'];

  it.runIf(RUNTIME === 'node').each([
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
    const service = await serveBy(({ method }) => (method === 'POST' ? json(200, ACTIVITY) : page([1], null)));
    const file = join(newFolder('connections'), 'connections');
    const stdin = `sk.Test.${'0'.repeat(80)}\n`;
    const ended = await paycli(args, { service, env: runBefore(noting(file)), stdin });
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    const places = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
    expect([...new Set(places)]).toEqual(connects ? [new URL(service.origin).host] : []);
  });
});
