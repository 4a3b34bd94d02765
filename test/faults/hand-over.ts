import type { Point } from './points.ts';
import { type Call, targetOf } from './strace.ts';

const GIVES = new Set(['write', 'writev', 'sendto', 'sendmsg']);
const WAITS = new Set(['epoll_wait', 'epoll_pwait', 'epoll_pwait2']);

/** Whether a call reads the monotonic clock. */
export const isClock = ({ args }: Call): boolean => targetOf(args[0] ?? '') === '/proc/uptime';

/** Whether a call writes to a connection. */
export const isGiven = ({ call, on }: Point): boolean => on === 'socket' && GIVES.has(call.name);

/**
 * Whether the monotonic clock was read in the same turn of the event loop in which the last request was written, and
 * so after it was connected; undefined if no call shows it.
 */
export const asksInTurn = (calls: readonly Call[], points: readonly Point[]): boolean | undefined => {
  if (!calls.some(isClock)) return undefined;
  const given = points.findLast(isGiven);
  if (given === undefined) throw new Error('no request was seen');
  const before = calls.slice(0, calls.indexOf(given.call));
  return before.findLastIndex(isClock) > before.findLastIndex(({ name }) => WAITS.has(name));
};
