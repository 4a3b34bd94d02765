import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ACTIVITY } from '../support/activity.ts';

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
