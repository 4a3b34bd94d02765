import { PAYMENTS, paymentShown } from '../../charge/payment.ts';
import type { Client } from '../../client/client.ts';
import { openMessages } from '../../compose/share.ts';
import { activitiesOf, latestActivityOf } from '../../core/charge.ts';
import { PayError, usageError } from '../../core/error.ts';
import { isId } from '../../core/ids.ts';
import { valueAt } from '../../core/json.ts';
import { createdAt } from '../../core/record.ts';
import type { Result, ShareOptions } from '../../core/result.ts';
import { shellLine } from '../../core/shell.ts';
import { type Able, activityNamed, noActivity } from '../names.ts';
import { checkShare, findRequestOf, previewCall } from '../record.ts';
import type { Run } from '../run.ts';
import { openFollowing } from './follow-shared.ts';
import { waitedOf } from './followed-shared.ts';
import type { ActivityIds } from './spec.ts';
import { activityView } from './view.ts';

const newestFirst = (activities: readonly unknown[]): readonly unknown[] =>
  [...activities].reverse().sort((a, b) => (createdAt(b) ?? 0) - (createdAt(a) ?? 0));

/** The latest activity of a payment request: the one that the service names, else the one created last. */
const latestOf = (ugwo: unknown): string | undefined => {
  const newest = newestFirst(activitiesOf(ugwo) ?? []);
  return [valueAt(latestActivityOf(ugwo), 'uid'), ...newest.map((one) => valueAt(one, 'uid'))].find(
    (uid): uid is string => typeof uid === 'string' && isId('act', uid),
  );
};

const latestIn = async (ugwoUid: string, run: Run): Promise<string> => {
  const client = await run.client('read');
  const record = await client.call('ugwo.get', { params: { uid: ugwoUid } });
  await run.observe('request', record);
  const { value } = record;
  const latest = latestOf(value);
  if (latest !== undefined) return latest;
  throw noActivity(ugwoUid);
};

const isFailed = (activity: unknown): boolean => PAYMENTS[paymentShown(activity)].frees;

const ABLE: Readonly<Record<'get' | 'wait', Able<unknown>>> = {
  get: { one: 'charge', can: () => true },
  wait: {
    one: 'charge',
    // The payment may come, or fail, before the wait begins. If all have failed, the newest one says why.
    can: (activity, _at, all) => (all.every(isFailed) ? activity === newestFirst(all)[0] : !isFailed(activity)),
  },
};

/** Finds what the arguments leave out: the payment request in the ledger, or the latest activity at the service. */
const activityPath = async ({ name, ...ids }: ActivityIds, verb: 'get' | 'wait', run: Run) => {
  const { ugwo, activity } = name === undefined ? ids : await activityNamed(name, ABLE[verb], run);
  if (activity === undefined) {
    return { ugwoUid: ugwo ?? '', activityUid: await latestIn(ugwo ?? '', run) };
  }
  const ugwoUid = ugwo ?? (await findRequestOf(activity, run));
  if (ugwoUid !== undefined) return { ugwoUid, activityUid: activity };
  throw usageError(`this ledger has no charge with the activity ${activity}`, {
    hint: `give its payment request too: \`${shellLine(['paycli', 'activity', verb])} ugw.… ${activity}\``,
  });
};

/** A payment request for a message; undefined if it can't be read. */
const requestToShare = async (uid: string, client: Client): Promise<unknown> => {
  const shown = await client.look('ugwo.get', { params: { uid } }).catch((thrown: unknown) => {
    if (!(thrown instanceof PayError) || thrown.kind === 'interrupted') throw thrown;
  });
  return shown?.value;
};

/** Reads one activity (docs/service.md, Activities). */
export const showActivity = async (
  { passOn, ...input }: ActivityIds & { readonly passOn: ShareOptions },
  run: Run,
): Promise<Result> => {
  checkShare(passOn, run.globals);
  const messages = passOn.share ? await openMessages(passOn, run) : undefined;
  const { dryRun } = run.globals;
  if (dryRun && input.activity === undefined && input.name === undefined)
    return previewCall('ugwo.get', { params: { uid: input.ugwo ?? '' } }, run);
  const { ugwoUid, activityUid } = await activityPath(input, 'get', run);
  const call = { params: { ugwoUid, activityUid } };
  if (dryRun) return previewCall('activity.get', call, run);
  const client = await run.client('read');
  const record = await client.call('activity.get', call);
  await run.observe('activity', record);
  if (messages === undefined) return { kind: 'record', record, view: activityView, passOn };
  const names = await messages.namesIn(await requestToShare(ugwoUid, client), client);
  return { kind: 'record', record, view: activityView, passOn: messages.printing(passOn, names) };
};

/** Waits for an activity to reach a final status. Only reads. Shows the first answer at once. */
export const waitForActivity = async (
  { limit, ...input }: ActivityIds & { readonly limit: number },
  run: Run,
): Promise<Result> => {
  const client = await run.client('read');
  const params = await activityPath(input, 'wait', run);
  const following = openFollowing({ params, limit }, { client, io: run.io, observe: run.observe });
  await following.read();
  return {
    kind: 'wait',
    record: following.record(),
    view: activityView,
    wait: async (tell) =>
      waitedOf(
        await following.end(tell),
        { ugwoUid: params.ugwoUid, limit, place: run.globals },
        { client, observe: run.observe },
      ),
  };
};
