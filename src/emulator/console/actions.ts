import { machineValue } from '../../core/charge.ts';
import { ENDINGS, FIRST_RECORDS } from '../../core/data-files.ts';
import { PayError } from '../../core/error.ts';
import { visible } from '../../core/text.ts';
import { parseDuration } from '../../core/time.ts';
import { moveClock, setFaults } from '../control.ts';
import { settle } from '../payments.ts';
import { seedStore } from '../seed.ts';
import { nowOf, ProblemError, present, refusal } from '../service.ts';
import { chargeBody } from './actions-ugwo.ts';
import { webhookAdd, webhookRemove, webhookReplay, webhookTrigger } from './actions-webhooks.ts';
import type { Said } from './layout.ts';
import { mediumOf } from './pages/timeline.ts';
import { activityState, isOpen } from './states.ts';
import { ruleOf, SWITCHES } from './switches.ts';
import type { Desk, PostedForm } from './view.ts';

const activityAt = ({ service }: Desk, uid: string) =>
  present(service.store.activity(uid), `there is no activity ${uid}`);

const paidBy = ({ desk }: PostedForm, uid: string, as: (typeof ENDINGS)[number], amount?: number): string => {
  const { service } = desk;
  const { activity } = settle(service.store, { activity: uid, as, after: undefined, amount }, nowOf(service));
  return activityState(activity)[0];
};

const amountIn = (form: URLSearchParams): number | undefined => {
  const text = form.get('amount');
  if (text === null) return undefined;
  if (!/^[1-9]\d{0,14}$/.test(text)) throw refusal(422, 'the amount is a whole number of the minor unit');
  return Number(text);
};

const settleOne = async (doing: PostedForm): Promise<string> => {
  const { desk, form, uid } = doing;
  activityAt(desk, uid);
  const as = ENDINGS.find((ending) => ending === form.get('as'));
  if (as === undefined) throw refusal(422, `an activity ends as one of ${ENDINGS.join(', ')}`);
  return `The charge is ${paidBy(doing, uid, as, amountIn(form))}.`;
};

const refusedText = (json: unknown): string => {
  const { detail, message } = (json ?? {}) as { readonly detail?: string; readonly message?: string };
  return detail ?? message ?? 'the service has refused it';
};

const chargeBy = async (
  { ask }: PostedForm,
  ugwo: string,
  medium: string,
  chosen?: Record<string, string>,
): Promise<string> => {
  const { status, json } = await ask('POST', `/v1/ugwo/${ugwo}/activities`, chargeBody(medium, chosen));
  if (status >= 400) throw refusal(status, refusedText(json));
  return machineValue((json as { readonly uid?: unknown }).uid);
};

const chargeOne = async (doing: PostedForm): Promise<string> => {
  const { form, uid } = doing;
  const { medium = '', ...chosen } = Object.fromEntries(form);
  await chargeBy(doing, uid, medium, chosen);
  return `Charged by ${medium.replace('_', ' ')}.`;
};

/** The second charge is made before the first is paid: what is paid takes none. */
const payTwice = async (doing: PostedForm): Promise<string> => {
  const { desk, uid } = doing;
  const { activity, ugwo } = activityAt(desk, uid);
  const other = desk.service.store.activitiesOn(ugwo).findLast((one) => isOpen(one) && one.uid !== uid);
  const second = other?.uid ?? (await chargeBy(doing, ugwo, mediumOf(activity).replace(' ', '_')));
  paidBy(doing, uid, 'successful');
  paidBy(doing, second, 'successful');
  return 'The customer has paid twice.';
};

const faultOn = async ({ desk, form }: PostedForm): Promise<string> => {
  const one = SWITCHES.find(({ name }) => name === form.get('switch'));
  const rule = one && ruleOf(one, form.get('scope') ?? '', form.get('times') === '1');
  if (one === undefined || rule === undefined) throw refusal(422, 'there is no such fault');
  const { store } = desk.service;
  store.write(() => store.addFault(rule));
  return `${one.label}: on.`;
};

const faultOff = async ({ desk, form }: PostedForm): Promise<string> => {
  const { store } = desk.service;
  store.write(() => store.removeFault(Number(form.get('seq'))));
  return 'The rule is off.';
};

const faultsClear = async ({ desk }: PostedForm): Promise<string> => {
  setFaults(desk.service.store, { rules: [] });
  return 'There is no rule any more.';
};

const clockOn = async ({ desk, form }: PostedForm): Promise<string> => {
  const ms = parseDuration(form.get('by') ?? '');
  if (ms === undefined) throw refusal(422, 'a duration is wanted, such as 90s, 10m or 1h');
  moveClock(desk.service, ms);
  return `The clock is moved on by ${form.get('by')}.`;
};

const clockBack = async ({ desk }: PostedForm): Promise<string> => {
  moveClock(desk.service, 'back');
  return 'The clock shows the real time.';
};

const MOST_RECORDS = 100_000;

const countIn = (form: URLSearchParams, name: string, usual: number): number => {
  const text = form.get(name) ?? String(usual);
  if (!/^\d{1,6}$/.test(text) || Number(text) > MOST_RECORDS) throw refusal(422, `at most ${MOST_RECORDS} at once`);
  return Number(text);
};

const seedMore = async ({ desk, form }: PostedForm): Promise<string> => {
  const { store } = desk.service;
  const customers = countIn(form, 'customers', FIRST_RECORDS.customers);
  const ugwo = countIn(form, 'ugwo', FIRST_RECORDS.ugwo);
  store.write(() => seedStore(store, { customers, ugwo }, nowOf(desk.service)));
  return `Added ${customers} customers and ${ugwo} payment requests.`;
};

const resetAll = async ({ desk, form }: PostedForm): Promise<string> => {
  if (form.get('sure') !== 'yes') throw refusal(422, 'tick the box if every record is to be removed');
  const { store } = desk.service;
  store.write(() => store.removeRecords());
  return 'Every record is removed.';
};

/**
 * Actions of the console's forms, by path. Each returns a message, shown on `page` unless it concerns a payment
 * request.
 */
export const ACTIONS: Readonly<
  Record<string, { readonly run: (doing: PostedForm) => Promise<string>; readonly page: string }>
> = {
  'activities/{uid}/settle': { run: settleOne, page: 'ugwo' },
  'activities/{uid}/pay-twice': { run: payTwice, page: 'ugwo' },
  'ugwo/{uid}/charge': { run: chargeOne, page: 'ugwo' },
  'faults/on': { run: faultOn, page: 'faults' },
  'faults/off': { run: faultOff, page: 'faults' },
  'faults/clear': { run: faultsClear, page: 'faults' },
  'webhooks/add': { run: webhookAdd, page: 'webhooks' },
  'webhooks/remove': { run: webhookRemove, page: 'webhooks' },
  'webhooks/trigger': { run: webhookTrigger, page: 'webhooks' },
  'webhooks/replay': { run: webhookReplay, page: 'webhooks' },
  clock: { run: clockOn, page: 'clock' },
  'clock/back': { run: clockBack, page: 'clock' },
  seed: { run: seedMore, page: 'clock' },
  reset: { run: resetAll, page: 'clock' },
};

/** Selects the page for the message: that of the payment request, if it is known. */
const pageOf = ({ desk, uid }: PostedForm, page: string): string => {
  const ugwo = uid.startsWith('ugw.') ? uid : desk.service.store.activity(uid)?.ugwo;
  return ugwo === undefined ? page : `ugwo/${ugwo}`;
};

/** Runs the action of a form. Makes invisible characters in its message visible. */
export const act = async (
  action: keyof typeof ACTIONS,
  doing: PostedForm,
): Promise<{ readonly said: Said; readonly page: string }> => {
  const { run, page } = ACTIONS[action] as (typeof ACTIONS)[string];
  const told = (isDone: boolean, text: string) => ({
    said: { isDone, text: visible(text) },
    page: pageOf(doing, page),
  });
  try {
    return told(true, await run(doing));
  } catch (thrown) {
    if (!(thrown instanceof PayError) && !(thrown instanceof ProblemError)) throw thrown;
    const why = thrown instanceof ProblemError ? (thrown.problem.detail ?? thrown.problem.title) : thrown.message;
    return told(false, `Not done: ${why}`);
  }
};
