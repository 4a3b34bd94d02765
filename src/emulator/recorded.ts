import type { Answering } from './http.ts';
import type { RequestLog } from './request-log.ts';

/** Keeps what the service itself made of each request. */
export const withExecuted =
  (log: RequestLog, answering: Answering): Answering =>
  async (asked) => {
    const answer = await answering(asked);
    if (answer !== undefined) log.executed(asked, answer);
    return answer;
  };

/** A browser asks for it by itself. */
const ICON = '/favicon.ico';

/** Keeps each request, and what its client got. */
export const withRecords =
  (log: RequestLog, answering: Answering): Answering =>
  async (asked) => {
    if (asked.target === ICON) return answering(asked);
    log.begin(asked);
    const answer = await answering(asked);
    const isWhole = answer?.cutAfter === undefined && !asked.isGone();
    log.end(asked, isWhole ? answer?.status : undefined);
    return answer;
  };
