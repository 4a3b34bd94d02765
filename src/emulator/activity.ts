import type { Handler } from './handlers.ts';
import { refusal } from './refusal.ts';

/** One activity, for polling (public material); a 404 when it is on another payment request. */
export const getActivity: Handler<'activity.get'> = ({ params }, store) => {
  if (store.ugwo(params.ugwoUid) === undefined) throw refusal(404, 'ugwo.error.not_found');
  const kept = store.activity(params.activityUid);
  if (kept?.ugwo !== params.ugwoUid) throw refusal(404, 'activity.error.not_found');
  return kept.activity;
};
