import { writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { signatureOf } from '../../src/core/webhook-event.ts';
import { inProcess, startHere } from '../support/in-process.ts';
import { freePort } from '../support/ports.ts';
import { newFolder, type Running, type RunOptions, start } from '../support/program.ts';
import { deliver } from '../support/webhooks.ts';
import { ugwoOf } from './bulk-support.ts';

const SECRET = 'wsk.news-secret';
/** No keep-alive: a kept connection may close just as it is reused. */
const agent = new Agent({ keepAlive: false });

const secretFile = (secret = SECRET): string => {
  const path = join(newFolder('secret'), 'secret.txt');
  writeFileSync(path, secret, { mode: 0o600 });
  return path;
};

export interface Listener {
  readonly run: Running;
  readonly url: string;
  readonly secret: string;
  /** Delivers an event signed with this secret and returns the status code. */
  readonly deliver: (event: object, secret?: string) => Promise<number>;
}

/** A function that begins `webhook listen`, and resolves once it listens. */
const listenBy =
  (begin: typeof start) =>
  async (options: RunOptions, ...args: readonly string[]): Promise<Listener> => {
    const port = await freePort();
    const run = begin(['webhook', 'listen', '--port', String(port), '--secret-file', secretFile(), ...args], options);
    const origin = `http://127.0.0.1:${port}`;
    const post = async (body: string, signature: string): Promise<number> =>
      (await deliver(origin, body, { signature, agent })).status;
    const isUp = (): Promise<boolean> =>
      post('', '').then(
        () => true,
        () => false,
      );
    while (!(await isUp())) await new Promise((resolve) => setTimeout(resolve, 20));
    return {
      run,
      url: `${origin}/`,
      secret: SECRET,
      deliver: async (event, secret = SECRET) => {
        const body = JSON.stringify(event);
        return post(body, signatureOf(secret, Buffer.from(body)));
      },
    };
  };

/** Starts the built program. */
export const listen = listenBy(start);

/** The same in this process. */
export const listenHere = listenBy(startHere);

let events = 0;

/** An event for an activity of a payment request. */
export const eventOf = (number: number, name: string, data: object): object => {
  events += 1;
  return {
    uid: `evt.AbCd.${String(events).padStart(24, '0')}`,
    event: name,
    data: { ugwo_uid: ugwoOf(number), ...data },
  };
};

/** Payments of the charges in the ledger. */
export const paymentsIn = async (options: RunOptions): Promise<(string | null)[]> => {
  const { stdout } = await inProcess(['ledger', 'list', '--json'], options);
  return (JSON.parse(stdout) as { data: { payment: string | null }[] }).data.map(({ payment }) => payment);
};
