import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Fetch } from './faults.ts';
import type { RequestLog } from './request-log.ts';

/** Keeps what the service itself made of each request. */
export const withExecuted =
  (log: RequestLog, fetch: Fetch): Fetch =>
  async (request, env) => {
    const answer = await fetch(request, env);
    log.executed(env.incoming, answer);
    return answer;
  };

/** A browser asks for it by itself. */
const ICON = '/favicon.ico';

/** Keeps each request, and what its client got. */
export const withRecords =
  (log: RequestLog, fetch: Fetch): Fetch =>
  async (request, env) => {
    const { incoming } = env;
    if (incoming.url === ICON) return fetch(request, env);
    log.begin(incoming);
    const answer = await fetch(request, env);
    const isCut = answer === RESPONSE_ALREADY_SENT || incoming.socket.destroyed;
    log.end(incoming, isCut ? undefined : answer.status);
    return answer;
  };
