import { charge } from '../../src/charge/charge.ts';
import type { Outcome } from '../../src/charge/outcome.ts';
import type { ChargeRequest, ChargeRun, MakeRequest, Reading, Sent } from '../../src/charge/request.ts';
import type { CallInput } from '../../src/client/client.ts';
import type { ApiRecord } from '../../src/core/record.ts';
import type { Entry } from '../../src/ledger/entry.ts';
import type { Refused } from '../../src/ledger/ledger.ts';

/** Makes what sends a request from what answers it: its record was accepted. */
export const accepting =
  <A extends readonly unknown[]>(answer: (...args: A) => Promise<ApiRecord>) =>
  async (...args: A): Promise<Outcome> => ({ certain: 'accepted', record: await answer(...args) });

type Data = ReturnType<ChargeRequest['data']>;

/** A charge, and what was read before it. */
export type OneCharge = Reading & Omit<ChargeRequest, 'data'> & { readonly data: Data };

/** The parts of a run that a charge needs, without a client that sends. */
export type OneRun = Pick<ChargeRun, 'ledger' | 'place'> & {
  readonly client: Pick<ChargeRun['client'], 'longestWrite' | 'longestAttempt'>;
};

export interface Sending {
  readonly now: () => number;
  readonly send: (overdue: () => boolean) => Promise<Outcome>;
  readonly elsewhere?: (entry: Entry) => Promise<void>;
}

/** Sends a request once by a function, at a clock. */
export const sendOnce = (
  run: OneRun,
  { since, askedAt, shown, asked, ...request }: OneCharge | (Reading & Omit<MakeRequest, 'send'>),
  { now, send, elsewhere }: Sending,
): Promise<Sent | Refused> => {
  const write = (_called: unknown, { isOverdue = () => false }: CallInput): Promise<Outcome> => send(isOverdue);
  const steps = { look: async () => ({ since, askedAt, shown, asked }), ...(elsewhere && { onElsewhere: elsewhere }) };
  const whole = 'ugwo' in request ? { ...request, data: () => request.data } : { ...request, send };
  return charge({ ...whole, ...steps }, {
    ...run,
    client: { ...run.client, write },
    io: { clock: { now } },
  } as unknown as ChargeRun);
};
