import type { RowDeps, RowWork } from '../../bulk/kind.ts';
import type { RowEnd } from '../../bulk/row-end.ts';
import { activityFacts, paymentShown } from '../../charge/payment.ts';
import type { Client } from '../../client/client.ts';
import { execOf } from '../../compose/exec.ts';
import { openMessages } from '../../compose/share.ts';
import { realMachine } from '../../config/machine.ts';
import { readNextAction, textAt } from '../../core/charge.ts';
import { EXIT_CODES, PayError } from '../../core/error.ts';
import { formatMoney } from '../../core/money.ts';
import type { Charge, Entry } from '../../ledger/entry.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { refreshCharge, walkCharges } from '../../ledger/reconcile.ts';
import { claimSharing, noteSharing, type Shared, sharedOf } from '../../ledger/share.ts';
import { asActivity } from '../../ledger/snapshot.ts';
import { type ExecFailure, execute } from '../../webhook/consumers.ts';
import { checkCharges } from '../check-charges.ts';
import type { Run } from '../run.ts';
import type { OneCharge, SharingOptions } from './charge-spec.ts';

/** Report column: yes, no, unknown, or sharing while another run does it. */
const SHARED_COLUMN = 'shared';

/** The reason why a person has to look; undefined if there is none. */
const whyNotShared = ({ shared, why }: Shared): string | undefined =>
  why && `its message ${shared === 'no' ? 'was not shared' : 'may be shared already'}: ${why}`;

const withShared = (end: RowEnd, shared: Shared): RowEnd => {
  const trouble = whyNotShared(shared);
  const row = { ...end, fields: { ...end.fields, [SHARED_COLUMN]: shared.shared } };
  if (trouble === undefined) return row;
  return { ...row, error: [end.error ?? [], trouble].flat().join('; '), exitCode: EXIT_CODES.attention };
};

/** True for a row that its customer can pay. */
const isShareable = ({ exitCode, unrecorded, fields = {} }: RowEnd): boolean =>
  exitCode === 0 && unrecorded === undefined && fields['payment'] === 'open' && fields['next_action'] !== undefined;

/** The reason for which nothing was sent. */
const unsent = (thrown: unknown): ExecFailure => {
  if (!(thrown instanceof PayError)) throw thrown;
  return { why: thrown.message };
};

/** A value that is no option and has no control character, nor what means something to a batch file of Windows. */
const SAFE_VALUE = realMachine.platform === 'win32' ? /^(?![\s-])[^\p{C}"%&()<>^|!]+$/u : /^(?![\s-])\P{C}+$/u;

/** Variables for a program. */
const variablesOf = ({ about, asked }: Entry) => {
  const all = { PAYCLI_UGWO: about, PAYCLI_REF: asked?.ref, PAYCLI_EMAIL: asked?.email };
  return Object.fromEntries(Object.entries(all).filter(([, value = '']) => SAFE_VALUE.test(value)));
};

/** Opens the sharing of messages with customers. Each message is shared once, in whatever run. */
export const openChargeSharing = async (options: SharingOptions, earlier: OneCharge['earlier'], run: Run) => {
  const { io } = run;
  const { wants, write } = await openMessages(options, run);
  const exec = (await execOf(options.shareWith, io, '--share-with'))([]);
  const merchants = new Map<string, string>();

  /** Reads the names that the template wants: the ledger has none. */
  const namesFor = async (ugwo: string, client: Client) => {
    if (!wants('first_name') && !wants('merchant')) return {};
    const { value } = await client.call('ugwo.get', { params: { uid: ugwo } });
    const uid = textAt(value, 'checkout.uid');
    if (wants('merchant') && uid !== '' && !merchants.has(uid)) {
      merchants.set(uid, textAt((await client.call('checkout.get', { params: { uid } })).value, 'name'));
    }
    const first_name = textAt(value, 'onye.first_name') || textAt(value, 'onye_nzube.first_name');
    return { first_name, merchant: merchants.get(uid) };
  };

  /** Gives the program the message. `sum`: what the answer asks for. `isNew`: the ledger has all facts. */
  const send = async (charge: Entry, ledger: Ledger, client: Client, sum: number | undefined, isNew: boolean) => {
    const isRead = !isNew && sum === undefined && (await refreshCharge(ledger, charge, client));
    const entry = (isRead ? await ledger.get(charge.id) : undefined) ?? charge;
    const { about, activity, asked, money } = entry;
    const value = activity && asActivity(activity);
    const known = money?.missing ?? (earlier === 'remaining' ? 0 : asked?.amount);
    const [minor, currency] = [sum || known, asked?.currency];
    if (minor === 0) return { why: 'its payment request shows nothing that is left to pay' };
    const message = write({
      ...{ value, action: readNextAction(value), now: io.clock.now() },
      amount: minor === undefined || currency === undefined ? undefined : formatMoney(minor, currency),
      others: { ref: asked?.ref, ...(await namesFor(about, client)) },
    });
    if ('why' in message) return message;
    const program = { ...exec, env: { ...exec.env, ...variablesOf(entry) } };
    const body = Buffer.from(`${io.redactor.clean(message.text)}\n`);
    return execute(program, { body, isOnce: true }, { clock: io.clock, ...io.signals });
  };

  /**
   * Shares the message about a charge, unless that was done. A failure makes no charge fail. Only a read shows the rest
   * that a customer has to pay, and what became of an earlier charge.
   */
  const share = async (id: string, client: Client, sum?: number, isNew = earlier !== 'remaining'): Promise<Shared> => {
    try {
      const ledger = await run.ledger();
      const entry = await ledger.get(id);
      if (entry === undefined) return { shared: 'no', why: 'this ledger has no charge of it' };
      if (!io.signals.stop.aborted && (await claimSharing(ledger, id))) {
        await noteSharing(ledger, id, await send(entry, ledger, client, sum, isNew).catch(unsent));
      }
      return sharedOf((await ledger.get(id)) ?? entry, ledger);
    } catch (thrown) {
      return { shared: 'unknown', why: unsent(thrown).why };
    }
  };

  return {
    column: SHARED_COLUMN,
    /** Shares the message about one charge. Resolves to an error if a person has to look. */
    one: async (value: unknown, id = '', client: Client, rest?: number): Promise<PayError | undefined> => {
      if (paymentShown(value) !== 'open' || readNextAction(value) === undefined) return undefined;
      const shared = await share(id, client, rest ?? activityFacts(value).amount);
      const why = whyNotShared(shared);
      const isLeft = shared.shared === 'no' && rest === undefined;
      const hint = isLeft ? 'to share it, run the same command again with --reuse' : 'tell the customer yourself';
      return why === undefined ? undefined : new PayError('attention', `the charge is made, but ${why}`, { hint });
    },
    /** Adds the state of its message to the stored end of a row. */
    shown: (end: RowEnd, entry: Entry, { ledger }: RowDeps): RowEnd =>
      isShareable(end) ? withShared(end, sharedOf(entry, ledger)) : end,
    /** Shares the message of each row that is charged. */
    afterEach:
      <T>(sending: RowWork<T>, { client }: RowDeps): RowWork<T> =>
      async (...asked) => {
        const end = await sending(...asked);
        if (end === undefined || !isShareable(end)) return end;
        return withShared(end, await share(String(end.fields?.['charge']), client, end.sum));
      },
    /** Shares the messages that earlier runs of a job have left. */
    left: async (job: string, concurrency: number, { ledger, client }: RowDeps): Promise<void> => {
      const rows = walkCharges(ledger, { job, payments: ['open'] });
      const check = async (charge: Charge) =>
        sharedOf(charge, ledger).shared === 'no' ? share(charge.id, client, undefined, false) : undefined;
      await checkCharges({ ...io, stop: io.signals.stop, concurrency, rows, check });
    },
  };
};
export type ChargeSharing = Awaited<ReturnType<typeof openChargeSharing>>;
