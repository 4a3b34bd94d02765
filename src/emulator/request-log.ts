import type { FaultRule } from '../contract/fault-rule.ts';
import type { Answering, HttpAnswer, HttpRequest } from './http.ts';

/** Number of recent requests that are stored, and the maximum length of each text in characters. */
export const REQUESTS_LIMIT = 300;
const TEXT_LIMIT = 8192;
const URL_LIMIT = 2048;

/** The service's own answer to a request, whether or not the client received it. */
export interface Executed {
  readonly status: number;
  readonly text: string;
}

/** A request as the service received it. Headers are not stored, since one of them is the secret key. */
export interface SeenRequest {
  readonly seq: number;
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly at: number;
  readonly method: string;
  /** Path and query, as received. */
  readonly url: string;
  readonly agent: string;
  readonly body?: string;
  /** Undefined if it was not executed. */
  readonly executed?: Executed;
  readonly fault?: FaultRule;
  /** The status that the client received; undefined if the connection was cut. */
  readonly status?: number;
  /** Milliseconds. */
  readonly took: number;
}

/** Copies the part, since a plain slice would keep the whole text in memory. */
const cut = (text: string, longest = TEXT_LIMIT): string =>
  text.length <= longest ? text : Buffer.from(text.slice(0, longest)).toString();

/** Records the last requests of a running emulator, in memory only. */
export const openRequestLog = (now: () => number, ticks: () => number) => {
  const kept: SeenRequest[] = [];
  const open = new WeakMap<HttpRequest, SeenRequest & { readonly began: number }>();
  const listeners = new Set<(seen: SeenRequest) => void>();
  let seq = 0;
  const note = (asked: HttpRequest, known: Partial<SeenRequest>): void => {
    const seen = open.get(asked);
    if (seen !== undefined) open.set(asked, { ...seen, ...known });
  };
  return {
    begin: (asked: HttpRequest): void => {
      const { method, target, headers } = asked;
      seq += 1;
      const agent = cut(headers['user-agent'] ?? '', 100);
      open.set(asked, { seq, at: now(), method, url: cut(target, URL_LIMIT), agent, took: 0, began: ticks() });
    },
    body: (asked: HttpRequest, bytes: Uint8Array): void =>
      note(asked, { body: Buffer.from(bytes.subarray(0, TEXT_LIMIT)).toString() }),
    fault: (asked: HttpRequest, fault: FaultRule): void => note(asked, { fault }),
    executed: (asked: HttpRequest, { status, text }: HttpAnswer): void =>
      note(asked, { executed: { status, text: cut(text) } }),
    /** `status` is the status that the client receives; undefined if the connection is cut. */
    end: (asked: HttpRequest, status: number | undefined): void => {
      const seen = open.get(asked);
      if (seen === undefined) return;
      open.delete(asked);
      const { began, ...rest } = seen;
      const ended: SeenRequest = { ...rest, ...(status === undefined ? {} : { status }), took: ticks() - began };
      kept.push(ended);
      if (kept.length > REQUESTS_LIMIT) kept.shift();
      for (const listener of listeners) listener(ended);
    },
    /** Newest first. */
    newest: (): readonly SeenRequest[] => kept.toReversed(),
    find: (wanted: number): SeenRequest | undefined => kept.find((seen) => seen.seq === wanted),
    /** Calls the listener after each request, until the returned function is called. */
    listen: (listener: (seen: SeenRequest) => void): (() => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};

export type RequestLog = ReturnType<typeof openRequestLog>;

/** Records the service's own answer to each request. */
export const withExecuted =
  (log: RequestLog, answering: Answering): Answering =>
  async (asked) => {
    const answer = await answering(asked);
    if (answer !== undefined) log.executed(asked, answer);
    return answer;
  };

/** Records each request, and the status that its client received. */
export const withRecords =
  (log: RequestLog, answering: Answering): Answering =>
  async (asked) => {
    // Browsers request it by themselves.
    if (asked.target === '/favicon.ico') return answering(asked);
    log.begin(asked);
    const answer = await answering(asked);
    const isWhole = answer?.cutAfter === undefined && !asked.isClosed();
    log.end(asked, isWhole ? answer?.status : undefined);
    return answer;
  };
