import { STATUS_CODES } from 'node:http';
import type { Activity } from '../../contract/activity.ts';
import { MEDIUMS, machineValue, readNextAction } from '../../core/charge.ts';
import { parseIfJson, valueAt } from '../../core/json.ts';
import { explained } from '../../core/service-codes.ts';
import { telLink } from '../../core/text.ts';
import { modulesOf } from '../../qr/modules.ts';
import { effectOf } from '../faults.ts';
import { derivedId } from '../ids.ts';
import type { Executed, SeenRequest } from '../request-log.ts';
import { present } from '../service.ts';
import type { EmulatorStore } from '../store.ts';

/** Lists the rules that a refused request has broken, in either dialect; empty if it was not refused. */
export const refusedBy = ({ status, text }: Executed): readonly string[] => {
  if (status < 400) return [];
  const problem = parseIfJson(text);
  const errors = valueAt(problem, 'errors');
  const broken = (Array.isArray(errors) ? errors : []).map(
    (one: unknown) => `${machineValue(valueAt(one, 'field'))}: ${machineValue(valueAt(one, 'message'))}`,
  );
  const message = machineValue(valueAt(problem, 'detail')) || machineValue(valueAt(problem, 'message'));
  return (broken.length > 0 ? broken : [message]).map((text) => explained(text, { withCodes: true }));
};

/** Says why a request did not simply succeed: the rule that refused it, or the fault that struck it. */
const reasonsOf = ({ struck, executed, status }: SeenRequest): readonly string[] => {
  const refused = executed === undefined ? [] : refusedBy(executed);
  const isDone = struck !== undefined && executed !== undefined && executed.status < 400;
  const isUnheard = isDone && (status === undefined || status >= 400);
  return [
    ...(struck === undefined ? [] : [`fault: ${effectOf(struck)}`]),
    ...(struck === undefined && status === undefined ? ['metadata.emulate asks for it'] : []),
    ...refused,
    ...(isUnheard ? [`the service had done it (${executed.status})`] : []),
  ];
};

/** Describes the answer that the client received. */
const gotOf = ({ status, executed }: SeenRequest): string => {
  if (status === undefined) return executed === undefined ? 'cut off' : 'answer lost';
  return `${status} ${STATUS_CODES[status] ?? ''}`.trim();
};

/** Builds a row of the request log. */
export const rowOf = (seen: SeenRequest) => {
  const { seq, at, method, url, status = 0 } = seen;
  const isGood = status > 0 && status < 400;
  return { seq, at, method, url, got: gotOf(seen), isGood, reasons: reasonsOf(seen) };
};

/** Builds one request in full. */
export const requestOf = (seen: SeenRequest) => {
  const { agent, took, body, executed } = seen;
  return { ...rowOf(seen), agent, took: Math.round(took), body, executed };
};

const mediumOf = ({ psp }: Activity): string =>
  MEDIUMS.find((medium) => derivedId('psp', medium) === machineValue(psp)) ?? 'unknown medium';

/** The QR code that dials the code of an activity, row by row. */
const qrOf = (activity: Activity) => {
  const action = readNextAction(activity);
  const link = action?.kind === 'dial' ? telLink(action.code) : undefined;
  return link === undefined ? undefined : modulesOf(link);
};

/** Builds a payment request with its activities, their refunds, and their next step. */
export const timelineOf = (store: EmulatorStore, uid: string) => {
  const ugwo = present(store.ugwo(uid), 'there is no such payment request: it may have been removed');
  const activities = store.activitiesOn(ugwo.uid).map((activity) => ({
    ...activity,
    medium: mediumOf(activity),
    refunds: store.refundsOf(activity.uid),
    qr: qrOf(activity),
  }));
  return { ...ugwo, activities };
};
