import { createClient } from '../../src/client/client.ts';
import { openTransport } from '../../src/client/transport.ts';
import { ledgerTargetOf } from '../../src/ledger/entry.ts';
import { hasProcessEnded, thisSender } from '../../src/ledger/sender.ts';
import { openLedger } from '../../src/ledger/sqlite/open.ts';
import { LEDGER_FILE } from '../../src/ledger/sqlite/schema.ts';
import { clock } from '../support/clock.ts';
import { ledgerOptions } from '../support/ledger.ts';
import { sendOnce } from '../support/outcome.ts';
import { lookedAt } from './looking.ts';
import type { Journal } from './states.ts';

/*
 * Checks and charges several payment requests through the real ledger and the real client in one process, with some
 * concurrency, and prints each activity once it may be reported. Bundled, with or without a sabotage, and run under
 * strace. Arguments: the ledger's file, the service's origin, the journal, the concurrency, whether it ends with
 * `close` or leaves the ledger open like a killed process (`leave`), the payment requests.
 */

const KEY = `sk.Test.${'k'.repeat(80)}`;
const DATA = { medium: 'ussd', provider: 'gtb' };

const [path = '', origin = '', journal = 'wal', lanes = '1', end = 'close', ...ugwos] = process.argv.slice(2);

const silent = (): void => undefined;
const signals = { stop: new AbortController().signal, leave: new AbortController().signal };

const client = createClient({
  transport: openTransport({
    credentials: { origin, key: KEY },
    env: {},
    clock,
    userAgent: 'paycli/test',
    debug: silent,
    clean: (text) => text,
  }),
  origin,
  clock,
  random: () => 0.5,
  signals,
  timeout: 20_000,
  debug: silent,
  notice: silent,
  flight: { open: 0, accepted: 0 },
  validate: true,
});

const self = thisSender();
const ledger = await openLedger(
  ledgerOptions(path, {
    self,
    hasEnded: (sender, overdue) => hasProcessEnded(sender, self, overdue),
    kind: { ...LEDGER_FILE, journal: journal as Journal },
  }),
);

const charge = async (ugwo: string): Promise<void> => {
  const since = ledger.moment();
  const charged = await sendOnce(
    { client, ledger, place: ledgerTargetOf(origin, KEY, undefined) },
    { ugwo, data: DATA, again: false, since, shown: await lookedAt(ugwo, client, ledger) },
    {
      now: clock.now,
      send: (isOverdue) =>
        client.write('ugwo.charge', { params: { ugwoUid: ugwo }, body: { type: 'charge', data: DATA }, isOverdue }),
    },
  );
  if (charged.kind === 'refused') throw new Error(`${ugwo} was refused: ${charged.why}`);
  process.stdout.write(`${charged.record.text}\n`);
};

const rest = ugwos.values();
const lane = async (): Promise<void> => {
  for (const ugwo of rest) await charge(ugwo);
};
await Promise.all(Array.from({ length: Number(lanes) }, lane));
if (end === 'leave') process.exit();
await ledger.close();
await client.close();
