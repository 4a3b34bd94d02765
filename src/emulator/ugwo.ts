import type { Handler } from './handler.ts';
import { refusal } from './refusal.ts';

/** One payment request as lists show it, with every activity on it, oldest first (public material). */
export const getUgwo: Handler<'ugwo.get'> = ({ params }, store) => {
  const ugwo = store.ugwo(params.uid);
  if (ugwo === undefined) throw refusal(404, 'ugwo.error.not_found');
  return { ...ugwo, activities: store.activitiesOn(ugwo.uid) };
};
