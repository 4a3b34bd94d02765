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
import { MINUTE_MS } from '../../core/time.ts';
import type { Charge, Entry } from '../../ledger/entry.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { walkCharges } from '../../ledger/reconcile.ts';
import { claimSharing, noteSharing, type Shared, sharedOf } from '../../ledger/share.ts';
import { execute } from '../../webhook/consumers.ts';
import { checkCharges } from '../check-charges.ts';
import type { Run } from '../run.ts';
import type { OneCharge, SharingOptions } from './charge-spec.ts';

/** A charge whose message is to be shared, and what the ledger does not know of it. */
interface ToShare {
  readonly id: string;
  /** Its activity, if the service has just shown it. */
  readonly activity?: unknown;
  /** What is left to pay, if the charge is only for that, as text. */
  readonly rest?: string | undefined;
  readonly phone?: unknown;
}

/** Report column: yes, no, unknown, or sharing while another run does it. */
const SHARED_COLUMN = 'shared';
/** Longest sharing of a message: the time limit of the program, and its end. */
const CLAIM_MS = 6 * MINUTE_MS;

const whyText = ({ shared, why }: Shared): string | undefined =>
  why && `its message ${shared === 'unknown' ? 'may have been' : 'was not'} shared: ${why}`;

/** The reason for which a message can't be written or noted. */
const whyOf = (thrown: unknown): { readonly why: string } => {
  if (!(thrown instanceof PayError)) throw thrown;
  return { why: thrown.message };
};

/** A stored text. One with a phone number holds only its last digits, so it stands for nothing. */
const wholeText = (text: string | undefined): string | undefined => (text?.includes('…') === true ? undefined : text);

/** Variables for a program. A value is no option of a command, and has no control character. */
const variablesOf = ({ about, asked }: Entry, phone: unknown) => {
  const all = { UGWO: about, REF: wholeText(asked?.ref), EMAIL: asked?.email, PHONE: phone };
  const named = Object.entries(all).map(([name, value]) => [`PAYCLI_${name}`, String(value ?? '')] as const);
  return Object.fromEntries(named.filter(([, value]) => /^[^\p{C}\s-]\P{C}*$/u.test(value)));
};

/** True for a row that its customer can pay. */
const isOpen = ({ state, exitCode, unrecorded, fields }: RowEnd): boolean =>
  state === 'accepted' && exitCode === 0 && unrecorded === undefined && fields?.['payment'] === 'open';

/**
 * Opens what shares the messages to customers: each once, in whatever run. The ledger stores the claim of a message
 * before it is shared.
 */
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

  const activityOf = async ({ about, activity }: Entry, client: Client): Promise<unknown> => {
    const params = { ugwoUid: about, activityUid: activity?.uid ?? '' };
    const record = await client.call('activity.get', { params });
    await run.observe('activity', record);
    return record.value;
  };

  /** Undefined if the customer has nothing to do. */
  const messageFor = async (entry: Entry, { activity, rest }: ToShare, client: Client) => {
    const { about, asked } = entry;
    const value = activity ?? (await activityOf(entry, client));
    const action = readNextAction(value);
    if (paymentShown(value) !== 'open' || action === undefined) return undefined;
    const minor = activityFacts(value).amount ?? (earlier === 'remaining' ? undefined : asked?.amount);
    const currency = asked?.currency ?? textAt(value, 'checkout.currency');
    const amount = rest ?? (minor === undefined ? undefined : formatMoney(minor, currency));
    const others = { ref: wholeText(asked?.ref), ...(await namesFor(about, client)) };
    return write({ value, action, now: io.clock.now(), amount, others });
  };

  const send = async (entry: Entry, text: string, phone: unknown, ledger: Ledger): Promise<void> => {
    if (!(await claimSharing(ledger, entry.id, CLAIM_MS))) return;
    const env = { ...exec.env, ...variablesOf(entry, phone) };
    const body = Buffer.from(`${io.redactor.clean(text)}\n`);
    const why = await execute({ ...exec, env }, { body }, { clock: io.clock, ...io.signals });
    // A program that was killed may have sent it before.
    const isCertain = why === undefined || /^(?:exit code|couldn't be started)/.test(why);
    await noteSharing(ledger, entry.id, why === undefined ? 'shared' : isCertain ? 'not_shared' : 'share_unknown', why);
  };

  const shareOnce = async (what: ToShare, client: Client): Promise<Shared> => {
    const { id } = what;
    const ledger = await run.ledger();
    const stored = async (): Promise<Entry> => (await ledger.get(id)) as Entry;
    const entry = await stored();
    if (sharedOf(entry, ledger).shared !== 'no') return sharedOf(entry, ledger);
    const message = await messageFor(entry, what, client).catch(whyOf);
    if (message === undefined || io.signals.stop.aborted) return { shared: 'no' };
    if ('why' in message) await noteSharing(ledger, id, 'not_shared', message.why);
    else await send(entry, message.text, what.phone, ledger);
    return sharedOf(await stored(), ledger);
  };
  /** Shares the message about a charge, unless that was done. No failure makes the charge fail. */
  const share = (what: ToShare, client: Client): Promise<Shared> =>
    shareOnce(what, client).catch((thrown: unknown) => ({ shared: 'unknown', ...whyOf(thrown) }));

  const withShared = (end: RowEnd, shared: Shared): RowEnd => {
    const fields = { ...end.fields, [SHARED_COLUMN]: shared.shared };
    const why = whyText(shared);
    return {
      ...end,
      fields,
      ...(why && { exitCode: EXIT_CODES.attention, error: [end.error, why].filter(Boolean).join('; ') }),
    };
  };

  return {
    column: SHARED_COLUMN,
    /** Shares the message about one charge. Resolves to an error if a person has to look. */
    one: async (
      { record, id, amount }: { readonly record: ApiRecord; readonly id?: string; readonly amount?: string },
      { fields: { phone } }: OneCharge,
      client: Client,
    ): Promise<PayError | undefined> => {
      const [ledger, { service, workspace }] = [await run.ledger(), await run.target()];
      const activities = [textAt(record.value, 'uid')];
      const known = id ?? (await ledger.list({ activities, service, workspace, limit: 1 }))[0]?.id;
      const shared: Shared =
        known === undefined
          ? { shared: 'no', why: 'this ledger has no charge of it' }
          : await share({ id: known, activity: record.value, rest: amount, phone }, client);
      const why = whyText(shared);
      const hint =
        shared.shared === 'no'
          ? 'to share it, run the same command again with --reuse'
          : 'find out if the customer has it: it is not shared again';
      return why === undefined ? undefined : new PayError('attention', `the charge is made, but ${why}`, { hint });
    },
    /** Adds to the stored end of a row how its message stands. */
    shown: (end: RowEnd, entry: Entry, { ledger }: RowDeps): RowEnd =>
      isOpen(end) ? withShared(end, sharedOf(entry, ledger)) : end,
    /** Shares the message of each row that is charged. */
    afterEach:
      <T extends Pick<OneCharge, 'fields'>>(sending: RowWork<T>, { client }: RowDeps): RowWork<T> =>
      async (asked, row, signals) => {
        const end = await sending(asked, row, signals);
        if (end === undefined || !isOpen(end)) return end;
        const { charge, activity: uid, status, next_action, missing_minor: missing, currency } = end.fields ?? {};
        const rest = missing === undefined ? undefined : formatMoney(Number(missing), String(currency));
        const what = { id: String(charge), rest, phone: asked.item.fields['phone'] };
        const activity = end.kept === undefined ? { uid, status, next_action } : undefined;
        return withShared(end, await share({ ...what, activity }, client));
      },
    /** Shares the messages that earlier runs of a job have left. */
    left: async (job: string, concurrency: number, { ledger, client }: RowDeps): Promise<void> => {
      const rows = walkCharges(ledger, { job, payments: ['open'] });
      const check = ({ id }: Charge) => share({ id }, client);
      await checkCharges({ ...io, stop: io.signals.stop, concurrency, rows, check });
    },
  };
};
export type ChargeSharing = Awaited<ReturnType<typeof openChargeSharing>>;
