import type { Point } from './points.ts';
import { type Call, targetOf } from './strace.ts';

const GIVES = new Set(['write', 'writev', 'sendto', 'sendmsg']);
const WAITS = new Set(['epoll_wait', 'epoll_pwait', 'epoll_pwait2']);

/** Whether a call asks the machine's clock. */
export const isClock = ({ args }: Call): boolean => targetOf(args[0] ?? '') === '/proc/uptime';

/** Whether a call gives bytes to a connection. */
export const isGiven = ({ call, on }: Point): boolean => on === 'socket' && GIVES.has(call.name);

/**
 * Whether the machine's clock was asked in the turn of the event loop in which the last request was given to the system, and so
 * behind its connection; undefined where no call shows when the clock is asked.
 */
export const asksInTurn = (calls: readonly Call[], points: readonly Point[]): boolean | undefined => {
  if (!calls.some(isClock)) return undefined;
  const given = points.findLast(isGiven);
  if (given === undefined) throw new Error('no request was seen');
  const before = calls.slice(0, calls.indexOf(given.call));
  return before.findLastIndex(isClock) > before.findLastIndex(({ name }) => WAITS.has(name));
};
