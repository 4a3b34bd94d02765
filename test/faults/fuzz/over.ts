import { type AnswerBody, readAnswerBody } from '../../../src/client/body.ts';
import { type Client, createClient } from '../../../src/client/client.ts';
import type { AttemptResult } from '../../../src/client/transport.ts';
import type { Attempt } from '../../client/scripted.ts';

export const ORIGIN = 'https://api.example';

const never = new AbortController().signal;

/** A clock whose waits return at once, but advance it. */
export const hurriedClock = (start: number) => {
  let passed = 0;
  return {
    now: () => start + passed,
    ticks: () => passed,
    sleep: async (ms: number): Promise<void> => {
      passed += ms;
    },
  };
};

/** Reads a body without secrets. */
export const bodyOf = (bytes: Uint8Array): AnswerBody => readAnswerBody({ bytes }, (text) => text);

export const answerOf = async (status: number, bytes: Uint8Array): Promise<AttemptResult> => ({
  kind: 'answer',
  status,
  retryAfter: undefined,
  body: bodyOf(bytes),
});

/** The real client, with requests answered by the test. */
export const clientOver = (answer: (attempt: Attempt) => Promise<AttemptResult>, validate = true): Client =>
  createClient({
    transport: { send: async (attempt) => answer(attempt), close: async () => undefined },
    origin: ORIGIN,
    clock: hurriedClock(Date.UTC(2026, 10, 20, 13)),
    random: () => 0.5,
    signals: { stop: never, leave: never },
    flight: { open: 0, accepted: 0 },
    timeout: 30_000,
    debug: () => undefined,
    notice: () => undefined,
    validate,
  });
