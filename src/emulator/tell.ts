import type { Activity } from '../contract/activity.ts';
import type { Ugwo, UgwoWithActivities } from '../contract/ugwo.ts';
import { type EventName, isWanted, readEvent } from '../core/event.ts';
import { printExact } from '../core/json.ts';
import { machineValue } from '../core/medium.ts';
import { newId } from './ids.ts';
import { isPaid } from './paid.ts';
import type { Store } from './store/open.ts';
import type { Told } from './store/outbox.ts';

/** A payment request as its GET shows it (public material): with every activity on it, oldest first. */
export const whole = (store: Store, ugwo: Ugwo): UgwoWithActivities => ({
  ...ugwo,
  activities: store.activitiesOn(ugwo.uid),
});

/**
 * Puts an event into the outbox, once for each webhook that wants it (public material, webhooks). To be called inside the
 * transaction of the change that it tells of; `data` is the resource as its GET shows it then. Gives what was
 * put there, undefined where nobody wants it.
 */
export const tell = (
  store: Store,
  at: number,
  event: EventName,
  data: () => { readonly uid: string },
): (Told & { readonly webhooks: number }) | undefined => {
  const wanting = store.webhooks().filter(({ events }) => isWanted(event, events));
  if (wanting.length === 0) return undefined;
  const resource = data();
  const subject = readEvent({ event, data: resource }).ugwo ?? resource.uid;
  const told = { uid: newId('evt'), event, subject, data: printExact(resource), at };
  for (const { id } of wanting) store.addDelivery(id, told);
  return { ...told, webhooks: wanting.length };
};

const standing = ({ status, total_amount_paid: paid }: Ugwo): string =>
  `${machineValue(status ?? '')} ${Number(paid ?? 0)}`;

/** Tells what became of a payment request that stood so before; nothing where nothing did. */
export const tellRequest = (store: Store, at: number, before: Ugwo): void => {
  const ugwo = store.ugwo(before.uid);
  if (ugwo === undefined || standing(ugwo) === standing(before)) return;
  tell(store, at, 'ugwo.updated', () => whole(store, ugwo));
  if (isPaid(ugwo) && !isPaid(before)) tell(store, at, 'ugwo.successful', () => whole(store, ugwo));
};

/** Tells how an activity has ended. */
export const tellEnd = (store: Store, at: number, activity: Activity): void => {
  tell(store, at, 'ugwo.activity.updated', () => activity);
  if (activity['is_double_charge'] === true && machineValue(activity.status) === 'successful') {
    tell(store, at, 'ugwo.activity.double_charge_detected', () => activity);
  }
};
