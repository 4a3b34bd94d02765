import { describe, expect, it } from 'vitest';
import { callApi } from '../../src/commands/api/send.ts';
import { deleteCustomer } from '../../src/commands/onye/onye.ts';
import { createRefunds as refund } from '../../src/commands/refund/create.ts';
import type { Run } from '../../src/commands/run.ts';
import { cancel } from '../../src/commands/ugwo/ugwo.ts';
import { CHARGE_WRITE } from '../../src/core/charge.ts';
import { ENVIRONMENTS } from '../../src/core/origin.ts';
import { madeHere } from '../../src/core/record.ts';
import { NOON, PLACE } from '../ledger/support/charges.ts';
import { memoryLedger } from '../ledger/support/memory.ts';

const UGWO = { uid: 'ugw.AbCd.1', amount: 500_000, currency: 'NGN', status: 'requires_ugwo' };

type Command = (deps: Run) => Promise<unknown>;

/** The text to type for this command; undefined: a plain yes. */
const typedFor = async (command: Command, origin: string, shown: object): Promise<unknown> => {
  const asked: unknown[] = [];
  const deps = {
    io: { clock: { now: () => NOON } },
    globals: { dryRun: false },
    client: async () => ({
      check: () => ({ path: '/v1/refunds', body: '{}', effect: { ...CHARGE_WRITE, kind: 'refund' } }),
      match: () => undefined,
      call: async () => madeHere(shown),
      write: async () => ({ certain: 'accepted', record: madeHere(shown) }),
      look: async () => madeHere(shown),
    }),
    target: async () => ({ ...PLACE, origin }),
    ask: async (_question: unknown, _unasked: unknown, typed: unknown) => void asked.push(typed),
    ledger: async () => memoryLedger(),
    observe: async () => undefined,
  } as unknown as Run;
  await command(deps);
  expect(asked).toHaveLength(1);
  return asked[0];
};

const cancelling: Command = (deps) => cancel({ uid: UGWO.uid } as never, deps);
const calling =
  (method: string, path: string): Command =>
  (deps) =>
    callApi({ method, path, fields: [], headers: {}, input: undefined, paginate: false, again: false } as never, deps);
const deleting: Command = (deps) => deleteCustomer({ uid: 'ony.AbCd.1' } as never, deps);

describe('an irreversible command against a live service', () => {
  it.each<[string, Command, object, string]>([
    ['the amount of a payment request', cancelling, UGWO, 'NGN 5,000.00'],
    ['the address of a customer', deleting, { uid: 'ony.AbCd.1', email: 'ada@shop.example' }, 'ada@shop.example'],
    ['the last segment of a deleted path', calling('DELETE', '/v1/things/thg.AbCd.1'), {}, 'thg.AbCd.1'],
    ['the id of a customer without an address', deleting, { uid: 'ony.AbCd.1' }, 'ony.AbCd.1'],
  ])('needs %s typed', async (_what, command, shown, typed) => {
    expect(await typedFor(command, ENVIRONMENTS.live, shown)).toBe(typed);
    expect(await typedFor(command, 'https://pay.example', shown)).toBe(typed);
    for (const practice of [ENVIRONMENTS.sandbox, 'http://127.0.0.1:4010']) {
      expect(await typedFor(command, practice, shown)).toBeUndefined();
    }
  });

  it('needs the refunded amount typed, or the activity if it is unknown', async () => {
    const input = { kind: 'one', activity: 'act.AbCd.1', given: {} };
    const of =
      (more: object): Command =>
      (deps) =>
        refund({ ...input, ...more } as never, deps);
    expect(await typedFor(of({}), ENVIRONMENTS.live, {})).toBe('act.AbCd.1');
  });
});
