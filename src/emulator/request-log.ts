import type { FaultRule } from '../contract/fault-rule.ts';
import type { Answering, HttpAnswer, HttpRequest } from './http.ts';

/** How many requests are kept, the newest, and how many characters of each text in them. */
const MOST = 300;
const LONGEST = 8192;
const LONGEST_URL = 2048;

/** What the service made of a request, whatever the client has heard of it. */
export interface Executed {
  readonly status: number;
  /** Empty where nobody looked yet. */
  readonly text: string;
}

/** A request as the service has seen it. Its headers are not kept: the secret key is one of them. */
export interface SeenRequest {
  readonly seq: number;
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly at: number;
  readonly method: string;
  /** Path and query, as they came. */
  readonly url: string;
  readonly agent: string;
  readonly body?: string;
  /** Undefined where it was not executed. */
  readonly executed?: Executed;
  /** The rule for faults that it met in its turn. */
  readonly struck?: FaultRule;
  /** What the client got; undefined where the connection was cut. */
  readonly status?: number;
  /** Milliseconds. */
  readonly took: number;
}

type Open = SeenRequest & { readonly began: number };

/** A part of a text would keep the whole of it in memory. */
const cut = (text: string, longest = LONGEST): string =>
  text.length <= longest ? text : Buffer.from(text.slice(0, longest)).toString();

/** The requests that a running emulator has seen last, in memory alone. */
export const openRequestLog = (now: () => number, ticks: () => number) => {
  const kept: SeenRequest[] = [];
  const open = new WeakMap<HttpRequest, Open>();
  const listeners = new Set<(seen: SeenRequest) => void>();
  let [seq, isWatched] = [0, false];
  const note = (asked: HttpRequest, known: Partial<SeenRequest>): void => {
    const seen = open.get(asked);
    if (seen !== undefined) open.set(asked, { ...seen, ...known });
  };
  return {
    /** Somebody looks: from now on every answer is kept, not refusals alone. */
    watch: (): void => {
      isWatched = true;
    },
    begin: (asked: HttpRequest): void => {
      const { method, target, headers } = asked;
      seq += 1;
      const agent = cut(headers['user-agent'] ?? '', 100);
      open.set(asked, { seq, at: now(), method, url: cut(target, LONGEST_URL), agent, took: 0, began: ticks() });
    },
    body: (asked: HttpRequest, bytes: Uint8Array): void =>
      note(asked, { body: Buffer.from(bytes.subarray(0, LONGEST)).toString() }),
    struck: (asked: HttpRequest, rule: FaultRule): void => note(asked, { struck: rule }),
    executed: (asked: HttpRequest, { status, text }: HttpAnswer): void =>
      note(asked, { executed: { status, text: isWatched || status >= 400 ? cut(text) : '' } }),
    /** `status`: what the client gets; undefined where the connection is cut. */
    end: (asked: HttpRequest, status: number | undefined): void => {
      const seen = open.get(asked);
      if (seen === undefined) return;
      open.delete(asked);
      const { began, ...rest } = seen;
      const ended: SeenRequest = { ...rest, ...(status === undefined ? {} : { status }), took: ticks() - began };
      kept.push(ended);
      if (kept.length > MOST) kept.shift();
      for (const listener of listeners) listener(ended);
    },
    /** Newest first. */
    newest: (): readonly SeenRequest[] => kept.toReversed(),
    find: (wanted: number): SeenRequest | undefined => kept.find((seen) => seen.seq === wanted),
    /** Tells of each request as it ends, until what it gives back is called. */
    listen: (listener: (seen: SeenRequest) => void): (() => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};

export type RequestLog = ReturnType<typeof openRequestLog>;

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
