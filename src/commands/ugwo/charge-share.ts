import type { RowDeps, RowWork } from '../../bulk/kind.ts';
import type { RowEnd } from '../../bulk/row-end.ts';
import { activityFacts, paymentShown } from '../../charge/payment.ts';
import type { Client } from '../../client/client.ts';
import { execOf } from '../../compose/exec.ts';
import { openMessages } from '../../compose/share.ts';
import { readNextAction, textAt } from '../../core/charge.ts';
import { EXIT_CODES, PayError } from '../../core/error.ts';
import { formatMoney } from '../../core/money.ts';
import type { ApiRecord } from '../../core/record.ts';
import type { Charge, Entry } from '../../ledger/entry.ts';
import { walkCharges } from '../../ledger/reconcile.ts';
import { claimSharing, noteSharing, type Shared, sharedOf } from '../../ledger/share.ts';
import { execute } from '../../webhook/consumers.ts';
import { checkCharges } from '../check-charges.ts';
import type { Run } from '../run.ts';
import type { OneCharge, SharingOptions } from './charge-spec.ts';

/** Report column: yes, no, unknown, or sharing while another run does it. */
const SHARED_COLUMN = 'shared';

const whyText = ({ shared, why }: Shared): string | undefined =>
  why && (shared === 'no' ? `its message was not shared: ${why}` : `its message may be shared already: ${why}`);

const withShared = (end: RowEnd, shared: Shared): RowEnd => {
  const row = { ...end, fields: { ...end.fields, [SHARED_COLUMN]: shared.shared } };
  const why = whyText(shared);
  if (why === undefined) return row;
  return { ...row, error: end.error === undefined ? why : `${end.error}; ${why}`, exitCode: EXIT_CODES.attention };
};

/** True for a row that its customer can pay. */
const isShareable = ({ state, exitCode, unrecorded, fields }: RowEnd): boolean =>
  state === 'accepted' && exitCode === 0 && unrecorded === undefined && fields?.['payment'] === 'open';

/** The reason for which a message can't be written or noted. */
const whyOf = (thrown: unknown): { readonly why: string } => {
  if (!(thrown instanceof PayError)) throw thrown;
  return { why: thrown.message };
};

/** The reference of a charge. One with a phone number is stored with its last digits alone, and identifies nothing. */
const refOf = ({ asked }: Entry): string | undefined => (asked?.ref?.includes('…') === true ? undefined : asked?.ref);

/** Variables for a program. A value is no option of a command, and has no control character. */
const variablesOf = (entry: Entry) => {
  const all = { PAYCLI_UGWO: entry.about, PAYCLI_REF: refOf(entry), PAYCLI_EMAIL: entry.asked?.email };
  return Object.fromEntries(Object.entries(all).filter(([, value = '']) => /^[^\p{C}\s-]\P{C}*$/u.test(value)));
};

/** Opens what shares the messages to customers: each once, in whatever run. */
export const openChargeSharing = async (options: SharingOptions, earlier: OneCharge['earlier'], run: Run) => {
  const { io } = run;
  const exec = (await execOf(options.program, io, '--share-with'))([]);
  const { wanted, write } = await openMessages(options, run);

  /** Names for the template that only reads show. */
  const namesFor = async (ugwo: string, client: Client) => {
    if (!wanted.includes('first_name') && !wanted.includes('merchant')) return {};
    const { value } = await client.call('ugwo.get', { params: { uid: ugwo } });
    const checkout = { params: { uid: textAt(value, 'checkout.uid') } };
    return {
      first_name: textAt(value, 'onye.first_name') || textAt(value, 'onye_nzube.first_name'),
      merchant: wanted.includes('merchant') ? textAt((await client.call('checkout.get', checkout)).value, 'name') : '',
    };
  };

  const readActivity = async ({ about, activity }: Entry, client: Client): Promise<unknown> => {
    const params = { ugwoUid: about, activityUid: activity?.uid ?? '' };
    const record = await client.call('activity.get', { params });
    await run.observe('activity', record);
    return record.value;
  };

  /** Undefined if the customer has nothing to do. */
  const messageFor = async (entry: Entry, shown: unknown, client: Client) => {
    const value = shown ?? (await readActivity(entry, client));
    const action = readNextAction(value);
    if (paymentShown(value) !== 'open' || action === undefined) return undefined;
    const { about, asked } = entry;
    const minor = activityFacts(value).amount ?? (earlier === 'remaining' ? undefined : asked?.amount);
    const currency = asked?.currency ?? textAt(value, 'checkout.currency');
    const amount = minor === undefined || currency === '' ? undefined : formatMoney(minor, currency);
    return write({
      ...{ value, action, amount, now: io.clock.now() },
      others: { ref: refOf(entry), ...(await namesFor(about, client)) },
    });
  };

  const shareOnce = async (id: string, activity: unknown, client: Client): Promise<Shared> => {
    const ledger = await run.ledger();
    const stored = async (): Promise<Entry> => (await ledger.get(id)) as Entry;
    const entry = await stored();
    if (sharedOf(entry, ledger).shared !== 'no') return sharedOf(entry, ledger);
    const message = await messageFor(entry, activity, client).catch(whyOf);
    if (message === undefined || io.signals.stop.aborted) return { shared: 'no' };
    if ('why' in message) await noteSharing(ledger, id, 'not_shared', message.why);
    else if (await claimSharing(ledger, id)) {
      const program = { ...exec, env: { ...exec.env, ...variablesOf(entry) } };
      const body = Buffer.from(`${io.redactor.clean(message.text)}\n`);
      const failure = await execute(program, { body }, { clock: io.clock, ...io.signals });
      // A program that was killed may have sent it before.
      const failed = failure?.isKilled === true ? 'share_unknown' : 'not_shared';
      await noteSharing(ledger, id, failure === undefined ? 'shared' : failed, failure?.why);
    }
    return sharedOf(await stored(), ledger);
  };
  /** Shares the message about a charge, unless that was done. A failure makes no charge fail. */
  const share = (id: string, activity: unknown, client: Client): Promise<Shared> =>
    shareOnce(id, activity, client).catch((thrown: unknown) => ({ shared: 'unknown', ...whyOf(thrown) }));

  return {
    column: SHARED_COLUMN,
    /** Shares the message about one charge. Resolves to an error if a person has to look. */
    one: async (record: ApiRecord, made: string | undefined, client: Client): Promise<PayError | undefined> => {
      const [ledger, { service, workspace }] = [await run.ledger(), await run.target()];
      const activities = [textAt(record.value, 'uid')];
      const id = made ?? (await ledger.list({ activities, service, workspace, limit: 1 }))[0]?.id;
      const nobody: Shared = { shared: 'no', why: 'this ledger has no charge of it' };
      const why = whyText(id === undefined ? nobody : await share(id, record.value, client));
      const hint = 'to share what is left, run the same command again with --reuse';
      return why === undefined ? undefined : new PayError('attention', `the charge is made, but ${why}`, { hint });
    },
    /** Adds to the stored end of a row how its message stands. */
    shown: (end: RowEnd, entry: Entry, { ledger }: RowDeps): RowEnd =>
      isShareable(end) ? withShared(end, sharedOf(entry, ledger)) : end,
    /** Shares the message of each row that is charged. */
    afterEach:
      <T>(sending: RowWork<T>, { client }: RowDeps): RowWork<T> =>
      async (...asked) => {
        const end = await sending(...asked);
        if (end === undefined || !isShareable(end)) return end;
        const { charge, activity: uid, status, next_action, missing_minor: amount } = end.fields ?? {};
        const activity = end.kept === undefined ? { uid, status, next_action, amount } : undefined;
        return withShared(end, await share(String(charge), activity, client));
      },
    /** Shares the messages that earlier runs of a job have left. */
    left: async (job: string, concurrency: number, { ledger, client }: RowDeps): Promise<void> => {
      const rows = walkCharges(ledger, { job, payments: ['open'] });
      const check = ({ id }: Charge) => share(id, undefined, client);
      await checkCharges({ ...io, stop: io.signals.stop, concurrency, rows, check });
    },
  };
};
export type ChargeSharing = Awaited<ReturnType<typeof openChargeSharing>>;
