import { balanceOf, paymentShown, requestFacts } from '../../charge/payment.ts';
import { paidTwiceText } from '../../charge/words.ts';
import type { Resource } from '../../contract/proof.ts';
import {
  activitiesOf,
  latestActivityOf,
  machineValue,
  payableUntil,
  readNextAction,
  textAt,
} from '../../core/charge.ts';
import { formatMoney } from '../../core/money.ts';
import type { ListInput } from '../../core/record.ts';
import type { Result } from '../../core/result.ts';
import { formatLocal } from '../../core/time.ts';
import { type ListOf, listRecords } from '../list.ts';
import { previewCall, refuseDisputed, removeRecord } from '../record.ts';
import type { Run } from '../run.ts';
import { ugwoView, wholeUgwoView, wholeViewFor } from './view.ts';

/** Reads one payment request with its activities (docs/service.md, Payment requests). */
export const getRequest = async ({ uid }: { readonly uid: string }, run: Run): Promise<Result> => {
  const call = { params: { uid } };
  if (run.globals.dryRun) return previewCall('ugwo.get', call, run);
  const record = await (await run.client('read')).call('ugwo.get', call);
  const { paidBack, charges } = (await run.observe('request', record)) ?? {};
  const balance = balanceOf(requestFacts(record.value), { paidBack });
  const currency = machineValue(record.value['currency']);
  const notice = [
    ...(record.value['checkout'] === null ? ['It shows no checkout, so the service may refuse a charge.'] : []),
    ...(balance.excess ? [`It was ${paidTwiceText(uid, balance, currency, run.globals)}`] : []),
  ];
  return { kind: 'record', record, view: wholeViewFor(charges), notice };
};

const REQUEST_LIST: ListOf = {
  operation: 'ugwo.list',
  path: ['ugwo', 'list'],
  records: 'payment requests',
  view: ugwoView,
  newestFirst: true,
  uniqueRef: true,
};

export const listPaymentRequests = (input: ListInput, run: Run): Promise<Result> =>
  listRecords(REQUEST_LIST, input, run);

const requestMoney = (request: Resource): string => formatMoney(textAt(request, 'amount'), textAt(request, 'currency'));

/** Describes a payment request so that a person can recognize it. */
const requestText = (request: Resource): string => {
  const words = ['ref', 'description', 'onye.email'].map((path) => textAt(request, path));
  return [requestMoney(request), ...words, request.uid].filter((part) => part !== '').join(', ');
};

/** Names an account or a code that the customer can still use; undefined for any other activity. */
const openText = (activity: unknown, now: number): string | undefined => {
  const action = paymentShown(activity) === 'open' ? readNextAction(activity) : undefined;
  const until = payableUntil(activity);
  if (action === undefined || (until !== undefined && until <= now)) return undefined;
  if (action.kind === 'dial') return `The code ${action.code} can still be dialled.`;
  if (action.kind === 'other') return 'A payment of it is under way.';
  const end = until === undefined ? '' : ` until ${formatLocal(until, now)}`;
  return `Account ${action.accountNumber}${action.bank === '' ? '' : ` (${action.bank})`} can still be paid${end}.`;
};

/** Cancels a payment request (docs/service.md, Payment requests). */
export const cancel = async ({ uid }: { readonly uid: string }, run: Run): Promise<Result> => {
  const check = () => refuseDisputed({ about: uid }, `${uid} was not cancelled`, run);
  await check();
  return removeRecord(
    {
      read: 'ugwo.get',
      remove: 'ugwo.cancel',
      uid,
      view: wholeUgwoView,
      question: (request) => [
        requestText(request),
        ...(activitiesOf(request) ?? [latestActivityOf(request)]).flatMap(
          (activity) => openText(activity, run.io.clock.now()) ?? [],
        ),
        'Cancel this payment request? It can never be paid afterwards.',
      ],
      typed: (request) => requestMoney(request) || request.uid,
      done: 'The payment request was cancelled.',
      check: async (before) => {
        await run.observe('request', before);
        await check();
      },
      observe: (removed) => run.observe('request', removed),
    },
    run,
  );
};
