import { openRequestedPause } from '../../src/client/answer.ts';
import { type AnswerBody, JsonBody } from '../../src/client/body.ts';
import type { AttemptResult, Transport } from '../../src/client/transport.ts';

/** One request to be sent. */
export type Attempt = Parameters<Transport['send']>[0];

/** Events beside the attempts. */
export interface Script {
  /** Milliseconds that each attempt takes. */
  readonly took?: number;
  readonly stop?: AbortController;
  /** Runs when an attempt is sent. */
  readonly onSend?: (attempt: Attempt) => void;
  readonly onWait?: () => void;
  /** False if notices are off. */
}

/** One request with scripted attempts; only its waits and attempts move the clocks. */
export const scripted = (outcomes: readonly AttemptResult[], script: Script = {}) => {
  const { took = 0, stop = new AbortController(), onSend, onWait } = script;
  const left = [...outcomes];
  const attempts: Attempt[] = [];
  const waits: number[] = [];
  const debug: string[] = [];
  let ticks = 1_000_000;
  const clock = {
    now: () => 0,
    ticks: () => ticks,
    sleep: async (ms: number, until?: AbortSignal) => {
      waits.push(ms);
      ticks += ms;
      onWait?.();
      until?.throwIfAborted();
    },
  };
  const context = {
    origin: 'https://pay.example',
    clock,
    requestedPause: openRequestedPause(clock),
    random: () => 0.5,
    signals: { stop: stop.signal, leave: new AbortController().signal },
    flight: { open: 0, accepted: 0 },
    timeout: 5000,
    debug: (line: string) => void debug.push(line),
    notice: () => undefined,
  };
  const transport = {
    send: async (attempt: Attempt): Promise<AttemptResult> => {
      attempts.push(attempt);
      ticks += took;
      onSend?.(attempt);
      const next = left.shift();
      if (next === undefined) throw new Error('nothing more was to be asked');
      return next;
    },
    close: async () => undefined,
  };
  return { context, transport, attempts, waits, debug };
};

/** A body with this text. */
export const bodyOf = (text: string): JsonBody => new JsonBody(text, Buffer.from(text));
export const whole = (value: unknown): JsonBody => bodyOf(JSON.stringify(value));

/** The limit that `large` exceeds. */
export const EXCESS = 'the answer has more than 100,000 values';
/** The same object after more values than may be read. */
export const large = (object: object): JsonBody => whole({ more: Array.from({ length: 100_000 }, () => 0), ...object });

export const answer = (
  status: number,
  body: AnswerBody = whole({ title: 'No' }),
  retryAfter?: string,
): AttemptResult => ({
  kind: 'answer',
  status,
  retryAfter,
  body,
});
