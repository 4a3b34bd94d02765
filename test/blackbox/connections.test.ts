import { appendFileSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CANARY } from '../support/canary.ts';
import { newFolder, runBefore } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import { ACTIVITY, DEAD_ORIGIN, json, serve, UGWO_ID } from '../support/service.ts';
import { answerText, serveWire } from '../support/wire.ts';

const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer', '--json', '--no-preflight'];
/** Variables of a run at this service. */
const at = ({ origin }: { readonly origin: string }, more: Readonly<Record<string, string>> = {}) => ({
  ...{ PAYCLI_BASE_URL: origin, PAYCLI_SECRET_KEY: CANARY },
  ...more,
});

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
  const service = await serveWire({ opened: answer });
  return { service, env: at(service, { ...runBefore(LOOKS_LATE), ANSWERED: answered }) };
};

describe('a charge', () => {
  it('is accepted if the answer follows 100 Continue', async () => {
    const service = await serveWire({
      asked: (socket) => void socket.write(`HTTP/1.1 100 Continue\r\n\r\n${answerText(200, ACTIVITY)}`),
    });
    await scene({ built: true, env: at(service), argv: CHARGE, stdout: `${JSON.stringify(ACTIVITY)}\n` });
  });

  it('is not sent if the server answers before the request', async () => {
    const { service, env } = await answerEarly(ACTIVITY);
    await scene({ built: true, env, argv: CHARGE, exit: 5 });
    expect(service.received.join('')).toBe('');
  });

  it('is given up if the process is paused at each try to connect', async () => {
    const service = await serveWire({});
    const env = at(service, runBefore(LATER));
    await scene({ built: true, env, argv: CHARGE, exit: 5, error: { message: /the last check was too old/ } });
    expect(service.received.join('')).toBe('');
  });
});

describe('a connection that fails', () => {
  it('is described in plain words; its code appears in JSON and with --debug', async () => {
    const env = at({ origin: DEAD_ORIGIN });
    const plain = CHARGE.filter((word) => word !== '--json');
    const words = `${new URL(DEAD_ORIGIN).host} refused the connection`;
    await scene({ env, argv: plain, exit: 5, stderr: new RegExp(`^(?!.*ECONNREFUSED).*${words}`, 's') });
    await scene({ env, argv: CHARGE, exit: 5, error: { kind: 'not_sent', code: 'ECONNREFUSED' } });
    const stderr = [/^debug: ! not_sent .*ECONNREFUSED/m];
    await scene({ env, argv: [...CHARGE, '--debug'], exit: 5, stderr });
  });

  it('blames the proxy if that is down', async () => {
    const env = at(
      { origin: 'https://localhost:9' },
      { HTTPS_PROXY: DEAD_ORIGIN.replace('http://', 'http://ada:secret-word@') },
    );
    const words = `could not connect through the proxy ${new URL(DEAD_ORIGIN).host} (from HTTPS_PROXY)`;
    const { stderr } = await scene({ env, argv: CHARGE, exit: 5, stderr: [words] });
    expect(stderr).not.toContain('secret-word');
  });
});

describe('login', () => {
  const KEY = `sk.Test.${'k'.repeat(80)}\n`;

  it('says that the service accepted the key, unless nobody asked it', async () => {
    const { origin } = await serve([json(200, { data: [], next_cursor: null })]);
    const argv = ['login', '--base-url', origin, '--key-stdin'];
    await scene({ argv, stdin: KEY, stderr: ['The service accepted the key.'] });
    await scene({ argv: [...argv, '--no-verify'], stdin: KEY, stderr: /^(?!.*accepted)/s });
  });

  it.each([401, 403])('does not suggest a login after %i', async (status) => {
    const { origin } = await serve([json(status, { type: 'about:blank', title: 'Unauthorized', status })]);
    const argv = ['login', '--base-url', origin, '--key-stdin'];
    const stderr = /^(?!.*(?:log in|paycli login|PAYCLI_SECRET_KEY)).*check that the key belongs to this environment/s;
    await scene({ argv, stdin: KEY, exit: 4, stderr });
  });
});

it('ugwo list rejects an answer that arrives before the request', async () => {
  const { env } = await answerEarly({ data: [] });
  await scene({ built: true, env, argv: ['ugwo', 'list', '--timeout', '1s'], exit: 8 });
});
