import { appendFileSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { errorOf, newFolder, paycli, runBefore } from '../support/program.ts';
import { ACTIVITY, DEAD_ORIGIN, json, serve, UGWO_ID } from '../support/service.ts';
import { answerText, serveWire } from '../support/wire.ts';

const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer', '--json', '--no-preflight'];
const LIST = ['ugwo', 'list'];

/** Advances the wall clock by an hour at each new connection. */
const LATER = `import { Socket } from 'node:net';
  const [now, connect] = [Date.now, Socket.prototype.connect];
  let hours = 0;
  Date.now = () => now() + hours * 3_600_000;
  Socket.prototype.connect = function (...args) {
    this.once('connect', () => { hours += 1; });
    return connect.apply(this, args);
  };`;

/** Holds each new connection until the server has answered on it: the file ANSWERED has a byte per answer. */
const LOOKS_LATE = `import { statSync } from 'node:fs';
  import { Socket } from 'node:net';
  const { connect } = Socket.prototype;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  let connections = 0;
  Socket.prototype.connect = function (...args) {
    this.once('connect', () => {
      connections += 1;
      while (statSync(process.env.ANSWERED).size < connections) Atomics.wait(pause, 0, 0, 10);
    });
    return connect.apply(this, args);
  };`;

/** A server that answers each connection before its request, and the variables of a program that sees this answer. */
const answerEarly = async (body: unknown) => {
  const answered = join(newFolder('early'), 'answered');
  writeFileSync(answered, '');
  const answer = (socket: Socket): void =>
    void socket.write(answerText(200, body), () => appendFileSync(answered, '.'));
  return { service: await serveWire({ opened: answer }), env: { ...runBefore(LOOKS_LATE), ANSWERED: answered } };
};

describe('a charge', () => {
  it('is accepted if the answer follows 100 Continue', async () => {
    const service = await serveWire({
      asked: (socket) => void socket.write(`HTTP/1.1 100 Continue\r\n\r\n${answerText(200, ACTIVITY)}`),
    });
    expect(await paycli(CHARGE, { service })).toMatchObject({ code: 0, stdout: `${JSON.stringify(ACTIVITY)}\n` });
  });

  it('is not sent if the server answers before the request', async () => {
    const { service, env } = await answerEarly(ACTIVITY);
    expect(await paycli(CHARGE, { service, env })).toMatchObject({ code: 5, stdout: '' });
    expect(service.received.join('')).toBe('');
  });

  it('is given up if the process is paused at each try to connect', async () => {
    const service = await serveWire({});
    const ended = await paycli(CHARGE, { service, env: runBefore(LATER) });
    expect(ended).toMatchObject({ code: 5, stdout: '' });
    expect(errorOf(ended)['message']).toContain('the last check was too old');
    expect(service.received.join('')).toBe('');
  });
});

describe('a connection that fails', () => {
  it('is described in plain words; its code appears in JSON and with --debug', async () => {
    const service = { origin: DEAD_ORIGIN };
    const plain = await inProcess(
      CHARGE.filter((word) => word !== '--json'),
      { service },
    );
    expect(plain).toMatchObject({ code: 5, stdout: '' });
    expect(plain.stderr).toContain(`${new URL(service.origin).host} refused the connection`);
    expect(plain.stderr).not.toContain('ECONNREFUSED');
    const ended = await inProcess(CHARGE, { service });
    expect(errorOf(ended)).toMatchObject({ kind: 'not_sent', code: 'ECONNREFUSED' });
    expect((await inProcess([...CHARGE, '--debug'], { service })).stderr).toMatch(/^debug: ! not_sent .*ECONNREFUSED/m);
  });

  it('blames the proxy if that is down', async () => {
    const env = { HTTPS_PROXY: DEAD_ORIGIN.replace('http://', 'http://ada:secret-word@') };
    const ended = await inProcess(CHARGE, { service: { origin: 'https://localhost:9' }, env });
    expect(ended).toMatchObject({ code: 5, stdout: '' });
    expect(errorOf(ended)['message']).toContain(
      `could not connect through the proxy ${new URL(DEAD_ORIGIN).host} (from HTTPS_PROXY)`,
    );
    expect(ended.stderr).not.toContain('secret-word');
  });
});

describe('login', () => {
  it('says that the service accepted the key, unless nobody asked it', async () => {
    const service = await serve([json(200, { data: [], next_cursor: null })]);
    const args = ['login', '--base-url', service.origin, '--key-stdin'];
    const login = (...more: readonly string[]) =>
      inProcess([...args, ...more], { home: newFolder(), stdin: `sk.Test.${'k'.repeat(80)}\n` });
    expect((await login()).stderr).toContain('The service accepted the key.');
    expect((await login('--no-verify')).stderr).not.toContain('accepted');
  });

  it.each([401, 403])('does not suggest a login after %i', async (status) => {
    const service = await serve([json(status, { type: 'about:blank', title: 'Unauthorized', status })]);
    const args = ['login', '--base-url', service.origin, '--key-stdin'];
    const ended = await inProcess(args, { stdin: `sk.Test.${'k'.repeat(80)}\n` });
    expect(ended).toMatchObject({ code: 4, stdout: '' });
    expect(ended.stderr).toContain('check that the key belongs to this environment');
    expect(ended.stderr).not.toMatch(/log in|paycli login|PAYCLI_SECRET_KEY/);
  });
});

it('ugwo list rejects an answer that arrives before the request', async () => {
  const { service, env } = await answerEarly({ data: [] });
  const ended = await paycli([...LIST, '--timeout', '1s'], { service, env });
  expect(ended).toMatchObject({ code: 8, stdout: '' });
});
