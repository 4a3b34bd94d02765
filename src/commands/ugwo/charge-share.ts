import type { FileHandle } from 'node:fs/promises';
import type { RowDeps, RowWork } from '../../bulk/kind.ts';
import type { RowEnd } from '../../bulk/row-end.ts';
import { activityFacts, paymentShown } from '../../charge/payment.ts';
import type { Client } from '../../client/client.ts';
import { execOf } from '../../compose/exec.ts';
import { foldersOf } from '../../compose/run.ts';
import { factsIn, openMessages } from '../../compose/share.ts';
import { realMachine } from '../../config/machine.ts';
import { readNextAction } from '../../core/charge.ts';
import { EXIT_CODES, PayError, reasonOf, signalWord, usageError } from '../../core/error.ts';
import { formatMoney } from '../../core/money.ts';
import { claimStart, type Exec, execute, openProgramInput } from '../../core/program.ts';
import type { PassOn, ShareOptions } from '../../core/result.ts';
import { type Charge, type Entry, type Evidence, evidenceOf } from '../../ledger/entry.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { refreshCharge, walkCharges } from '../../ledger/reconcile.ts';
import { claimSharing, noteSharing, noteUnshared, type Shared, sharedOf, type Unsent } from '../../ledger/share.ts';
import { asActivity } from '../../ledger/snapshot.ts';
import type { Run } from '../run.ts';
import type { ChargeInput, OneCharge } from './charge-spec.ts';

/** Report column: yes, no, unknown, or sharing while another run does it. */
const SHARED_COLUMN = 'shared';

/** The reason why a person has to look; undefined if there is none. */
const whyNotShared = ({ shared, why }: Shared): string | undefined =>
  why && `its message ${shared === 'no' ? 'was not shared' : 'may be shared already'}: ${why}`;

/** The next step for a message that was not shared. `again`: the command that shares it. */
const nextStep = ({ shared, lacks }: Shared, again: string): string => {
  if (shared !== 'no') return 'tell the customer yourself';
  return `to share what is left, ${again}${lacks === undefined ? '' : ' and another template'}`;
};

const withShared = (end: RowEnd, shared: Shared): RowEnd => {
  const trouble = whyNotShared(shared);
  const row = { ...end, fields: { ...end.fields, [SHARED_COLUMN]: shared.shared } };
  if (trouble === undefined) return row;
  const hint = nextStep(shared, 'run the same command again with --share-with');
  return { ...row, error: [end.error ?? [], trouble].flat().join('; '), exitCode: EXIT_CODES.attention, hint };
};

/** True for a row that its customer can pay. */
const isShareable = ({ exitCode, unrecorded, fields = {} }: RowEnd): boolean =>
  exitCode === 0 && unrecorded === undefined && fields['payment'] === 'open' && fields['next_action'] !== undefined;

type Facts = Readonly<Record<string, string>>;
type Messages = Awaited<ReturnType<typeof openMessages>>;

const unsent = (thrown: unknown): Unsent => {
  if (!(thrown instanceof PayError)) throw thrown;
  return { why: thrown.message };
};

/**
 * Patterns of the values that no program takes for anything else. Customers choose refs and addresses. A mail program
 * runs `|…` and writes to `./…`, curl reads `@…`, an unquoted value reaches the shell, and a batch file expands `%`.
 */
const SAFE_VALUES = {
  PAYCLI_UGWO: /^\w[\w.-]*$/,
  PAYCLI_REF: /^[A-Za-z0-9][A-Za-z0-9 ._/#:+-]*$/,
  PAYCLI_EMAIL:
    realMachine.platform === 'win32'
      ? /^[A-Za-z0-9][A-Za-z0-9._+-]*@[A-Za-z0-9._+-]+$/
      : /^[A-Za-z0-9][A-Za-z0-9._%+-]*@[A-Za-z0-9._%+-]+$/,
};

const READ_NAMES = ['ref', 'first_name', 'merchant'];

const DEFAULTS = 'give it a default, such as {first_name|there}, or use another template';

/** A message to share: a program, and its input. */
interface Prepared {
  readonly program: Exec;
  readonly input: FileHandle;
  /** The folder of the input, for the claim of its start. */
  readonly folder: string;
}

/** Shares messages with customers. Each message is shared once, in whatever run. */
export class ChargeSharing {
  readonly column = SHARED_COLUMN;
  readonly #messages: Messages;
  /** Undefined if the message is only printed. */
  readonly #exec: Exec | undefined;
  readonly #earlier: OneCharge['earlier'];
  readonly #run: Run;
  #names: Parameters<Messages['printing']>[1] = {};
  readonly #leftOut = new Set<string>();

  constructor(messages: Messages, exec: Exec | undefined, earlier: OneCharge['earlier'], run: Run) {
    this.#messages = messages;
    this.#exec = exec;
    this.#earlier = earlier;
    this.#run = run;
  }

  /** Variables for a program. The first time that one is left out, says so. */
  async #variablesOf({ about, asked }: Entry) {
    const values = { PAYCLI_UGWO: about, PAYCLI_REF: asked?.ref, PAYCLI_EMAIL: asked?.email };
    const passed = new Map<string, string>();
    for (const [name, safe] of Object.entries(SAFE_VALUES)) {
      const value = values[name as keyof typeof values];
      if (value === undefined) continue;
      if (safe.test(value)) passed.set(name, value);
      else if (!this.#leftOut.has(name)) {
        this.#leftOut.add(name);
        await this.#run.say(
          `note: ${name} is left out where a program could read its value as something else, as for ${about}`,
        );
      }
    }
    return Object.fromEntries(passed);
  }

  /** The reason why a charge by a medium can never be shared; undefined if there is none. */
  impossible(medium: unknown): string | undefined {
    const lacks = this.#messages.template?.impossible(medium);
    return lacks && `the template has ${lacks}, which ${medium} never gives: ${DEFAULTS}`;
  }

  /** Throws if a payment request, as it was read before its charge, lacks a value of the template. */
  refuseLacking(ugwo: string, request: unknown): void {
    const names: Facts = factsIn(request);
    const lacks = this.#messages.template?.lacking((place) => !READ_NAMES.includes(place) || !!names[place]);
    if (lacks === undefined) return;
    throw new PayError('refused', `${ugwo} was not charged: it has nothing for ${lacks} of the template`, {
      hint: DEFAULTS,
      reason: `nothing for ${lacks} of the template`,
    });
  }

  /** Reads what a printed message names, from a payment request that was read. */
  async readNames(request: unknown, client: Client): Promise<void> {
    this.#names = await this.#messages.namesIn(request, client);
  }

  printing(how: ShareOptions): PassOn {
    return this.#messages.printing(how, this.#names);
  }

  /** Evidence in the intent of a charge: its message is to be shared. */
  evidence(): readonly Evidence[] | undefined {
    return this.#exec && [evidenceOf('to_share', this.#run.io.clock.now(), {})];
  }

  /** Shares the message about one charge, which may be `isNew`. Resolves to an error if a person has to look. */
  async one(
    value: unknown,
    {
      id = '',
      isNew,
      rest,
    }: { readonly id?: string | undefined; readonly isNew: boolean; readonly rest?: number | undefined },
    client: Client,
  ): Promise<PayError | undefined> {
    if (this.#exec === undefined || paymentShown(value) !== 'open' || readNextAction(value) === undefined)
      return undefined;
    const shared = await this.#share(id, client, isNew ? (rest ?? activityFacts(value).amount) : undefined, isNew);
    const why = whyNotShared(shared);
    if (why === undefined) return undefined;
    const reuse = 'run the same command again with --reuse';
    const again = this.#earlier === 'remaining' ? `${reuse} in place of --remaining` : reuse;
    return new PayError('attention', `the charge is made, but ${why}`, { hint: nextStep(shared, again) });
  }

  /** Adds the state of its message to the stored end of a row. */
  shown(end: RowEnd, entry: Entry, { ledger }: RowDeps): RowEnd {
    return isShareable(end) ? withShared(end, sharedOf(entry, ledger)) : end;
  }

  /** Shares the message of each row that is charged. */
  afterEach<T>(sending: RowWork<T>, { client }: RowDeps): RowWork<T> {
    return async (...asked) => {
      const end = await sending(...asked);
      if (end === undefined || !isShareable(end)) return end;
      return withShared(end, await this.#share(String(end.fields?.['charge']), client, end.sum, !this.#isRest));
    };
  }

  /** Shares the messages that earlier runs of a job have left. */
  async left(job: string, concurrency: number, { ledger, client }: RowDeps): Promise<void> {
    const rows = walkCharges(ledger, { job, payments: ['open'] });
    const check = async (charge: Charge) =>
      sharedOf(charge, ledger).shared === 'no' ? this.#share(charge.id, client, undefined, false) : undefined;
    const { io } = this.#run;
    const { checkCharges } = await import('../../bulk/pace.ts');
    await checkCharges({ ...io, stop: io.signals.stop, concurrency, rows, check });
  }

  /** Only a read shows the rest that a customer has to pay, and what became of an earlier charge. */
  get #isRest(): boolean {
    return this.#earlier === 'remaining';
  }

  /** Shares the message about a charge, unless that was done. A failure makes no charge fail. */
  async #share(id: string, client: Client, sum: number | undefined, isNew: boolean): Promise<Shared> {
    const { io } = this.#run;
    let isStarted = false;
    let input: FileHandle | undefined;
    try {
      const ledger = await this.#run.ledger();
      const entry = await ledger.get(id);
      if (entry === undefined) return { shared: 'no', why: 'this ledger has no charge of it' };
      const shared = sharedOf(entry, ledger);
      if (shared.shared !== 'no') return shared;
      const prepared = io.signals.stop.aborted
        ? { why: `${signalWord(io.signals.stop.reason)} came before` }
        : await this.#prepare(entry, ledger, client, sum, isNew).catch(unsent);
      // Only a program that can start claims the message: a claim that ends with its process may have been shared.
      if ('why' in prepared) {
        await noteUnshared(ledger, id, prepared);
        return { shared: 'no', ...prepared };
      }
      const { program, folder } = prepared;
      input = prepared.input;
      if (await claimStart(folder, (unstarted) => claimSharing(ledger, id, unstarted))) {
        isStarted = true;
        await noteSharing(ledger, id, await execute(program, input, { clock: io.clock, ...io.signals }));
      }
      return sharedOf((await ledger.get(id)) ?? entry, ledger);
    } catch (thrown) {
      return { shared: isStarted ? 'unknown' : 'no', why: reasonOf(thrown) };
    } finally {
      await input?.close();
    }
  }

  /** Writes the message. `sum`: what the answer asks for. `isNew`: the ledger has all facts. */
  async #prepare(
    charge: Entry,
    ledger: Ledger,
    client: Client,
    sum: number | undefined,
    isNew: boolean,
  ): Promise<Prepared | Unsent> {
    const { io } = this.#run;
    const isRead = !isNew && sum === undefined && (await refreshCharge(ledger, charge, client));
    const entry = (isRead ? await ledger.get(charge.id) : undefined) ?? charge;
    const { about, activity, asked, money } = entry;
    const value = activity && asActivity(activity);
    const known = money?.missing ?? (this.#isRest ? 0 : asked?.amount);
    const [minor, currency] = [sum || known, asked?.currency];
    if (minor === 0) return { why: 'its payment request shows nothing that is left to pay' };
    const message = this.#messages.write({
      value,
      action: readNextAction(value),
      now: io.clock.now(),
      amount: minor === undefined || currency === undefined ? undefined : formatMoney(minor, currency),
      others: { ...(await this.#namesFor(about, client)), ref: asked?.ref },
    });
    if ('why' in message) return message;
    if (this.#exec === undefined) return { why: 'no program was named' };
    const program = { ...this.#exec, env: { ...this.#exec.env, ...(await this.#variablesOf(entry)) } };
    const body = Buffer.from(`${message.text}\n`);
    try {
      const { data: folder } = await foldersOf(this.#run);
      return { program, input: await openProgramInput(folder, body), folder };
    } catch (thrown) {
      return { why: `couldn't be started: ${reasonOf(thrown)}` };
    }
  }

  /** Reads the names that the template wants: the ledger has none. */
  async #namesFor(ugwo: string, client: Client): Promise<object> {
    const { template } = this.#messages;
    if (!template?.wants('first_name') && !template?.wants('merchant')) return {};
    return this.#messages.namesIn((await client.call('ugwo.get', { params: { uid: ugwo } })).value, client);
  }
}

/** Opens the sharing. `look`: each payment request is read before its charge. Throws if an option is not valid. */
export const openChargeSharing = async (
  { earlier, look, shareWith, passOn }: ChargeInput,
  run: Run,
): Promise<ChargeSharing> => {
  const messages = await openMessages(passOn, run);
  const unread = look ? undefined : messages.template?.lacking((place) => !READ_NAMES.includes(place));
  if (unread !== undefined) {
    throw usageError(`--share-template: ${unread} is read from the payment request, which --no-preflight leaves out`, {
      hint: DEFAULTS,
    });
  }
  const exec = shareWith === undefined ? undefined : (await execOf(shareWith, run.io, '--share-with'))([]);
  return new ChargeSharing(messages, exec, earlier, run);
};
