import { inProcess } from '../support/in-process.ts';
import type { RunOptions } from '../support/program.ts';
import { newFolder } from '../support/program.ts';
import type { Seen, Service } from '../support/service.ts';
import { json, problem, serveAllBy, ugwo } from '../support/service.ts';
import { activityOf, charged, numberIn, ussdFile } from './bulk-support.ts';

export interface Watching {
  readonly home: string;
  readonly service: Service;
  readonly job: string;
  /** Sets the status of an activity, and what its payment request has received. */
  readonly set: (number: number, status: string, total?: number) => void;
  /** Requests since the charges were sent. */
  readonly reads: () => readonly Seen[];
}

export const requestWith = (number: number, status: string, total?: number): Record<string, unknown> => ({
  ...ugwo(number),
  ...(total === undefined ? {} : { total_amount_paid: total }),
  status: status === 'successful' ? 'ugwo_successful' : 'requires_ugwo',
  checkout: { uid: 'chk.AbCd.1' },
});

/** Sends `count` open charges of one file, from a new machine or the given one. */
export const charge = async (
  count: number,
  refuses: (seen: Seen) => boolean = () => false,
  machine: RunOptions & { readonly home: string } = { home: newFolder() },
): Promise<Watching> => {
  const [statuses, totals, posted] = [new Map<number, string>(), new Map<number, number>(), new Set<number>()];
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const statusOf = (number: number): string => statuses.get(number) ?? 'requires_action';
  let made = 0;
  const service = await serveAllBy((seen) => {
    if (made > 0 && refuses(seen)) return problem(429, 'Too many requests', undefined, { 'retry-after': '1' });
    if (seen.method === 'POST') {
      posted.add(numberIn(seen));
      return charged(numberIn(seen));
    }
    if (seen.url.startsWith('/v1/ugwo?')) {
      const data = numbers.toReversed().map((number) => requestWith(number, statusOf(number), totals.get(number)));
      return json(200, { data, next_cursor: null });
    }
    const number = numberIn(seen);
    const activities = !posted.has(number) ? [] : [{ ...activity(number), status: statusOf(number) }];
    return json(200, { ...requestWith(number, statusOf(number), totals.get(number)), activities });
  });
  const activity = (number: number) => ({ uid: activityOf(number), activity_type: 'charge', next_action: null });
  const { stdout } = await inProcess(['ugwo', 'charge', '--json', '--from', ussdFile(...numbers)], {
    ...machine,
    service,
  });
  made = service.seen.length;
  return {
    home: machine.home,
    service,
    job: (JSON.parse(stdout) as { job: string }).job,
    set: (number, status, total) => {
      statuses.set(number, status);
      if (total !== undefined) totals.set(number, total);
    },
    reads: () => service.seen.slice(made),
  };
};
