import { previewResult } from '../../cli/preview.ts';
import type { Client } from '../../client/client.ts';
import { openRowServices } from '../../compose/run.ts';
import { memo } from '../../core/async.ts';
import { usageError } from '../../core/error.ts';
import { canAsk, namingFlags, pairsToObject } from '../../core/input.ts';
import type { Result, View } from '../../core/result.ts';
import { findFlag } from '../fields.ts';
import { previewCall } from '../record.ts';
import type { Run } from '../run.ts';
import {
  type CustomerBody,
  customerShown,
  customerToMerge,
  type GivenFields,
  keyNames,
  keysLost,
  type MetaChange,
  mergedBody,
  metaOf,
  readCustomerBody,
} from './fields.ts';
import { CHANGED_FIELDS, type CustomerOptions } from './fields-shared.ts';
import type { UpdateInput } from './update-spec.ts';
import { onyeView, updatesView } from './view.ts';

const MERGED = 'All metadata was read, changed and written back; a change that somebody else made in between is lost.';

/** Asks before the update drops metadata keys that the body does not name. Asks nothing if none would be lost. */
const confirmLoss = async (uid: string, { meta }: CustomerBody, client: Client, run: Run): Promise<void> => {
  const before = metaOf(Object(await customerShown(uid, client)));
  const lost = keysLost(before, meta);
  if (before !== undefined && lost.length === 0) return;
  const what =
    before === undefined
      ? "The service doesn't show the metadata that would be lost."
      : `These metadata keys would be lost (--merge-meta keeps them): ${keyNames(lost)}`;
  await run.ask([what, 'Replace all metadata?'], 'refuse');
};

const sendUpdate = async (uid: string, body: CustomerBody, run: Run): Promise<Result> => {
  const call = { params: { uid }, body };
  if (run.globals.dryRun) return await previewCall('onye.update', call, run);
  const client = await run.client('write');
  const asked = 'meta' in body && canAsk(run.io, run.globals) && !run.globals.yes;
  if (asked) {
    client.check('onye.update', call);
    await confirmLoss(uid, body, client, run);
  }
  const record = await client.call('onye.update', call);
  return {
    kind: 'record',
    record,
    view: onyeView,
    wrote: true,
    ...('meta' in body && !asked ? { notice: 'All metadata was replaced, not merged.' } : {}),
  };
};

/** Reads the metadata, applies the change and sends the result. Sends nothing if nothing would change. */
const merge = async (uid: string, given: CustomerBody, change: MetaChange, run: Run): Promise<Result> => {
  const client = await run.client(run.globals.dryRun ? 'read' : 'write');
  const typed = { ...given, meta: change.set };
  client.check('onye.update', { params: { uid }, body: given, typed });
  const { record: before, exact } = await customerToMerge(uid, client);
  const call = { params: { uid }, body: mergedBody(given, exact, change), typed };
  if (Object.keys(call.body).length === 0) {
    return { kind: 'record', record: before, view: onyeView, notice: 'nothing would change; nothing was sent' };
  }
  if (run.globals.dryRun) return previewResult(client.preview('onye.update', call), run);
  const record = await client.call('onye.update', call);
  return { kind: 'record', record, view: onyeView, wrote: true, ...('meta' in call.body ? { notice: MERGED } : {}) };
};

/** Updates a customer (docs/service.md, Customers). */
const updateOne = async (uid: string, { given, body, change }: GivenFields, run: Run): Promise<Result> => {
  if (Object.keys(body).length === 0 && change === undefined) throw usageError('--data is empty: nothing to change');
  try {
    return await (change === undefined ? sendUpdate(uid, body, run) : merge(uid, body, change, run));
  } catch (thrown) {
    throw namingFlags(thrown, findFlag(CHANGED_FIELDS, given, body));
  }
};

/** Metadata change of the options; `body` is what they set besides. */
const readChange = ({ merge_meta, unset_meta = [] }: CustomerOptions, body: CustomerBody): MetaChange | undefined => {
  if ((merge_meta ?? unset_meta).length === 0) return undefined;
  if ('meta' in body) throw usageError('--data sets "meta", so it can\'t be used with --merge-meta or --unset-meta');
  return { set: pairsToObject(merge_meta ?? [], '--merge-meta'), unset: unset_meta };
};

export const updatedView = ({ kind }: UpdateInput): View => (kind === 'one' ? onyeView : updatesView);

export const update = async (input: UpdateInput, run: Run): Promise<Result> => {
  const body = await readCustomerBody(input.given, run);
  const fields = { given: input.given, body, change: readChange(input.given, body) };
  if (input.kind === 'one') return updateOne(input.uid, fields, run);
  const [{ updateKind }, { runFile }] = [await import('./kinds.ts'), await import('../../bulk/run-file.ts')];
  const { bulk, replaceMeta } = input;
  // A dry run reads, and needs a key, only where metadata would be lost.
  const reader = run.globals.dryRun ? memo(() => run.client('read')) : undefined;
  const kind = updateKind({ ...fields, replaceMeta }, reader);
  return runFile(bulk, kind, updatesView, run, await openRowServices(run));
};
