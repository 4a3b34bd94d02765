import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An activity that waits for the customer, without an end: it can be paid for as long as the tests run. */
const ACTIVITY = {
  activity_type: 'charge',
  checkout: null,
  ugwo_medium: null,
  psp: 'psp.AbCd.000000000000000000000001',
  psp_external_id: 'PX-1',
  next_action: {
    type: 'user_action',
    instruction: 'Dial *737*000*5000# to pay.',
    headers: { ussd: '*737*000*5000#' },
  },
  status: 'requires_action',
  error: null,
  created_at: '2026-11-20T10:00:00+00:00',
  updated_at: '2026-11-20T10:00:00+00:00',
} as const;

/** A service on loopback that makes one activity for each POST and keeps count by payment request. */
export interface Counting {
  readonly origin: string;
  /** How many charges of a payment request it has executed. */
  executed(ugwo: string): number;
  close(): void;
}

/** The payment request of a number. */
export const ugwoOf = (number: number): string => `ugw.AbCd.${String(number).padStart(24, '0')}`;

/** The activity that the service makes for a payment request, the n-th time. */
export const activityOf = (ugwo: string, nth = 1): string => `act.AbCd.${nth}${ugwo.slice(-23)}`;

export const serveCounting = async (): Promise<Counting> => {
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const [, ugwo = ''] = /^\/v1\/ugwo\/([^/]+)\/activities$/.exec(request.url ?? '') ?? [];
      const count = (counts.get(ugwo) ?? 0) + 1;
      counts.set(ugwo, count);
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ ...ACTIVITY, uid: activityOf(ugwo, count) }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    executed: (ugwo) => counts.get(ugwo) ?? 0,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
