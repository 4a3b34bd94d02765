import { STATUS_CODES } from 'node:http';
import type { Activity } from '../../contract/activity.ts';
import { readNextAction, textAt } from '../../core/charge.ts';
import { parseIfJson, printExact, valueAt } from '../../core/json.ts';
import { explained } from '../../core/service-codes.ts';
import { telLink } from '../../core/text.ts';
import { modulesOf } from '../../qr/modules.ts';
import { effectOf } from '../faults.ts';
import type { Answering, HttpAnswer, HttpRequest, StreamedAnswer } from '../http.ts';
import { catchUp } from '../payments.ts';
import type { Executed, RequestLog, SeenRequest } from '../request-log.ts';
import type { ConsoleOptions } from '../room.ts';
import {
  consolePath,
  consoleToken,
  isKey,
  nowOf,
  ProblemError,
  present,
  problemError,
  refusePages,
  respond,
  type Service,
} from '../service.ts';
import type { EmulatorStore } from '../store.ts';
import SCRIPT from './browser/main.ts?raw';
import PAGE from './page.html?raw';
import STYLE from './style.css?raw';

/** Lists the rules that a refused request has broken, in either dialect; empty if it was not refused. */
const refusalReasons = ({ status, text }: Executed): readonly string[] => {
  if (status < 400) return [];
  const problem = parseIfJson(text);
  const errors = valueAt(problem, 'errors');
  const broken = (Array.isArray(errors) ? errors : []).map(
    (one: unknown) => `${textAt(one, 'field')}: ${textAt(one, 'message')}`,
  );
  const message = textAt(problem, 'detail') || textAt(problem, 'message');
  return (broken.length > 0 ? broken : [message]).map((text) => explained(text, { withCodes: true }));
};

/** Says why a request did not simply succeed: the rule that refused it, or the fault rule that was applied. */
const requestReasons = ({ fault, executed, status }: SeenRequest): readonly string[] => {
  const refused = executed === undefined ? [] : refusalReasons(executed);
  const isDone = fault !== undefined && executed !== undefined && executed.status < 400;
  const isUnheard = isDone && (status === undefined || status >= 400);
  return [
    ...(fault === undefined ? [] : [`fault: ${effectOf(fault)}`]),
    ...(fault === undefined && status === undefined ? ['metadata.emulate asks for it'] : []),
    ...refused,
    ...(isUnheard ? [`the service had done it (${executed.status})`] : []),
  ];
};

/** Describes the answer that the client received. */
const gotOf = ({ status, executed }: SeenRequest): string => {
  if (status === undefined) return executed === undefined ? 'cut off' : 'answer lost';
  return `${status} ${STATUS_CODES[status] ?? ''}`.trim();
};

export const seenRequestRow = (seen: SeenRequest) => {
  const { seq, at, method, url, status = 0 } = seen;
  const isGood = status > 0 && status < 400;
  return { seq, at, method, url, got: gotOf(seen), isGood, reasons: requestReasons(seen) };
};

export const requestDetail = (seen: SeenRequest) => {
  const { agent, took, body, executed } = seen;
  return { ...seenRequestRow(seen), agent, took: Math.round(took), body, executed };
};

/** The QR code that dials the code of an activity, row by row. */
const qrOf = (activity: Activity) => {
  const action = readNextAction(activity);
  const link = action?.kind === 'dial' ? telLink(action.code) : undefined;
  return link === undefined ? undefined : modulesOf(link);
};

/** Builds a payment request with its activities, their refunds, and their next step. */
const timelineOf = (store: EmulatorStore, uid: string) => {
  const ugwo = present(store.ugwo(uid), 'there is no such payment request: it may have been removed');
  const activities = store.activitiesOn(ugwo.uid).map((activity) => ({
    ...activity,
    medium: store.activity(activity.uid)?.medium || 'unknown medium',
    refunds: store.refundsOf(activity.uid),
    qr: qrOf(activity),
  }));
  return { ...ugwo, activities };
};

/** Allows only the files of the console, and no markup from text. */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  // The token stands in the address.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const;

/** A P for practice; a sign of a currency would suggest money. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#f6c344"/><path d="M11 26V7h7a5.5 5.5 0 0 1 0 11h-7" fill="none" stroke="#3a2600" stroke-width="3.4"/></svg>
`;

const FILES: ReadonlyMap<string, readonly [type: string, text: string]> = new Map([
  ['', ['text/html; charset=utf-8', PAGE]],
  ['style.css', ['text/css; charset=utf-8', STYLE]],
  ['script.js', ['text/javascript; charset=utf-8', SCRIPT]],
  ['icon.svg', ['image/svg+xml', ICON]],
]);

/** Interval in milliseconds for checking whether the data has changed, since another process may write to the file. */
const CONSOLE_POLL_MS = 500;

/** Resolves at the next request, after `CONSOLE_POLL_MS`, or when the browser has left. */
const nextChange = async ({ clock, closing }: Service, requests: RequestLog, closed: AbortSignal): Promise<void> => {
  const changed = new AbortController();
  const stopListening = requests.listen(() => changed.abort());
  await clock.sleep(CONSOLE_POLL_MS, AbortSignal.any([closing, closed, changed.signal])).catch(() => undefined);
  stopListening();
};

/**
 * Streams the earlier requests, then `ready`, then each new request. Sends `changed` after each change of the data.
 */
const updates =
  (service: Service, requests: RequestLog): StreamedAnswer =>
  async (write, closed) => {
    const { store, closing } = service;
    let [last, version] = [0, store.version()];
    const sendNew = async (): Promise<void> => {
      for (const seen of requests.newest().toReversed()) {
        if (seen.seq <= last) continue;
        last = seen.seq;
        await write(`event: request\ndata: ${JSON.stringify(seenRequestRow(seen))}\n\n`);
      }
    };
    await sendNew();
    await write('event: ready\ndata: \n\n');
    for (;;) {
      await nextChange(service, requests, closed);
      if (closing.aborted || closed.aborted) return;
      catchUp(store, nowOf(service));
      await sendNew();
      if (store.version() !== version) await write('event: changed\ndata: \n\n');
      version = store.version();
    }
  };

/** Throws a ProblemError unless the address has the token and, for a write, the console itself asks. */
const admitConsole = (asked: HttpRequest, store: EmulatorStore): void => {
  const { method, segments, headers } = asked;
  refusePages(headers, asked, method === 'GET');
  if (!isKey(segments[2] ?? '', consoleToken(store))) {
    throw problemError(
      403,
      'wrong token in the address: open the address that `paycli emulator start` prints as console',
    );
  }
  if (method !== 'GET' && headers['origin'] !== `http://${headers['host']}`) {
    throw problemError(403, 'only the console itself may write: the header `Origin` is missing or differs');
  }
};

const refusalAnswer = (thrown: unknown, service: Service): HttpAnswer => {
  if (!(thrown instanceof ProblemError)) throw thrown;
  const { status, detail, title } = thrown.problem;
  return respond(service, status, 'text/plain; charset=utf-8', `${detail ?? title}\n`);
};

/**
 * Builds the console of a running service. `app` answers its calls of the service and of the controls. None of its
 * answers contains a secret key.
 */
export const openConsole = (
  service: Service,
  requests: RequestLog,
  { data }: ConsoleOptions,
  app: Answering,
): Answering => {
  const { store } = service;
  const controlToken = store.setting('control_token') ?? '';
  const secrets = [store.key, controlToken].filter((secret) => secret !== '');
  const clean = (text: string): string => secrets.reduce((left, secret) => left.replaceAll(secret, '[key]'), text);
  const show = (type: string, text: string): HttpAnswer => respond(service, 200, type, text);
  const json = (value: object): HttpAnswer => show('application/json', printExact(value));

  /** Calls the service or its controls with their key. `lost` cuts no answer off here. */
  const forward = async (asked: HttpRequest, path: readonly string[]): Promise<HttpAnswer | undefined> => {
    const key = path[0] === 'v1' ? store.key : controlToken;
    const headers = { ...asked.headers, authorization: `Bearer ${key}` };
    return app({ ...asked, segments: ['', ...path], headers, hangUp: () => undefined });
  };

  const read = ([what = '', id = '']: readonly string[]): HttpAnswer => {
    const file = FILES.get(what);
    if (file !== undefined) return show(...file);
    catchUp(store, nowOf(service));
    if (what === 'about') return json({ data });
    if (what === 'requests')
      return json(requestDetail(present(requests.find(Number(id)), 'the log no longer has this request')));
    if (what === 'timelines') return json(timelineOf(store, id));
    if (what === 'updates') {
      const sending: StreamedAnswer = (write, closed) =>
        updates(service, requests)((text) => write(clean(text)), closed);
      return { ...show('text/event-stream', ''), sending };
    }
    throw problemError(404, 'the console has no such page');
  };

  const handled = async (asked: HttpRequest): Promise<HttpAnswer | undefined> => {
    admitConsole(asked, store);
    const path = asked.segments.slice(3);
    if (path[0] === 'v1' || path[0] === 'emulator') return forward(asked, path);
    if (asked.method === 'GET' && asked.target.startsWith(consolePath(store))) return read(path);
    throw problemError(404, 'the console has no such path');
  };

  return async (asked) => {
    const answer = await handled(asked).catch((thrown: unknown) => refusalAnswer(thrown, service));
    return answer && { ...answer, headers: { ...answer.headers, ...HEADERS }, text: clean(answer.text) };
  };
};
