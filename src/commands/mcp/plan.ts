import { MEDIUM_FIELDS, propertyOf, STORED_PROPERTIES } from '../../charge/mediums.ts';
import type { Tree } from '../../cli/tree.ts';
import { EXIT_CODES, PayError, usageError } from '../../core/error.ts';
import { isJsonObject, parseIfJson } from '../../core/json.ts';
import { formatMoney } from '../../core/money.ts';
import { visible, visibleJson } from '../../core/text.ts';
import type { Entry, RequestTerms } from '../../ledger/entry.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { textOfPlan } from '../../ledger/policy.ts';
import { asActivity, type Snapshot, snapshotOf } from '../../ledger/snapshot.ts';
import type { Caller, Tool, ToolAnswer } from '../../mcp/server.ts';
import type { Inner, Run } from '../run.ts';
import { checkPlan, openedToken, recordPlan, type Sealed } from './token.ts';
import { argumentTexts, argvOf, idNamed, toolErrorOf } from './tools.ts';

export const CONFIRM = 'charge_confirm';

export const confirmTool: Tool = {
  name: CONFIRM,
  description:
    'Charge as planned, once. At a live service a person first types the command that charge_plan returns. ' +
    'After the state "unknown" do not call again; call sync.',
  inputSchema: {
    type: 'object',
    properties: { token: { type: 'string', description: 'the token of charge_plan' } },
    required: ['token'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: false, destructiveHint: true },
};

const PLAN_AGAIN = 'call charge_plan again, and show the person what it says';

const refusedPlan = (message: string, hint = PLAN_AGAIN): PayError =>
  new PayError('refused', `this call charged nothing: ${message}`, { hint });

const chargeOfPlan = async ({ jobs }: Ledger, plan: string): Promise<Entry | undefined> =>
  (await jobs.entries(plan, 1, 1)).at(-1);

/** Throws if the plan was carried out before. */
const checkUnused = async ({ id }: Sealed, ledger: Ledger): Promise<void> => {
  const used = await chargeOfPlan(ledger, id);
  if (used === undefined) return;
  const hint = used.state === 'not_sent' ? PLAN_AGAIN : 'call sync, then list_charges';
  throw refusedPlan(`the token was already used (${used.id}: ${used.state})`, hint).with({ ledgerId: used.id });
};

type Given = Readonly<Record<'ugwo' | 'medium', string> & Partial<Record<string, string>>>;

const isGiven = (part: string | undefined): part is string => part !== undefined;

/** Who is charged, how much, and how. */
const chargeText = (given: Given, { asked }: Snapshot): string => {
  const { amount = 0, currency = '', customer, email, ref } = asked;
  const known = email ?? customer;
  const whom = known === undefined ? 'an unknown customer' : JSON.stringify(known);
  const fields = MEDIUM_FIELDS.filter((field) => field.needs && STORED_PROPERTIES.includes(propertyOf(field))).map(
    ({ name }) => given[name],
  );
  const how = [given.medium, ...fields.filter(isGiven).map((field) => JSON.stringify(field))].join(' ');
  const parts = [`${formatMoney(amount, currency)} from ${whom} by ${how}`, given.ugwo, ref && JSON.stringify(ref)];
  return parts.filter(isGiven).map(visible).join(', ');
};

const planRecord = async (given: Given, text: string, asked: RequestTerms, run: Run): Promise<object> => {
  const { amount, currency } = asked;
  if (amount === undefined || currency === undefined) {
    throw new PayError('refused', 'nothing can be planned: the service shows no amount');
  }
  const total = { rows: 1, amounts: new Map([[currency, BigInt(amount)]]), unknown: 0 };
  return recordPlan({ kind: 'charge', command: 'ugwo charge', text, total }, { given, asked }, run);
};

export const toolAnswer = (value: object, isError: boolean): ToolAnswer => ({
  text: visibleJson(JSON.stringify(value)),
  isError,
});

/** Judges a charge. If it would be made, and charging is allowed, seals it in a token. */
export const answerPlan = async (
  tree: Tree,
  asked: unknown,
  money: boolean,
  { signal }: Caller,
  inner: Inner,
): Promise<ToolAnswer> => {
  const named = argumentTexts(tree, 'charge_plan', asked) as Given;
  const { id, failed: unread } = await idNamed('ugwo', named.ugwo, signal, inner);
  const given: Given = { ...named, ugwo: id };
  const failed = ({ stderr }: Awaited<ReturnType<Inner>>) => toolErrorOf(tree, 'charge_plan', given, stderr);
  if (unread !== undefined) return toolAnswer({ allowed: false, error: failed(unread) }, true);
  const judged = await inner(['--dry-run', ...argvOf(tree, 'charge_plan', given)], signal);
  if (judged.code !== 0) return toolAnswer({ allowed: false, error: failed(judged) }, true);
  let plan: object | undefined;
  const read = await inner(['ugwo', 'get', '--', given.ugwo], signal, async (run, go) => {
    const result = await go(run);
    if (result.kind !== 'record') return result;
    const shown = snapshotOf(result.record.value, result.record);
    const charge = chargeText(given, shown);
    plan = { allowed: true, charge, ...shown.asked };
    plan = { ...plan, ...(money ? await planRecord(given, charge, shown.asked, run) : { token: null }) };
    return result;
  });
  return read.code === 0 && plan !== undefined ? toolAnswer(plan, false) : toolAnswer({ error: failed(read) }, true);
};

/** States of a charge by the exit code of its run, where that alone says that it was or may have been made. */
const STATES: Readonly<Record<number, string>> = {
  0: 'accepted',
  [EXIT_CODES.unrecorded]: 'accepted',
  [EXIT_CODES.charge_failed]: 'failed',
  [EXIT_CODES.unknown]: 'unknown',
};

const planState = (entry: Entry | undefined): string => {
  if (entry?.state === 'accepted') return entry.exitCode === EXIT_CODES.charge_failed ? 'failed' : 'accepted';
  return entry?.state === 'unknown' || entry?.state === 'sending' ? entry.state : 'not_charged';
};

const CALL_SYNC = 'do not call again; call sync';

/** Carries out a plan. */
export const answerConfirm = async (
  tree: Tree,
  given: unknown,
  { elicits, answer: said, signal }: Caller,
  inner: Inner,
): Promise<ToolAnswer> => {
  const token = isJsonObject(given) ? given['token'] : undefined;
  if (typeof token !== 'string') throw usageError(`${CONFIRM} needs token: the token of charge_plan`);
  const opened = await openedToken(token, refusedPlan, (look) => inner(argvOf(tree, 'sync', {}), signal, look));
  if (opened.sealed === undefined) {
    const state = opened.isRead ? { state: 'not_charged' } : { state: 'unknown', next: CALL_SYNC };
    return toolAnswer({ ...state, error: toolErrorOf(tree, 'sync', {}, opened.stderr) }, true);
  }
  const { sealed } = opened;
  const { id, asked } = sealed;
  // Without a look at the ledger, it may have been charged before.
  let found: { readonly state: string; readonly entry?: Entry | undefined } = { state: 'unknown' };
  let question: string | undefined;
  const { code, stdout, stderr } = await inner(argvOf(tree, 'charge_plan', sealed.given), signal, async (run, go) => {
    const [ledger, place] = [await run.ledger(), await run.target()];
    try {
      await checkUnused(sealed, ledger);
      await checkPlan(sealed, ledger, place, refusedPlan, CONFIRM);
      // A courtesy: clients may answer for the person. The control is the approval.
      if (elicits && said !== undefined && said !== 'accept') throw refusedPlan('the person declined');
      if (!elicits || said === 'accept') return await go(run, { id, asked });
      question = `Charge ${textOfPlan(ledger, id, (await ledger.jobs.get(id))?.name ?? '') ?? id}?`;
      return { kind: 'text', text: '' };
    } finally {
      const look = chargeOfPlan(ledger, id).then((entry) => ({ state: planState(entry), entry }));
      found = await look.catch(() => ({ state: 'unknown' }));
    }
  });
  if (question !== undefined) return { question };
  const { entry } = found;
  const state = STATES[code] ?? found.state;
  const activity = stdout.trim() === '' ? entry?.activity && asActivity(entry.activity) : parseIfJson(stdout);
  return toolAnswer(
    {
      state,
      ...(state === 'unknown' || state === 'sending' ? { next: CALL_SYNC } : {}),
      ...(activity === undefined ? {} : { activity }),
      ...(stderr.trim() === '' ? {} : { error: toolErrorOf(tree, 'charge_plan', sealed.given, stderr) }),
    },
    code !== 0,
  );
};
