import type { RowJob, RowKind, RowSender } from '../bulk/kind.ts';
import type { RowEnd } from '../bulk/row-end.ts';
import { type Protected, ProtectedRows } from '../bulk/send-row.ts';
import { sendAnew } from '../charge/age.ts';
import { charge } from '../charge/charge.ts';
import { refusedError } from '../charge/refused.ts';
import type { MakeRequest, Reading } from '../charge/request.ts';
import { previewResult } from '../cli/preview.ts';
import type { Called, CallInput } from '../client/client.ts';
import { kindWord, textAt } from '../core/charge.ts';
import { EXIT_CODES, type PayError } from '../core/error.ts';
import { isGuarded } from '../core/origin.ts';
import type { ApiRecord } from '../core/record.ts';
import type { Result } from '../core/result.ts';
import { DAY_MS } from '../core/time.ts';
import { type Entry, oddIn } from '../ledger/entry.ts';
import { hasFailed } from '../ledger/guard.ts';
import { NO_TOTAL } from '../ledger/policy.ts';
import type { Run } from './run.ts';
import { existingForRow, openFind, type UniqueKey, uniqueIn } from './unique.ts';

/** Options for rows that must not be sent twice and are not charges. */
interface Making<T> extends Pick<MakeRequest, 'failure'> {
  readonly request: RowKind<T>['request'];
  /** Target of a row. While one request for it is unknown, no other is sent. */
  readonly about: (item: T) => string;
  /** An earlier one blocks another, unless `again`. */
  readonly once?: boolean;
  readonly again?: boolean;
  /** A row without a unique value keeps what an equal row of another file created lately. */
  readonly keepsEqual?: boolean;
  /** Checks a row before it is sent. Throws to prevent it. */
  readonly look?: (item: T) => Promise<Reading>;
  /** Unique field to find and compare an earlier record. */
  readonly unique?: UniqueKey;
  /** Report column for the uid of the created record. */
  readonly uidColumn: string;
}

/** Milliseconds in which two files with an equal row mean the same. */
const EQUAL_MS = 7 * DAY_MS;

export const madeColumns = (uidColumn: string): readonly string[] => [uidColumn, 'status', 'entry'];

/** Advice for unknown rows: only a person can find out their outcome at the service. */
export const CHECK_BY_HAND =
  'look for each unknown row at the service, then record what you found: `paycli ledger list --kind all --state unknown` names them, `paycli ledger resolve` records it';

/** Last message in the evidence of an entry, or its state. None holds once the entry is known as not made. */
export const lastMessage = ({ state, evidence }: Entry): string => {
  const word = evidence.findLast(({ message, why }) => message !== undefined || why !== undefined);
  return word === undefined || state === 'not_created'
    ? state.replaceAll('_', ' ')
    : String(word['message'] ?? word['why']);
};

/** Options for a request that must not be sent twice. */
interface OnceOptions extends Pick<MakeRequest, 'failure'> {
  /** Target of the request. While one request for it is unknown, no other is sent. */
  readonly about: string;
  /** Lines of the question to ask first. */
  readonly question?: readonly string[];
  /** Text that the person must type in full to confirm, unless it is practice. */
  readonly typed?: string;
  /** Notice on a terminal where there is no question. */
  readonly saying?: string;
  /** Result of its check. */
  readonly reading?: Reading;
  /** Repeats the check of the request before it is sent anew after a 429. Throws to prevent it. */
  readonly look?: () => Promise<Reading>;
  /** An earlier one blocks another, unless `again`. */
  readonly once?: boolean;
  readonly again?: boolean;
}

/**
 * Sends one request, not a charge, that must not be sent twice: checks it, asks, and sends it under the ledger
 * protocol. Resolves to the record to show.
 */
export const makeOnce = async (
  called: Called,
  input: CallInput,
  { about, question, typed, saying, reading = {}, look, once = false, again = false, failure }: OnceOptions,
  { io, ...run }: Pick<Run, 'io' | 'client' | 'ask' | 'ledger' | 'target' | 'say'>,
): Promise<{ readonly record: ApiRecord; readonly wrote: true; readonly failure: PayError | undefined }> => {
  const client = await run.client('write');
  // A request that fails the local check leaves no entry in the ledger.
  const checked = client.check(called, input);
  const place = await run.target();
  if (question !== undefined) await run.ask(question, 'refuse', isGuarded(place.origin) ? typed : undefined);
  else if (saying !== undefined && io.stderr.isTerminal) await run.say(saying);
  const ledger = await run.ledger();
  const request = (tries: number): MakeRequest => ({
    ...checked,
    about,
    once,
    again,
    tries,
    look: async () => (tries > 0 && look !== undefined ? look() : reading),
    send: (isOverdue) => client.write(called, { ...input, isOverdue, tries }),
    failure,
    onElsewhere: ({ id, kind, origin }) =>
      run.say(`${about} has an earlier ${kindWord(kind)} at ${origin} (${id}), which may have gone through.`),
  });
  const made = await sendAnew((tries) => charge(request(tries), { client, ledger, place, io }), io);
  if (made.kind === 'refused') throw refusedError(made, false);
  const { record, odd, unrecorded } = made;
  for (const what of odd) await run.say(`note: ${what}`);
  return { record, wrote: true, failure: unrecorded };
};

/** Shows the request that `makeOnce` would send; throws the guard's refusal. Sends and writes nothing (--dry-run). */
export const planOnce = async (
  called: Called,
  input: CallInput,
  { about, reading = {}, once = false, again = false }: OnceOptions,
  run: Run,
): Promise<Result> => {
  const client = await run.client('read');
  const judged = await charge(
    {
      ...client.check(called, input),
      about,
      once,
      again,
      look: async () => reading,
      send: (isOverdue) => client.write(called, { ...input, isOverdue }),
    },
    { client, ledger: await run.ledger(), place: await run.target(), io: run.io, planned: { total: NO_TOTAL } },
  );
  if (judged.kind === 'refused') throw refusedError(judged, false);
  return previewResult(client.preview(called, input), run);
};

/** Opens the sender of rows that are each made once, over any number of runs. */
export const openMaker = <T>(
  { request, about, once = false, again = false, keepsEqual = false, look, unique, failure, uidColumn }: Making<T>,
  job: RowJob<T>,
): RowSender<T> => {
  const { client, ledger, io, tellOnce } = job;
  const find = unique && openFind(unique, client);
  /** Start of the job, from which it looks for equal rows: a later run must look as far back as the first one. */
  let startOfJob: Promise<number> | undefined;
  const equalSince = async (body: object) => {
    if (!keepsEqual || (unique !== undefined && uniqueIn(unique, body as never) !== undefined)) return undefined;
    startOfJob ??= ledger.jobs.get(job.job).then((kept) => kept?.createdAt ?? ledger.moment().at);
    return (await startOfJob) - EQUAL_MS;
  };

  const madeNow = (value: unknown, entry: string, odd: readonly string[]): RowEnd => {
    const uid = textAt(value, 'uid');
    const fields = { [uidColumn]: uid, status: textAt(value, 'status'), entry };
    const why = failure?.(value);
    if (why !== undefined) return { state: 'failed', exitCode: EXIT_CODES.charge_failed, fields, error: why };
    return { state: 'accepted', exitCode: 0, fields, error: odd.join('; ') || undefined };
  };

  const sending: Protected<T> = {
    idColumn: 'entry',
    once: async (item, { row, client, tries }) => {
      const { operation, input } = request(item);
      const { answered, ...pace } = client.pace ?? {};
      const made = await charge(
        {
          ...client.check(operation, input),
          about: about(item),
          once,
          again,
          row,
          tries,
          send: async (isOverdue) => {
            let outcome = await client.paced(pace).write(operation, { ...input, isOverdue, tries });
            if (outcome.certain === 'rejected' && unique !== undefined && find !== undefined) {
              const record = await existingForRow(unique, input.body ?? {}, outcome.error, find);
              outcome = { certain: 'accepted', record };
              // Counts as an accepted answer that is not yet reported, like an answer to this row's own request.
              io.flight.accepted += 1;
            }
            // A row keeps its place until an existing record is read.
            answered?.(outcome);
            return outcome;
          },
          ...(look && { look: async () => ({ since: ledger.moment(), ...(await look(item)) }) }),
          equalSince: await equalSince(input.body ?? {}),
          failure,
          onElsewhere: ({ id, origin }) =>
            tellOnce('elsewhere', `Row ${row.number}: there is an earlier one of the same at ${origin} (${id}).`),
        },
        { ...job, client },
      );
      if (made.kind === 'refused') {
        const { why, by } = made;
        const isEqual = why === 'made' && !once;
        if (by !== undefined && isEqual) {
          const equal = `Row ${row.number} equals a row of an earlier file, so nothing is created for it (${by.id}), nor for others like it.`;
          await tellOnce('equal', `${equal} --allow-repeats creates all of them.`);
        }
        if (by !== undefined && (isEqual || why === 'done')) return { kind: 'kept', entry: by };
        throw refusedError(made, false);
      }
      const { record, id, odd, unrecorded } = made;
      for (const what of odd) await tellOnce(id, `note: row ${row.number}: ${what}`);
      return { kind: 'made', end: madeNow(record.value, id, odd), odd: [], unrecorded };
    },
    kept: (entry) => {
      const { id, state, exitCode, evidence } = entry;
      const made = evidence.findLast(({ uid }) => uid !== undefined);
      const fields = { entry: id, [uidColumn]: made?.['uid'], status: made?.['status'] };
      // A refund may also fail later.
      const error = String((exitCode && made?.['message']) || 'it was made, but it failed');
      if (hasFailed(entry)) return { state: 'failed', fields, error };
      if (state === 'accepted' || state === 'sending') return { state, fields, error: oddIn(entry) };
      return { state, exitCode, fields, error: lastMessage(entry) };
    },
  };
  return new ProtectedRows(sending, job);
};
