import type { Backend } from './backend.ts';
import { elapsed } from './clock.ts';
import type { Entry, KeptActivity, Moment, RequestTerms } from './entry.ts';
import { asShown, wasSeenExpired } from './guard.ts';
import { latest } from './precedence.ts';
import { addsTo, asking, observed } from './transitions.ts';

/** So long what the service told last is good enough, in milliseconds: a wait need not write at each of its looks. */
const FRESH_MS = 60_000;

/** The service tells its time to the second. */
const SAME_MS = 2000;

/** Whether what the service's clock shows was to be expected. */
const isFresh = ({ told }: Entry, { servedAt }: KeptActivity, { mark }: Moment): boolean => {
  const age = told === undefined ? undefined : elapsed(told.mark, mark);
  if (told === undefined || age === undefined || age >= FRESH_MS) return false;
  return servedAt === undefined || Math.abs(servedAt - told.service - age) < SAME_MS;
};

const isWorthNoting = (charge: Entry, now: KeptActivity, moment: Moment): boolean => {
  const { activity } = charge;
  if (!isFresh(charge, now, moment) || activity?.status !== now.status) return true;
  if (activity.nextAction === null && now.nextAction !== null) return true;
  if (activity.createdAt === undefined && now.createdAt !== undefined) return true;
  // That nothing came of it before its account expired.
  return !wasSeenExpired(charge) && wasSeenExpired(asShown(charge, now, moment));
};

/** A charge after a read has shown its activity, and what its payment request asks for; the same one where that says nothing new. */
const after = (charge: Entry, seen: KeptActivity, asked: RequestTerms, moment: Moment): Entry => {
  const now = latest(charge.activity, seen);
  const standing = isWorthNoting(charge, now, moment) ? observed(charge, now, moment) : charge;
  return addsTo(standing, asked) ? asking(standing, asked) : standing;
};

/** Notes how activities stand by now. `kept` says what may be kept of one. */
export const observe = (
  backend: Backend,
  activities: readonly KeptActivity[],
  asked: RequestTerms,
  kept: (activity: KeptActivity, charge: Entry) => KeptActivity,
  wait: boolean,
): Promise<void> => {
  const about = [{ activities: activities.map(({ uid }) => uid) }];
  return backend.change(wait ? 'note' : 'glance', about, ([charges = []]) => {
    const moment = backend.moment();
    const write = charges.flatMap((charge) => {
      const of = activities.filter(({ uid }) => uid === charge.activity?.uid);
      const now = of.reduce((before, activity) => after(before, kept(activity, before), asked, moment), charge);
      return now === charge ? [] : [now];
    });
    return { write, result: undefined };
  });
};
