import type { Activity } from '../contract/activity.ts';
import type { Ugwo } from '../contract/ugwo.ts';
import { usageError } from '../core/error.ts';
import type { EventName } from '../core/event.ts';
import { machineValue } from '../core/medium.ts';
import { utcAtom } from '../core/time.ts';
import { activityOn } from './activity.ts';
import { outcomeOf } from './charge.ts';
import { endActivity, endRefund } from './ends.ts';
import { newId, randomText } from './ids.ts';
import { addCustomer } from './onye.ts';
import { createRefund } from './refund.ts';
import { Refusal } from './refusal.ts';
import type { Store } from './store/open.ts';
import { tell, whole } from './tell.ts';
import { createUgwo } from './ugwo.ts';

/** What an event is made up on: a payment request that is there, or one of its own. */
interface Stage {
  readonly store: Store;
  readonly now: number;
  readonly ugwo: Ugwo;
}

const hangUp = (): void => undefined;
const AMOUNT = 500_000;
const DESTINATION = { provider: 'gtb', account_number: '0123456789' };

/** What it would be charged with. */
const dataFor = ({ uid, checkout }: Ugwo) => {
  const mediums = (checkout?.mediums ?? []).map(({ medium }) => machineValue(medium));
  if (mediums.includes('bank_transfer')) return { medium: 'bank_transfer' as const };
  if (mediums.length > 0) return { medium: 'mobile_money' as const, provider: 'mtn', phone: '+233201234567' };
  throw usageError(`the payment request ${uid} has no checkout, so nothing can be charged on it`);
};

const charged = ({ store, now, ugwo }: Stage): Activity => {
  const [uid, data] = [newId('act'), dataFor(ugwo)];
  const outcome = outcomeOf(data, ugwo, uid, now);
  const at = utcAtom(now);
  const reference = `EMU-${randomText(16)}`;
  const activity = activityOn(ugwo, { uid, medium: data.medium, reference, outcome, at });
  store.addActivity({ activity, ugwo: ugwo.uid }, undefined);
  return activity;
};

const paid = (stage: Stage): Activity => {
  const kept = { activity: charged(stage), ugwo: stage.ugwo.uid };
  return endActivity(stage.store, kept, { ending: 'successful', due: stage.now });
};

const refunded = (stage: Stage, ending: 'successful' | 'failed') => {
  const { store, now } = stage;
  const body = { ugwo_activity: paid(stage).uid, destination: DESTINATION };
  return endRefund(store, createRefund({ params: {}, query: undefined, body, now, hangUp }, store), ending, now);
};

const shown = ({ store, ugwo }: Stage) => whole(store, store.ugwo(ugwo.uid) ?? ugwo);

const customer = ({ store, now }: Stage) => {
  const email = `event-${randomText(8)}@example.com`;
  return addCustomer(store, { email, first_name: 'Ada', last_name: 'Obi' }, now);
};

/** What each event has in it. */
const SCENES: Readonly<Record<EventName, (stage: Stage) => { readonly uid: string }>> = {
  'nzube.onye.created': customer,
  'nzube.onye.updated': customer,
  'nzube.onye.deleted': customer,
  'ugwo.created': shown,
  'ugwo.updated': shown,
  'ugwo.successful': (stage) => {
    paid(stage);
    return shown(stage);
  },
  'ugwo.activity.created': charged,
  'ugwo.activity.updated': paid,
  'ugwo.activity.double_charge_detected': (stage) => {
    paid(stage);
    return paid(stage);
  },
  'refund.successful': (stage) => refunded(stage, 'successful'),
  'refund.failed': (stage) => refunded(stage, 'failed'),
};

const requestFor = (store: Store, uid: string | undefined, now: number): Ugwo => {
  const body = { amount: AMOUNT, currency: 'NGN', description: 'A made-up event' };
  const ugwo =
    uid === undefined ? createUgwo({ params: {}, query: undefined, body, now, hangUp }, store) : store.ugwo(uid);
  if (ugwo !== undefined) return ugwo;
  throw usageError(`there is no payment request ${uid} in the emulator's data`, {
    hint: 'Name the data file that holds it with --data.',
  });
};

/** Made by what makes the real one, and undone. */
const madeUp = (store: Store, event: EventName, uid: string | undefined, now: number): { readonly uid: string } => {
  try {
    return store.rehearse(() => SCENES[event]({ store, now, ugwo: requestFor(store, uid, now) }));
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    throw usageError(`${event} can't be made up on ${uid}: ${thrown.problem.detail ?? thrown.message}`);
  }
};

/** What a trigger put into the outbox. */
export interface Triggered {
  readonly event: EventName;
  readonly event_uid: string;
  readonly about: string;
  /** How many webhooks it goes to. */
  readonly webhooks: number;
}

/** Tells an event that did not happen, about a payment request that is there or one that is nowhere. Throws usage errors. */
export const triggerEvent = (store: Store, event: EventName, ugwo: string | undefined, now: number): Triggered => {
  const data = madeUp(store, event, ugwo, now);
  const told = store.write(() => tell(store, now, event, () => data));
  if (told === undefined) {
    throw usageError(`no webhook wants ${event}`, { hint: 'Add one: `paycli emulator webhook add URL`.' });
  }
  return { event, event_uid: told.uid, about: told.subject, webhooks: told.webhooks };
};
