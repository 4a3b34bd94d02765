import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Gate } from '../support/gate.ts';
import { serveGate } from '../support/gate.ts';
import { errorOf, newFolder, passingClock, paycli, start } from '../support/program.ts';
import { ACTIVITY, UGWO_ID } from '../support/service.ts';
import { CA_FILE, serveProxy, serveTls } from '../support/tls.ts';
import { answerText, serveWire } from '../support/wire.ts';

const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer', '--json', '--no-preflight'];
const ANSWER = JSON.stringify(ACTIVITY);
const TRUSTED = { NODE_EXTRA_CA_CERTS: CA_FILE };

/** A point before the request is sent at which a test can pause the program. */
interface Moment {
  readonly origin: string;
  readonly env: Readonly<Record<string, string>>;
  /** The program waits here for the server until paused; without a gate it pauses itself. */
  readonly gate?: Gate;
  /** The number of requests that started to arrive. */
  readonly sent: () => number;
}

/** Connected; the TLS handshake has started. */
const inHandshake = async (): Promise<Moment> => {
  const service = await serveTls('good', ANSWER);
  const gate = await serveGate(service.origin);
  return { origin: `https://localhost:${gate.port}`, env: TRUSTED, gate, sent: () => service.requests.length };
};

/** A proxy has received the CONNECT request. */
const beforeTunnel = async (): Promise<Moment> => {
  const service = await serveTls('good', ANSWER);
  const gate = await serveGate((await serveProxy()).url);
  const env = { ...TRUSTED, HTTPS_PROXY: `http://127.0.0.1:${gate.port}` };
  return { origin: service.origin, env, gate, sent: () => service.requests.length };
};

const STOPS_WHEN_CONNECTED = `import { Socket } from 'node:net';
  const { connect } = Socket.prototype;
  Socket.prototype.connect = function (...args) {
    this.once('connect', () => process.kill(process.pid, 'SIGSTOP'));
    return connect.apply(this, args);
  };`;

/** The program has just seen its connection open. */
const whenConnected = async (): Promise<Moment> => {
  const { origin, received } = await serveWire({ asked: (socket) => void socket.write(answerText(200, ACTIVITY)) });
  return { origin, env: {}, sent: () => received.filter((bytes) => bytes !== '').length };
};

const isStopped = (pid = 0): boolean =>
  process.platform === 'linux'
    ? readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') T ')
    : spawnSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' }).stdout.startsWith('T');

/** Charges, and pauses the program at this point for a time of its clock. */
const chargePaused = async ({ origin, env, gate }: Moment, home: string, isLong: boolean) => {
  const clock = passingClock(gate === undefined ? STOPS_WHEN_CONNECTED : '');
  const running = start(CHARGE, { service: { origin }, home, env: { ...env, ...clock.env } });
  if (gate !== undefined) {
    await gate.reached;
    running.kill('SIGSTOP');
  }
  await expect.poll(() => isStopped(running.pid)).toBe(true);
  if (isLong) clock.pass();
  await gate?.open();
  running.kill('SIGCONT');
  return running.ended;
};

describe.runIf(process.platform !== 'win32')('a charge whose process is stopped (SIGSTOP)', () => {
  describe.each([
    ['once connected', whenConnected],
    ['during the TLS handshake', inHandshake],
    ['while a proxy opens its tunnel', beforeTunnel],
  ])('%s', (_when, momentOf) => {
    it('for too long is not sent, and the same command charges later', async () => {
      const [moment, home] = [await momentOf(), newFolder()];
      const ended = await chargePaused(moment, home, true);
      expect([ended.code, ended.stdout, moment.sent()]).toEqual([5, '', 0]);
      expect(errorOf(ended)['message']).toContain('was paused for too long');
      const { origin, env } = moment;
      expect(await paycli(CHARGE, { service: { origin }, home, env })).toMatchObject({ code: 0 });
      expect(moment.sent()).toBe(1);
    });

    it('for a short time is sent once', async () => {
      const moment = await momentOf();
      expect(await chargePaused(moment, newFolder(), false)).toMatchObject({ code: 0, stdout: `${ANSWER}\n` });
      expect(moment.sent()).toBe(1);
    });
  });
});
