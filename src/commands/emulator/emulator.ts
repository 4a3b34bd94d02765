import { resolve } from 'node:path';
import type { InputOf } from '../../cli/define.ts';
import { foldersOf, sourceOf } from '../../compose/run.ts';
import { webhookSecrets } from '../../config/secrets.ts';
import { grouped } from '../../core/bounds.ts';
import { FIRST_RECORDS, firstUse, LOCAL_DATA_FILE } from '../../core/data-files.ts';
import { interrupted, reasonOf, usageError } from '../../core/error.ts';
import { canBeName } from '../../core/ids.ts';
import { valueAt } from '../../core/json.ts';
import { type GivenAmount, readGiven } from '../../core/money.ts';
import { isLoopback } from '../../core/origin.ts';
import { madeHere, onePage } from '../../core/record.ts';
import { columnsNamed, type Result, type View } from '../../core/result.ts';
import { shellLine } from '../../core/shell.ts';
import { formatDuration, utcAtom } from '../../core/time.ts';
import type { EventName } from '../../core/webhook-event.ts';
import { emulatorRoom } from '../../emulator/room.ts';
import { type Able, tellOnly } from '../names.ts';
import type { Run } from '../run.ts';
import type { addInput, clockInput, deliveriesInput, faultsInput } from './control-spec.ts';
import type { SettleInput, seedInput, startInput } from './spec.ts';

/** A running emulator. Shows the whole key: it gives access only to test data of this machine. */
export const serviceView: View = {
  columns: [
    ...columnsNamed('origin key'),
    { path: 'data', label: 'data file', flexible: true },
    { path: 'public_key', label: 'public key' },
    { path: 'control_token', label: 'control token' },
    { path: 'console' },
  ],
};

export const seededView: View = {
  columns: [
    { path: 'customers' },
    { path: 'ugwo', label: 'payment requests' },
    { path: 'data', label: 'data file', flexible: true },
  ],
};

/** A data file without records. */
export const resetView: View = { columns: [{ path: 'data', label: 'emptied', flexible: true }] };

export const movedClockView: View = {
  columns: [
    { path: 'now', kind: 'time' },
    { path: 'moved', label: 'moved by', shown: (state) => formatDuration(Number(valueAt(state, 'moved'))) },
  ],
};

export const faultView: View = {
  columns: columnsNamed(
    'method path share times delay status retry_after reset cut bad_json when ' +
      'seen fired event twice late out_of_order signature slow never',
  ),
};

export const webhookView: View = {
  columns: [{ path: 'id' }, { path: 'url', flexible: true }, { path: 'events', flexible: true }, { path: 'signed' }],
};

export const triggeredView: View = {
  columns: [
    { path: 'event' },
    { path: 'event_uid', label: 'uid' },
    { path: 'about' },
    { path: 'webhooks', kind: 'count' },
  ],
};

/** A delivery of an event to one webhook, and its state. */
export const deliveryView: View = {
  columns: [
    ...columnsNamed('id event'),
    { path: 'state', kind: 'state', needed: true },
    { path: 'status', label: 'answer' },
    { path: 'error', flexible: true },
    { path: 'about' },
    ...columnsNamed('at due', { kind: 'time' }),
    { path: 'url', flexible: true },
    ...columnsNamed('event_uid webhook', { machineOnly: true }),
  ],
};

/** An activity that is settled, or due to be. */
export const settledView: View = {
  columns: [
    { path: 'uid' },
    { path: 'status', kind: 'state' },
    { path: 'due', kind: 'time' },
    { path: 'error', kind: 'reason', flexible: true },
    { path: 'updated_at', kind: 'time', label: 'updated' },
    { path: 'amount', kind: 'money', label: 'asked', peopleOnly: true },
    { path: 'charged_amount', kind: 'money', label: 'received', peopleOnly: true },
    { path: 'ugwo_uid', label: 'payment request', peopleOnly: true },
    { path: 'created_at', kind: 'time', label: 'created', peopleOnly: true },
  ],
};

/** The emulator, and the absolute path of its data file: the given one, or the one of --local. */
const openEmulator = async (data: string | undefined, run: Run) => ({
  file: resolve(data ?? `${(await foldersOf(run)).data}/${LOCAL_DATA_FILE}`),
  emulator: emulatorRoom,
  clock: run.io.clock,
});

/** Adds records to the emulator's data, whether it is running or not. */
export const seedEmulator = async ({ customers, ugwo, data }: InputOf<typeof seedInput>, run: Run): Promise<Result> => {
  const { file, emulator, clock } = await openEmulator(data, run);
  const { stop } = run.io.signals;
  let done = 0;
  run.state.status.doing = () => `${grouped(done)} of ${grouped(customers + ugwo)} added`;
  const onAdded = (count: number): void => {
    if (stop.aborted) throw interrupted(stop.reason);
    done = count;
  };
  const added = await emulator.seed({ file, clock, customers, ugwo, onAdded });
  return { kind: 'record', record: madeHere({ ...added, data: file }), view: seededView };
};

/** Removes every record after a confirmation. */
export const resetEmulator = async ({ data }: { readonly data: string | undefined }, run: Run): Promise<Result> => {
  const { file, emulator } = await openEmulator(data, run);
  await run.ask([`Remove every record from ${file}?`], 'refuse');
  await emulator.reset({ file });
  return { kind: 'record', record: madeHere({ data: file }), view: resetView };
};

/** Returns what converts a given amount to the minor unit of a currency; it throws a usage error. */
const inMinor =
  (given: GivenAmount) =>
  (currency: string): number => {
    const read = readGiven(given, currency);
    if ('minor' in read) return read.minor;
    throw usageError(`${given.flag}: ${read.problem}`, { hint: read.hint });
  };

export const settleEmulatorCharge = async (
  { activity: given, as, after, amount, data }: SettleInput,
  run: Run,
): Promise<Result> => {
  const { file, emulator, clock } = await openEmulator(data, run);
  type Listed = Parameters<typeof emulator.endingsOf>[0];
  const able: Able<Listed> = {
    one: 'charge',
    can: (one, _at, all) => all.length === 1 || emulator.endingsOf(one).includes(as),
  };
  const { uid } = canBeName('ugw', given)
    ? await tellOnly(given, await emulator.activitiesNamed({ file, name: given }), able, (one) => one, run)
    : { uid: given };
  const { activity, due } = await emulator.settle({
    file,
    clock,
    activity: uid,
    as,
    after,
    amount: amount && inMinor(amount),
  });
  const when = due === undefined ? {} : { due: utcAtom(due) };
  return { kind: 'record', record: madeHere({ ...activity, ...when }), view: settledView };
};

export const moveEmulatorClock = async ({ by, data }: InputOf<typeof clockInput>, run: Run): Promise<Result> => {
  const { file, emulator, clock } = await openEmulator(data, run);
  const state = await emulator.clock({ file, clock, ...(by === undefined ? {} : { by }) });
  return { kind: 'record', record: madeHere(state), view: movedClockView };
};

/** Reads JSON from a file, or from standard input for `-`. The emulator checks the rules. */
const readRules = async (path: string, run: Run): Promise<unknown> => {
  const text = await sourceOf(run)(path === '-' ? { kind: 'stdin' } : { kind: 'file', path });
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw usageError(`${path} is not JSON: ${reasonOf(thrown)}`);
  }
};

export const setEmulatorFaults = async (
  { from, clear, data }: InputOf<typeof faultsInput>,
  run: Run,
): Promise<Result> => {
  const { file, emulator } = await openEmulator(data, run);
  const rules = clear ? { rules: [] } : from === undefined ? undefined : await readRules(from, run);
  const kept = await emulator.faults({ file, ...(rules === undefined ? {} : { rules }) });
  const shown = kept.map(({ rule, seen, fired }) => ({ ...rule, seen, fired }));
  if (clear) await run.say('All faults were cleared.');
  return { kind: 'list', pages: onePage(shown), view: faultView, ...(clear ? { saysEmpty: true } : {}) };
};

const untilAborted = (signal: AbortSignal): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener('abort', () => resolve(), { once: true });
  return promise;
};

/**
 * Runs the emulator until a signal stops it. Fills an empty data file first. Clears the rules of --faults at the end.
 */
export const serveEmulator = async (
  { port = 0, host, data, dialect, faults }: InputOf<typeof startInput>,
  run: Run,
): Promise<Result> => {
  const { file, emulator, clock } = await openEmulator(data, run);
  const said = firstUse(await emulator.seed({ file, clock, ...FIRST_RECORDS, onlyIfNew: true }), file);
  if (said !== undefined) await run.say(said);
  if (faults !== undefined) await emulator.faults({ file, rules: await readRules(faults, run) });
  const running = await emulator.start({ file, port, host, clock, dialect, delivers: true });
  if (!isLoopback(`http://${host.includes(':') ? `[${host}]` : host}`)) {
    await run.say(`${host} is open to the network over plain http: anyone with its key can read and change its data.`);
  }
  await run.say([
    'For your scripts:',
    `export PAYCLI_BASE_URL=${running.origin}`,
    `export PAYCLI_SECRET_KEY=${running.key}`,
    'Stop it with Ctrl-C.',
  ]);
  run.state.status.words = undefined;
  return {
    kind: 'service',
    record: madeHere({
      origin: running.origin,
      key: running.key,
      data: file,
      public_key: running.publicKey,
      control_token: running.controlToken,
      console: running.console,
    }),
    view: serviceView,
    done: untilAborted(run.io.signals.stop).then(async () => {
      await running.close();
      if (faults !== undefined) await emulator.faults({ file, rules: { rules: [] } });
    }),
  };
};

/** The secret that signs the deliveries: read from a file, or made anew and written to another. */
const signingOf = async ({ secretOut, secretFile }: InputOf<typeof addInput>, { io }: Run) => {
  if (secretOut !== undefined) return { file: resolve(secretOut) };
  if (secretFile === undefined) return 'unsigned';
  const [secret = ''] = await webhookSecrets({ files: [secretFile] }, io);
  return { secret };
};

export const addEmulatorWebhook = async (input: InputOf<typeof addInput>, run: Run): Promise<Result> => {
  const { url, event: events, secretOut, allowRemote, data } = input;
  const { file, emulator } = await openEmulator(data, run);
  const signing = await signingOf(input, run);
  const webhook = await emulator.webhooks.add({ file, url, events, allowRemote, signing });
  if (secretOut !== undefined) {
    await run.say(`The secret is in ${secretOut}. Give it to your receiver: --secret-file there, too.`);
  }
  return { kind: 'record', record: madeHere(webhook), view: webhookView };
};

export const listEmulatorWebhooks = async (
  { data }: { readonly data: string | undefined },
  run: Run,
): Promise<Result> => {
  const { file, emulator } = await openEmulator(data, run);
  return { kind: 'list', pages: onePage(await emulator.webhooks.list({ file })), view: webhookView };
};

export const removeEmulatorWebhook = async (
  { id, data }: { readonly id: number; readonly data: string | undefined },
  run: Run,
): Promise<Result> => {
  const { file, emulator } = await openEmulator(data, run);
  return { kind: 'record', record: madeHere(await emulator.webhooks.remove({ file, id })), view: webhookView };
};

/** Makes the emulator send an event that did not happen. */
export const triggerEmulatorEvent = async (
  input: { readonly event: EventName; readonly ugwo: string | undefined; readonly data: string | undefined },
  run: Run,
): Promise<Result> => {
  const { event, ugwo, data } = input;
  const { file, emulator, clock } = await openEmulator(data, run);
  const result = await emulator.webhooks.trigger({ file, clock, event, ugwo });
  const notice = `A running \`${shellLine(['paycli', 'emulator', 'start', ...(data === undefined ? [] : ['--data', data])])}\` sends it.`;
  return { kind: 'record', record: madeHere(result), view: triggeredView, notice };
};

/** Lists sent and pending deliveries, or sends one again. */
export const listEmulatorDeliveries = async (
  { replay, max, data }: InputOf<typeof deliveriesInput>,
  run: Run,
): Promise<Result> => {
  const { file, emulator } = await openEmulator(data, run);
  const found =
    replay === undefined
      ? await emulator.webhooks.deliveries({ file, count: max })
      : [await emulator.webhooks.replay({ file, id: replay })];
  // Tables show the outcome of the last attempt.
  const rows = found.map((delivery) => {
    const last = delivery.attempts.at(-1);
    return { ...delivery, status: last?.status ?? null, error: last?.error ?? null };
  });
  return { kind: 'list', pages: onePage(rows), view: deliveryView };
};
