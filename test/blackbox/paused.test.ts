import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Gate } from '../support/gate.ts';
import { serveGate } from '../support/gate.ts';
import { inProcess } from '../support/in-process.ts';
import { newFolder, passingClock, start } from '../support/program.ts';
import { ACTIVITY, UGWO_ID, ugwo } from '../support/service.ts';
import { CA_FILE, serveProxy, serveTls } from '../support/tls.ts';
import { answerText, serveWire } from '../support/wire.ts';
import { ugwoOf, ussdFile } from './bulk-support.ts';

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
    Socket.prototype.connect = connect;
    return connect.apply(this, args);
  };`;

/** The program has just seen its first connection open. */
const whenConnected = async (): Promise<Moment> => {
  const { origin, received } = await serveWire({ asked: (socket) => void socket.write(answerText(200, ACTIVITY)) });
  return { origin, env: {}, sent: () => received.filter((bytes) => bytes !== '').length };
};

const isStopped = (pid = 0): boolean =>
  process.platform === 'linux'
    ? readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') T ')
    : spawnSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' }).stdout.startsWith('T');

/** Runs a command, and pauses it at this point. `meanwhile` happens during the pause. */
const pauseRun = async (
  command: readonly string[],
  { origin, env, gate }: Moment,
  home: string,
  meanwhile: () => void,
) => {
  const running = start(command, { service: { origin }, home, env });
  if (gate !== undefined) {
    await gate.reached;
    running.kill('SIGSTOP');
  }
  await expect.poll(() => isStopped(running.pid)).toBe(true);
  meanwhile();
  await gate?.open();
  running.kill('SIGCONT');
  return running.ended;
};

/** Charges, and pauses the program at this point for an hour of its clock, or for a short time. */
const chargePaused = (moment: Moment, home: string, isLong: boolean) => {
  const clock = passingClock(moment.gate === undefined ? STOPS_WHEN_CONNECTED : '');
  const env = { ...moment.env, ...clock.env };
  return pauseRun(CHARGE, { ...moment, env }, home, () => isLong && clock.pass());
};

const statesIn = async (home: string): Promise<unknown[]> => {
  const { stdout } = await inProcess(['ledger', 'list', '--json'], { home });
  return (JSON.parse(stdout) as { data: { state: string }[] }).data.map(({ state }) => state);
};

describe.runIf(process.platform !== 'win32')('a charge whose process is stopped (SIGSTOP)', () => {
  describe.each([
    ['once connected', whenConnected],
    ['during the TLS handshake', inHandshake],
    ['while a proxy opens its tunnel', beforeTunnel],
  ])('%s', (_when, momentOf) => {
    it('for too long is not sent, but checked and sent anew', async () => {
      const [moment, home] = [await momentOf(), newFolder()];
      expect(await chargePaused(moment, home, true)).toMatchObject({ code: 0, stdout: `${ANSWER}\n` });
      expect([moment.sent(), await statesIn(home)]).toEqual([1, ['accepted', 'not_sent']]);
    });

    it('for a short time is sent once', async () => {
      const moment = await momentOf();
      expect(await chargePaused(moment, newFolder(), false)).toMatchObject({ code: 0, stdout: `${ANSWER}\n` });
      expect(moment.sent()).toBe(1);
    });
  });

  it.each([
    ['a single command', () => ['ugwo', 'charge', ugwoOf(1), '--medium', 'ussd', '--provider', 'gtb', '--json']],
    ['a row of a file', () => ['ugwo', 'charge', '--from', ussdFile(1), '--json']],
  ])('for 15 seconds, in which it is paid, is not sent: %s', async (_what, command) => {
    let status = 'pending';
    const service = await serveTls('good', (method) =>
      method === 'POST'
        ? ANSWER
        : JSON.stringify({ ...ugwo(1), checkout: { uid: 'chk.AbCd.1' }, activities: [], status }),
    );
    // The reads share the first connection.
    const gate = await serveGate(service.origin, 1);
    const [clock, home] = [passingClock('', 15_000), newFolder()];
    const moment: Moment = {
      origin: `https://localhost:${gate.port}`,
      env: { ...TRUSTED, ...clock.env },
      gate,
      sent: () => service.requests.filter((line) => line.startsWith('POST')).length,
    };
    const ended = await pauseRun(command(), moment, home, () => {
      status = 'ugwo_successful';
      clock.pass();
    });
    expect([ended.code, moment.sent(), await statesIn(home)], ended.stderr).toEqual([9, 0, ['not_sent']]);
  });
});
