import { balanceOf, PAYMENTS, type PaidBack, paymentShown } from '../../charge/payment.ts';
import { refundShown } from '../../charge/refund.ts';
import { paidTwiceText } from '../../charge/words.ts';
import type { Client } from '../../client/client.ts';
import { execOf } from '../../compose/exec.ts';
import { foldersOf, readInputBytes } from '../../compose/run.ts';
import { realMachine } from '../../config/machine.ts';
import { endpointSecrets } from '../../config/secrets.ts';
import { memo } from '../../core/async.ts';
import { statusOf } from '../../core/charge.ts';
import { isRejected, PayError, reasonOf } from '../../core/error.ts';
import { isId } from '../../core/ids.ts';
import type { TargetOptions } from '../../core/input.ts';
import { valueAt } from '../../core/json.ts';
import { isLoopback } from '../../core/origin.ts';
import { type ApiPage, madeHere } from '../../core/record.ts';
import type { Result } from '../../core/result.ts';
import { statusWord } from '../../core/status.ts';
import { atom } from '../../core/time.ts';
import { DOUBLE_CHARGE } from '../../core/webhook-event.ts';
import { type Charge, isCharge } from '../../ledger/entry.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { reconcile, refreshCharge } from '../../ledger/reconcile.ts';
import { type Snapshot, snapshotOf } from '../../ledger/snapshot.ts';
import { ABOUT_EVENT, receivedRecord, receivedView, verifiedEventView } from '../../records/event.ts';
import { recordOf } from '../../records/fields.ts';
import { SIGNATURE_HEADER, verifiedDelivery } from '../../webhook/event.ts';
import { checkTarget } from '../../webhook/forward.ts';
import { type PrintedEvent, openListening as receiveEvents } from '../../webhook/listen.ts';
import type { EventFindings, EventLedger, ReportedEvent } from '../../webhook/recorder.ts';
import type { Run } from '../run.ts';
import type { ListenInput, readVerify } from './spec.ts';

const stringOrNull = (value: unknown, name: string): string | null => {
  const found = valueAt(value, name);
  return typeof found === 'string' ? found : null;
};

/** One payment of a payment request, and the charge that it came from: null if this ledger did not send it. */
const paidBy = (activity: unknown, charges: readonly Charge[]) => {
  const uid = stringOrNull(activity, 'uid') ?? '';
  const charge = charges.find((one) => one.activity?.uid === uid);
  return {
    activity: uid,
    status: statusOf(activity),
    created_at: stringOrNull(activity, 'created_at'),
    charge: charge?.id ?? null,
    profile: charge?.profile ?? null,
    job: charge?.job ?? null,
    row: charge?.row ?? null,
    sent_at: atom(charge?.createdAt),
  };
};

const paidText = (paid: ReturnType<typeof paidBy>): string => {
  const { activity, status, created_at, charge, profile, job, row, sent_at } = paid;
  if (charge === null)
    return `${activity} (${statusWord(status)}, made ${created_at ?? 'at an unknown time'}): not from this ledger`;
  const from = [...(profile === null ? [] : [`profile ${profile}`]), ...(job === null ? [] : [`${job} row ${row}`])];
  return `${activity} (${statusWord(status)}): ${[charge, ...from, `sent ${sent_at}`].join(', ')}`;
};

/**
 * Builds the message for a payment request that the service reports as paid twice. It names every activity that the
 * service shows as paid. The report counts as confirmed only if more money came than was asked.
 */
const doubleCharge = (
  ugwo: string,
  events: readonly ReportedEvent[],
  charges: readonly Charge[],
  shown: Snapshot | undefined,
  paidBack: PaidBack | undefined,
  place: TargetOptions,
): EventFindings => {
  const reported = events.map(({ activity }) => activity);
  const balance = shown?.facts && balanceOf(shown.facts, { paidBack });
  const isConfirmed = balance?.isPaidTwice === true;
  const paid = (shown?.activities ?? [])
    .filter((one) => PAYMENTS[paymentShown(one)].brings)
    .map((one) => paidBy(one, charges))
    .sort((a, b) => Number(reported.includes(b.activity)) - Number(reported.includes(a.activity)));
  const fields = new Map(events.map(({ uid }) => [uid, { double_charge: { confirmed: isConfirmed, paid } }]));
  const lines = paid.map((one) => `  ${paidText(one)}`);
  if (balance === undefined || !isConfirmed) {
    const shows = paid.length === 0 ? 'no paid activity' : paid.length === 1 ? 'one paid activity' : 'no excess';
    return {
      fields,
      said: [`The service reports a double charge of ${ugwo}, but shows ${shows}: check it.`, ...lines],
    };
  }
  const message = `the customer has paid ${ugwo} ${paid.length > 2 ? `${paid.length} times` : 'twice'}`;
  return {
    fields,
    said: [`DOUBLE CHARGE: ${message}:`, ...lines],
    failure: new PayError('rejected', [`${message}:`, ...lines].join('\n'), {
      hint: `check with the customer; it was ${paidTwiceText(ugwo, balance, shown?.asked.currency ?? '', place)}`,
    }),
  };
};

interface Sources {
  readonly ledger: Ledger;
  readonly client: Client;
  /** Global options that send another command to the same place. */
  readonly place: TargetOptions;
}

/** Reads the payment request; resolves to undefined if the service has none, or no such read. */
type ReadRequest = () => Promise<Snapshot | undefined>;

/** Settles unknown charges if the read proves their outcome, and updates open ones. */
const updateCharges = async (charges: readonly Charge[], look: ReadRequest, { ledger, client }: Sources) => {
  const proof = async () => (await look()) ?? { unavailable: 'the service does not show the payment request' };
  for (const charge of charges.filter(({ state }) => state === 'unknown')) {
    await reconcile(ledger, charge, proof);
  }
  const seen = await look();
  if (seen === undefined) return undefined;
  if (seen.activities !== undefined) return (await ledger.observe(seen, true)).paidBack;
  for (const charge of charges) await refreshCharge(ledger, charge, client);
  return undefined;
};

const recordEvents = async (
  ugwo: string,
  events: readonly ReportedEvent[],
  service: string,
  sources: Sources,
): Promise<EventFindings | undefined> => {
  // An event may hold any text as its uid. Only a valid payment request id is sent to the service.
  if (!isId('ugw', ugwo)) return undefined;
  const { ledger } = sources;
  const entries = await ledger.list({ about: ugwo, service, limit: -1 });
  const charges = entries.filter(isCharge);
  for (const { event, activity, refund } of events) {
    // An event about a refund may name its payment request alone.
    const paid = activity === undefined ? charges.flatMap((one) => one.activity?.uid ?? []) : [activity];
    for (const one of refund === undefined ? [] : paid) {
      await ledger.observeRefund(one, refund ?? '', service, refundShown(event.slice('refund.'.length)));
    }
  }
  const double = events.filter(({ event }) => event === DOUBLE_CHARGE);
  if (charges.length === 0 && double.length === 0) return undefined;
  const look: ReadRequest = memo(async () => {
    const request = await sources.client.look('ugwo.get', { params: { uid: ugwo } });
    return request && snapshotOf(request.value, request);
  });
  try {
    const paidBack = await updateCharges(charges, look, sources);
    if (double.length === 0) return undefined;
    return doubleCharge(ugwo, double, charges, await look(), paidBack, sources.place);
  } catch (thrown) {
    // A retry is pointless where the service has no such payment request.
    if (!isRejected(thrown)) throw thrown;
    return { said: [`${ugwo} couldn't be checked: ${reasonOf(thrown)}`] };
  }
};

/**
 * Opens the consumer that updates the ledger after events. An event only says which payment request to read; the status
 * comes from the service. Resolves to undefined, after a notice, if the run has no usable service.
 */
const openEventLedger = async (run: Run): Promise<EventLedger | undefined> => {
  let service: string;
  try {
    ({ service } = await run.target());
  } catch (thrown) {
    if (!(thrown instanceof PayError) || thrown.kind === 'interrupted') throw thrown;
    await run.say(`Events don't update the ledger: ${thrown.message}${/[.?]$/.test(thrown.message) ? '' : '.'}`);
    return undefined;
  }
  const connect = memo(() => run.client('read'));
  return {
    service,
    record: async (ugwo, events) => {
      const [ledger, client] = [await run.ledger(), await connect()];
      return recordEvents(ugwo, events, service, { ledger, client, place: run.globals });
    },
  };
};

async function* consumedPages(events: AsyncIterable<readonly PrintedEvent[]>): AsyncGenerator<ApiPage> {
  for await (const some of events) yield { records: some.map(receivedRecord), cursor: undefined, nextCursor: null };
}

const startWords = (origin: string, { forwardTo }: ListenInput): string[] => [
  ...(isLoopback(origin)
    ? []
    : [`${origin} is open to the network over plain http: others can read deliveries, and send anything to it.`]),
  `Listening on ${origin}${forwardTo === undefined ? '' : `, forwarding to ${forwardTo}`}. Stop it with Ctrl-C.`,
  `The service must reach it: point a tunnel at ${origin} (such as \`ssh -R\`, cloudflared or ngrok), and enter ` +
    "the tunnel's public URL as the endpoint in the dashboard.",
];

/** Accepts deliveries until a signal stops it or the --until condition is met. */
export const listenForEvents = async (input: ListenInput, run: Run): Promise<Result> => {
  const { io, say } = run;
  const { port, host, forwardTo, allowRemote, only, duplicates, until, keepDays } = input;
  const target =
    forwardTo === undefined ? undefined : await checkTarget(forwardTo, '--forward-to', allowRemote, io.env);
  const command = input.exec === undefined ? undefined : await execOf(input.exec, io);
  const secrets = await endpointSecrets(input.secrets, run);
  const { folder, uid } = { folder: (await foldersOf(run)).data, uid: realMachine.uid };
  const { clock, random, signals } = io;
  const ledger = await openEventLedger(run);
  // Only now are the secrets known that it must not get, and the key of the profile.
  const exec = command?.(input.execEnv);
  const listening = await receiveEvents(
    { folder, port, host, secrets, target, only, duplicates, until, exec, ledger, keepDays },
    { clock, random, stop: signals.stop, leave: signals.leave, uid, say },
  );
  await say(startWords(listening.origin, input));
  return { kind: 'list', pages: consumedPages(listening.events), view: receivedView, saysEmpty: true };
};

/** In bytes: ten times the limit of `webhook listen`. */
const MOST_FILE_BYTES = 10 * 1024 * 1024;

/** Checks the signature of a body. Throws `rejected` if it does not match. */
export const verifyDelivery = async (
  { secrets, signature, from }: ReturnType<typeof readVerify>,
  run: Run,
): Promise<Result> => {
  const known = await endpointSecrets(secrets, run);
  const body = await readInputBytes(run, from, MOST_FILE_BYTES);
  const headers = [[SIGNATURE_HEADER, signature]] as const;
  const read = verifiedDelivery(known, { body, headers, receivedAt: run.io.clock.now() });
  if ('problem' in read) {
    throw new PayError('rejected', `the signature is not valid: ${read.problem}`, {
      hint: "check that the body is byte for byte as it came, and that the secret is this endpoint's",
    });
  }
  return {
    kind: 'record',
    record: madeHere({ valid: true, ...recordOf(ABOUT_EVENT, read.delivery) }),
    view: verifiedEventView,
  };
};
