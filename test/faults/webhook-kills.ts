import { Agent } from 'node:http';
import { freePort } from '../support/ports.ts';
import { bodyOf, deliver, openTarget, uidOf } from '../support/webhooks.ts';
import { inLanes, type PartOptions, type PartResult } from './part.ts';
import { chance, drawn, seed } from './torture.ts';
import { keepListening } from './webhook-listener.ts';

/*
 * A sender that repeats until it gets 2xx, a target that sometimes rejects, and between them a `webhook listen` that
 * is killed repeatedly.
 */

export interface WebhookKills {
  readonly events: number;
  /** The number of payment requests. */
  readonly requests: number;
  readonly kills: number;
}

const LANES = 24;
/** How long a sender waits if nobody answers, in milliseconds. */
const AGAIN_MS = 10;
const DONE_MS = 120_000;
/** The most events that one kill can affect. */
const TOLD_AT_ONCE = 100;

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** First deliveries per payment request that are out of order. */
const disordered = (seen: readonly string[], requests: number): string[] => {
  const highest = new Map<number, number>();
  const known = new Set<string>();
  const wrong: string[] = [];
  for (const uid of seen) {
    if (known.has(uid)) continue;
    known.add(uid);
    const number = Number(uid.slice(-24));
    const request = number % requests;
    if (number < (highest.get(request) ?? -1)) wrong.push(uid);
    highest.set(request, number);
  }
  return wrong;
};

export const webhookKills = async (
  { events, requests, kills }: WebhookKills,
  { folder, say }: Omit<PartOptions, 'short'>,
): Promise<PartResult> => {
  const target = await openTarget(({ body }, turn) => (chance(`refused ${turn} ${body.length}`) < 0.003 ? 500 : 200));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const listener = keepListening(folder, { port, args: ['--forward-to', target.url] });
  const agent = new Agent({ keepAlive: true, maxSockets: LANES });
  const killAt = new Set(Array.from({ length: kills }, (_, n) => 1 + (drawn(`kill ${n}`) % (events - 1))));
  for (let n = 0; killAt.size < kills; n += 1) killAt.add(1 + (drawn(`kill more ${n}`) % (events - 1)));
  const acknowledged = new Set<string>();
  let [tries, killing] = [0, Promise.resolve()];
  const started = performance.now();

  const send = async (number: number): Promise<void> => {
    const body = bodyOf(number, { ugwo: number % requests });
    for (;;) {
      tries += 1;
      const answer = await deliver(origin, body, { delivery: `dlv.${tries}`, agent }).catch(() => undefined);
      if (answer?.status === 200) break;
      await later(AGAIN_MS);
    }
    acknowledged.add(uidOf(number));
    // At a random moment of the listener's work.
    if (!killAt.has(acknowledged.size)) return;
    const [before, moment] = [killing, later(drawn(`moment ${number}`) % 15)];
    killing = moment.then(() => before).then(listener.kill);
  };
  try {
    const all = Array.from({ length: requests }, (_, request) => request);
    await inLanes(
      all,
      async (request) => {
        for (let number = request; number < events; number += requests) await send(number);
      },
      LANES,
    );
    await killing;
    const until = performance.now() + DONE_MS;
    const uids = (): string[] => target.seen.map(({ body }) => (JSON.parse(body) as { uid: string }).uid);
    while (new Set(uids()).size < events && performance.now() < until) await later(100);
    const forwarded = new Set(uids());
    const told = (): string[] =>
      listener
        .printed()
        .flatMap((text) => text.split('\n').slice(0, -1))
        .map((line) => line.split('\t')[0] ?? '')
        // Each listener begins with a header.
        .filter((uid) => uid !== 'uid');
    const doubtful = (): Set<string> =>
      new Set(
        listener
          .said()
          .flatMap((text) => [...text.matchAll(/(evt\.\S+) may not have been printed/g)].map(([, uid]) => uid ?? '')),
      );
    const untold = (): string[] => {
      const known = new Set([...told(), ...doubtful()]);
      return [...acknowledged].filter((uid) => !known.has(uid));
    };
    // Events reported by a killed listener are named by the next one.
    while (untold().length > 0 && performance.now() < until) await later(100);
    // Until the last one listens, a signal ends it without a word.
    while (!listener.said().at(-1)?.includes('Listening on') && performance.now() < until) await later(100);
    const code = await listener.end();
    const seconds = Math.round((performance.now() - started) / 1000);
    const title = 'webhooks, kills';
    say(`${title}: ${acknowledged.size} acknowledged, ${listener.kills()} kills, ${seconds} s`);
    const lost = [...acknowledged].filter((uid) => !forwarded.has(uid));
    const twice = told().filter((uid, index, all) => all.indexOf(uid) !== index);
    const wrong = disordered(uids(), requests);
    return {
      figures: [
        { name: `${title}: events acknowledged`, value: acknowledged.size },
        { name: `${title}: kill -9`, value: listener.kills() },
        { name: `${title}: deliveries by the sender`, value: tries },
        { name: `${title}: arrivals at the target`, value: target.seen.length },
        { name: `${title}: named as perhaps not told`, value: doubtful().size },
        { name: `${title}: until all was forwarded`, value: seconds, unit: 's' },
      ],
      failures: [
        ...(listener.kills() === kills ? [] : [`${listener.kills()} kills, not ${kills}`]),
        ...(code === 130 ? [] : [`the last one ended with ${code}: ${listener.said().at(-1)}`]),
        ...(lost.length === 0 ? [] : [`${lost.length} acknowledged and not forwarded: ${lost.slice(0, 3)}`]),
        ...(untold().length === 0 ? [] : [`${untold().length} neither told nor named: ${untold().slice(0, 3)}`]),
        ...(twice.length === 0 ? [] : [`${twice.length} told twice: ${twice.slice(0, 3)}`]),
        ...(wrong.length === 0 ? [] : [`${wrong.length} forwarded out of order: ${wrong.slice(0, 3)}`]),
        ...(doubtful().size <= kills * TOLD_AT_ONCE ? [] : [`${doubtful().size} were named as perhaps not told`]),
      ].map((failure) => `${title}, seed ${seed}: ${failure}`),
    };
  } finally {
    agent.destroy();
    await listener.end();
    await target.close();
  }
};
