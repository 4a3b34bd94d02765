import { reasonOf } from '../core/error.ts';
import type { Clock } from '../core/io.ts';
import type { Dialect } from '../core/local.ts';
import { SPEECH } from './dialect.ts';
import type { Answer } from './http.ts';
import { checkedProblem, Refusal, refusal } from './refusal.ts';
import type { RequestLog } from './request-log.ts';
import type { Store } from './store/open.ts';

/** A service over one data file. */
export interface Service {
  readonly store: Store;
  readonly clock: Clock;
  readonly dialect: Dialect;
  /** Aborted when it closes: nothing is waited for any more. */
  readonly closing: AbortSignal;
  /** The requests that it has seen last; undefined where nobody can look at them. */
  readonly requests: RequestLog | undefined;
}

/** What time it is there, in milliseconds since the epoch: its clock may have been moved. */
export const nowOf = ({ clock, store }: Pick<Service, 'clock' | 'store'>): number => clock.now() + store.clockOffset();

/** An answer with what all of them carry. */
export const respond = (
  service: Pick<Service, 'clock' | 'store'>,
  status: number,
  type: string,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Answer => {
  const date = new Date(nowOf(service)).toUTCString();
  return { status, headers: { 'content-type': type, 'cache-control': 'no-store', date, ...headers }, text };
};

/** Any thrown thing as an error document; one that is no Refusal is a defect, and a 500. */
export const respondTo = (thrown: unknown, service: Service): Answer => {
  const { problem, headers } = thrown instanceof Refusal ? thrown : refusal(500, reasonOf(thrown));
  const speech = SPEECH[service.dialect];
  return respond(service, problem.status, speech.problemType, speech.problem(checkedProblem(problem)), headers);
};
