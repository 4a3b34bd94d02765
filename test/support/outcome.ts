import type { Outcome } from '../../src/charge/outcome.ts';
import type { ApiRecord } from '../../src/core/record.ts';

/** Makes what sends a request from what answers it: its record was accepted. */
export const accepting =
  <A extends readonly unknown[]>(answer: (...args: A) => Promise<ApiRecord>) =>
  async (...args: A): Promise<Outcome> => ({ certain: 'accepted', record: await answer(...args) });
