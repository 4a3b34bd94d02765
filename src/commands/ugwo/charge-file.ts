import type { JobEnd, Sending } from '../../bulk/job.ts';
import type { Followed } from '../../bulk/reporting/summary.ts';
import type { Deps } from '../../cli/deps.ts';
import type { Client } from '../../client/client.ts';
import { activitiesOf } from '../../core/charge.ts';
import type { PayError } from '../../core/error.ts';
import { EXIT_CODES } from '../../core/exit.ts';
import { printExact } from '../../core/json.ts';
import { formatMoney } from '../../core/money.ts';
import { placeWords } from '../../core/place-words.ts';
import { shellLine } from '../../core/shell.ts';
import type { Result } from '../../output/view.ts';
import { checker } from './charge-check.ts';
import type { FileWait } from './charge-follow.ts';
import { followFile, sumsText } from './charge-follow.ts';
import type { ChargeItem } from './charge-row.ts';
import { CHARGE_NAMES, chargeReader, namesIn } from './charge-row.ts';
import { CHARGE_COLUMNS } from './charge-settled.ts';
import type { FileOfCharges } from './charge-spec.ts';
import { chargeWorker } from './charge-worker.ts';
import { chargesView } from './view.ts';

const COMMAND = 'ugwo charge';

const countText = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([name, count]) => `${name} ${count}`).join(', ');

const describe = ({ mediums, totals }: Found): { what: string; total?: string } => ({
  what: countText(mediums),
  ...(totals.size === 0 ? {} : { total: moneyText(totals) }),
});

const moneyText = (totals: ReadonlyMap<string, bigint>): string =>
  [...totals].map(([currency, minor]) => formatMoney(minor, currency)).join(' and ');

/** What a file was found to hold. */
interface Found {
  readonly mediums: Map<string, number>;
  /** What its payment requests ask for, by currency, in the minor unit; empty where nobody has looked. */
  readonly totals: Map<string, bigint>;
}

/** The options that shape the requests: with the same file, the same ones again are the same job. */
const optionsText = ({ words, params }: FileOfCharges): string => {
  const { medium, expiresAt, expiresIn, provider, phone } = words;
  return printExact({ medium, expiresAt: expiresAt?.ms, expiresIn, provider, phone, params });
};

const sending = async (
  file: FileOfCharges,
  client: Client,
  deps: Deps,
  { found, unrecorded }: { readonly found: Found; readonly unrecorded: PayError[] },
): Promise<Sending<ChargeItem>> => {
  const [ledger, protocol, place] = [await deps.ledger(), await deps.protocol(), await deps.place()];
  const told = new Set<string>();
  const tellOnce = async (what: string, text: string): Promise<void> => {
    if (told.has(what)) return;
    told.add(what);
    await deps.notice(text);
  };
  return (await deps.bulk()).sendingOf({
    kind: 'charge',
    command: COMMAND,
    options: optionsText(file),
    worker: (job, { columns }) => {
      const names = namesIn(file, columns);
      return chargeWorker({ job, file, client, ledger, protocol, place, deps, names, unrecorded, tellOnce });
    },
    question: () => ({ verb: 'Charge', one: 'payment request', ...describe(found) }),
    ledger,
    protocol,
    place,
    confirm: deps.confirm,
    atOnce: file.bulk.concurrency,
  });
};

/** Waits for the payments of a file, and says what has become of them. */
const follow = async (
  { bulk }: FileOfCharges,
  job: string,
  limit: number,
  { deps, ...of }: Pick<FileWait, 'world' | 'client' | 'runRows'> & { readonly deps: Deps },
): Promise<Followed> => {
  const [ledger, protocol] = [await deps.ledger(), await deps.protocol()];
  const { sums, codes, fault } = await followFile({
    ...of,
    ledger,
    protocol,
    job,
    limit,
    concurrency: bulk.concurrency,
  });
  const refresh = shellLine(['paycli', 'ledger', 'refresh', job, ...placeWords(deps.globals)]);
  const hints = [
    ...(fault?.detail.hint === undefined ? [] : [fault.detail.hint]),
    ...(codes.includes(EXIT_CODES.pending) ? [`check again later: \`${refresh}\``] : []),
  ];
  return {
    text: [
      ...(sums.length === 0 ? [] : [sumsText(sums)]),
      ...(fault === undefined ? [] : [`the last check failed: ${fault.message}`]),
    ].join('\n'),
    codes,
    hint: hints.length === 0 ? undefined : hints.join('\n'),
    fields: {
      payments: sums.map(({ payment, currency, count, amount }) => ({
        payment,
        currency: currency ?? null,
        count,
        amount: amount === undefined ? null : Number(amount),
      })),
    },
  };
};

/** Charges the rows of a file, each once over any number of runs (charge-protocol, Bulk). */
export const chargeFile = async (file: FileOfCharges, deps: Deps): Promise<Result> => {
  const { globals, io } = deps;
  const { bulk } = file;
  const { dryRun, validate } = globals;
  const world = await deps.jobWorld();
  const client: Client = await deps.client(dryRun ? (bulk.check ? 'read' : 'preview') : 'write');
  const found: Found = { mediums: new Map(), totals: new Map() };
  const unrecorded: PayError[] = [];
  const reading = {
    client,
    validate,
    now: io.clock.now,
    mediums: found.mediums,
    // A dry run leaves the ledger alone.
    check: checker(client, found.totals, async ({ value, servedAt }) => {
      if (!dryRun) await deps.observe(activitiesOf(value) ?? [], servedAt);
    }),
  };
  const room = await deps.bulk();
  const end: JobEnd = await room.runJob(
    {
      bulk,
      known: CHARGE_NAMES,
      columns: CHARGE_COLUMNS,
      reader: (input) => chargeReader(file, input, reading),
      sending: dryRun ? undefined : await sending(file, client, deps, { found, unrecorded }),
    },
    world,
  );
  const followed =
    file.wait === undefined || end.id === null
      ? undefined
      : await follow(file, end.id, file.wait, { world, client, deps, runRows: room.runRows });
  const reconcile = shellLine(['paycli', 'ledger', 'reconcile', ...placeWords(globals)]);
  const findOut = `find out about the unknown rows: \`${reconcile}\``;
  return room.jobResult(
    end,
    { command: COMMAND, bulk, unrecorded, stop: io.signals.stop, findOut, followed },
    chargesView,
  );
};
