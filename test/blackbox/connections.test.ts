import { describe, expect, it } from 'vitest';
import { errorOf, paycli, runBefore } from '../support/program.ts';
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

/** Delays reading a new connection until the server's first data has arrived. */
const LOOKS_LATE = `import { Socket } from 'node:net';
  const { connect } = Socket.prototype;
  Socket.prototype.connect = function (...args) {
    this.once('connect', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300));
    return connect.apply(this, args);
  };`;

describe('a charge', () => {
  it('is accepted if the answer follows 100 Continue', async () => {
    const service = await serveWire({
      asked: (socket) => void socket.write(`HTTP/1.1 100 Continue\r\n\r\n${answerText(200, ACTIVITY)}`),
    });
    expect(await paycli(CHARGE, { service })).toMatchObject({ code: 0, stdout: `${JSON.stringify(ACTIVITY)}\n` });
  });

  it('is not sent if the server answers before the request', async () => {
    const service = await serveWire({ opened: (socket) => void socket.write(answerText(200, ACTIVITY)) });
    expect(await paycli(CHARGE, { service, env: runBefore(LOOKS_LATE) })).toMatchObject({ code: 5, stdout: '' });
    expect(service.received.join('')).toBe('');
  });

  it('is not sent if the process was paused while connecting', async () => {
    const service = await serveWire({});
    const ended = await paycli(CHARGE, { service, env: runBefore(LATER) });
    expect(ended).toMatchObject({ code: 5, stdout: '' });
    expect(errorOf(ended)['message']).toContain('was paused');
    expect(service.received.join('')).toBe('');
  });
});

describe('a connection that fails', () => {
  it('is described in plain words; its code appears in JSON and with --debug', async () => {
    const service = { origin: DEAD_ORIGIN };
    const plain = await paycli(
      CHARGE.filter((word) => word !== '--json'),
      { service },
    );
    expect(plain).toMatchObject({ code: 5, stdout: '' });
    expect(plain.stderr).toContain(`${new URL(service.origin).host} refused the connection`);
    expect(plain.stderr).not.toContain('ECONNREFUSED');
    const ended = await paycli(CHARGE, { service });
    expect(errorOf(ended)).toMatchObject({ kind: 'not_sent', code: 'ECONNREFUSED' });
    expect((await paycli([...CHARGE, '--debug'], { service })).stderr).toMatch(/^debug: ! not_sent .*ECONNREFUSED/m);
  });

  it('blames the proxy if that is down', async () => {
    const env = { HTTPS_PROXY: DEAD_ORIGIN.replace('http://', 'http://ada:secret-word@') };
    const ended = await paycli(CHARGE, { service: { origin: 'https://localhost:9' }, env });
    expect(ended).toMatchObject({ code: 5, stdout: '' });
    expect(errorOf(ended)['message']).toContain(
      `could not connect through the proxy ${new URL(DEAD_ORIGIN).host} (from HTTPS_PROXY)`,
    );
    expect(ended.stderr).not.toContain('secret-word');
  });
});

describe('login', () => {
  it.each([401, 403])('does not suggest a login after %i', async (status) => {
    const service = await serve([json(status, { type: 'about:blank', title: 'Unauthorized', status })]);
    const args = ['login', '--base-url', service.origin, '--key-stdin'];
    const ended = await paycli(args, { stdin: `sk.Test.${'k'.repeat(80)}\n` });
    expect(ended).toMatchObject({ code: 4, stdout: '' });
    expect(ended.stderr).toContain('check that the key belongs to this environment');
    expect(ended.stderr).not.toMatch(/log in|paycli login|PAYCLI_SECRET_KEY/);
  });
});

it('ugwo list rejects an answer that arrives before the request', async () => {
  const service = await serveWire({ opened: (socket) => void socket.write(answerText(200, { data: [] })) });
  const ended = await paycli([...LIST, '--timeout', '1s'], { service, env: runBefore(LOOKS_LATE) });
  expect(ended).toMatchObject({ code: 8, stdout: '' });
});
