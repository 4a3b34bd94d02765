import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { breaches, type Operation, type OperationId, operations } from '../contract/operations.ts';
import { memo } from '../core/async.ts';
import { reasonOf, usageError } from '../core/error.ts';
import { printExact } from '../core/json.ts';
import { createCharge, createRefund, getActivity } from './charge.ts';
import { CONTROL, controls } from './control.ts';
import { SHAPES, type Shape, WIRE_FORMS } from './dialect.ts';
import { withFaults } from './faults.ts';
import {
  type Answering,
  type HttpAnswer,
  type HttpRequest,
  type Route,
  readHttpRequest,
  routeFor,
  sendAnswer,
} from './http.ts';
import { catchUp, withActivities } from './payments.ts';
import {
  addCustomer,
  cancelUgwo,
  checkoutAt,
  createUgwo,
  customerAt,
  deleteOnye,
  listCheckouts,
  listProviders,
  recordPage,
  requestAt,
  updateOnye,
} from './records.ts';
import type { RunningEmulator } from './room.ts';
import {
  checkedAnswer,
  consoleToken,
  invalid,
  nowOf,
  type OperationHandler,
  problemError,
  type RequestOf,
  readJsonBody,
  refusePages,
  refuseStrangers,
  respond,
  respondTo,
  type Service,
} from './service.ts';

// Routes

/** A handler, and the shape of its answer in the live dialect. */
interface Handling<K extends OperationId> {
  readonly handle: OperationHandler<K>;
  readonly shape: Shape;
}

/** The handlers of all operations. Does not compile while an operation of the contract has none. */
const handlers: { readonly [K in OperationId]: Handling<K> } = {
  'onye.create': { handle: ({ body, now }, store) => addCustomer(store, body, now), shape: SHAPES.customer },
  'onye.get': { handle: ({ params }, store) => customerAt(params, store), shape: SHAPES.customer },
  // Lists have the newest records first (docs/service.md, Payment requests).
  'onye.list': {
    handle: ({ query }, store) => recordPage('onye', query, store, store.customersBefore),
    shape: SHAPES.customers,
  },
  'onye.update': { handle: updateOnye, shape: SHAPES.customer },
  'onye.delete': { handle: deleteOnye, shape: SHAPES.customer },
  'ugwo.create': { handle: createUgwo, shape: SHAPES.ugwo },
  // As lists show it, with all its activities, oldest first (docs/service.md, Payment requests).
  'ugwo.get': {
    handle: ({ params }, store) => withActivities(store, requestAt(params.uid, store)),
    shape: SHAPES.ugwo,
  },
  'ugwo.list': {
    handle: ({ query }, store) => recordPage('ugwo', query, store, store.ugwoBefore),
    shape: SHAPES.ugwos,
  },
  'ugwo.cancel': { handle: cancelUgwo, shape: SHAPES.ugwo },
  'ugwo.charge': { handle: createCharge, shape: SHAPES.activity },
  'activity.get': { handle: getActivity, shape: SHAPES.activity },
  'checkout.list': { handle: listCheckouts, shape: SHAPES.checkouts },
  'checkout.get': { handle: ({ params }) => checkoutAt(params), shape: SHAPES.checkout },
  'checkout.providers': { handle: listProviders, shape: SHAPES.providers },
  'refund.create': { handle: createRefund, shape: SHAPES.refund },
};

/** Path of the OpenAPI document, which needs no key. */
const OPENAPI = '/openapi.json';

/** Returns the contract as an OpenAPI document, loaded from the package on demand. */
export const openapiText = async (): Promise<string> => {
  const { default: document } = await import('#openapi', { with: { type: 'json' } });
  return JSON.stringify(document, null, 2);
};

/**
 * Converts numbers that a double can't hold, which are stored as text here, so that the contract checks them as
 * numbers.
 */
const asSent = (body: unknown): unknown => (body === undefined ? undefined : JSON.parse(printExact(body)));

/**
 * Reads a query as PHP does: a name ending in `[]` or `[0]` collects all its values; for any other, the last value
 * counts.
 */
const queryOf = ({ query: pairs }: HttpRequest): Record<string, string | string[]> => {
  const query: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of pairs) {
    const list = /\[\d*\]$/.test(name) ? name.replace(/\[\d*\]$/, '[]') : undefined;
    if (list === undefined) query[name] = value;
    else query[list] = [...[query[list] ?? []].flat(), value];
  }
  return query;
};

/** Validates a request against the contract's schemas. An accepted request is passed on as it was sent. */
const readOperation = async <K extends OperationId>(
  service: Service,
  id: K,
  asked: HttpRequest,
  params: Readonly<Record<string, string>>,
): Promise<Omit<RequestOf<K>, 'hangUp'>> => {
  const [operation, now]: [Operation, number] = [operations[id], nowOf(service)];
  const query = queryOf(asked);
  const body = operation.body === undefined ? undefined : await readJsonBody(asked);
  const faults = [operation.query?.().safeParse(query).error, operation.body?.(now).safeParse(asSent(body)).error];
  const violations = faults.flatMap((fault) => (fault === undefined ? [] : breaches(fault)));
  if (violations.length > 0) throw invalid(violations);
  return { params, query, body, now } as unknown as Omit<RequestOf<K>, 'hangUp'>;
};

const operationRoute = <K extends OperationId>(service: Service, id: K): Route => {
  const { store, dialect } = service;
  const operation: Operation = operations[id];
  const { handle, shape }: Handling<K> = handlers[id];
  const answer: Route['answer'] = async (asked, params) => {
    const read = await readOperation(service, id, asked, params);
    let isCut = false;
    const hangUp = (): void => {
      isCut = true;
    };
    const made = (): string =>
      checkedAnswer(operation.success.schema(), handle({ ...read, hangUp } as RequestOf<K>, store));
    catchUp(store, read.now);
    // Runs in the transaction, so that an answer that breaks the contract changes nothing.
    const json = operation.safety === 'safe' ? made() : store.write(made);
    if (isCut) asked.hangUp();
    return respond(service, operation.success.status, 'application/json', WIRE_FORMS[dialect].answer(shape, json));
  };
  return { method: operation.method, path: operation.path, answer };
};

/** Routes of the emulator's own controls; each answers with JSON. */
const controlRoutes = (service: Service): readonly Route[] =>
  Object.entries(controls).map(([route, control]) => {
    const [method = '', path = ''] = route.split(' ');
    const answer: Route['answer'] = async (asked) => {
      const body = method === 'PUT' || method === 'POST' ? await readJsonBody(asked) : {};
      return respond(service, 200, 'application/json', JSON.stringify(control(service, body)));
    };
    return { method, path, answer };
  });

/** Starts of the paths of the pages, which people open in a browser: the customer's, and the console. */
const [UGWO_START, CONSOLE] = ['ugw.', 'console'];

/** Routes of the pages, which are loaded when somebody opens one. */
const pageRoutes = (service: Service): readonly Route[] => {
  const show: Route['answer'] = async (asked) =>
    (await import('./pages/payment-page.ts')).showPaymentPage(service, asked);
  const showConsole: Route['answer'] = async (asked, { token = '', ugwo }) =>
    (await import('./pages/console-page.ts')).showConsole(service, asked, token, ugwo);
  const paths = [
    [`/${UGWO_START}{rest}`, show],
    [`/${CONSOLE}/{token}/`, showConsole],
    [`/${CONSOLE}/{token}/{ugwo}`, showConsole],
  ] as const;
  return paths.flatMap(([path, answer]) => ['GET', 'POST'].map((method) => ({ method, path, answer })));
};

/** Throws a ProblemError if the client may not make this request. Reads the path as the routes do. */
const admitRequest = ({ store }: Service, asked: HttpRequest): void => {
  const { method, segments, headers } = asked;
  const [, first = '', ...more] = segments;
  const isPage = first === CONSOLE || (more.length === 0 && first.startsWith(UGWO_START));
  refusePages(headers, asked, isPage && method === 'GET');
  if (isPage || (method === 'GET' && OPENAPI === segments.join('/'))) return;
  refuseStrangers(headers, CONTROL === `/${first}/` ? (store.setting('control_token') ?? '') : store.key);
};

/**
 * Builds the service of docs/service.md from the contract's table of operations. Adds the pages, which check their own
 * keys, the contract, which needs no key, and the controls, which have their own key.
 */
const makeApp = (service: Service): Answering => {
  const openapi = async (): Promise<HttpAnswer> => respond(service, 200, 'application/json', await openapiText());
  const api = (Object.keys(operations) as OperationId[]).map((id) => operationRoute(service, id));
  const others: readonly Route[] = [
    ...controlRoutes(service),
    ...pageRoutes(service),
    { method: 'GET', path: OPENAPI, answer: openapi },
  ];
  const handled = async (asked: HttpRequest): Promise<HttpAnswer> => {
    admitRequest(service, asked);
    const ofApi = routeFor(api, asked);
    if (ofApi !== undefined && 'allow' in ofApi) {
      const allow = ofApi.allow.join(', ');
      throw problemError(405, `${asked.method} is not possible here, only ${allow}`, { headers: { allow } });
    }
    const found = ofApi ?? routeFor(others, asked);
    if (found === undefined || 'allow' in found)
      throw problemError(404, `there is nothing at ${asked.segments.join('/')}`);
    return found.route.answer(asked, found.params);
  };
  return (asked) => handled(asked).catch((thrown: unknown) => respondTo(thrown, service));
};

// The port

const LISTEN_HOST = '127.0.0.1';

/** Returns the host for the addresses that a browser on this machine uses. */
const hostName = (host: string): string => {
  if (['0.0.0.0', '::'].includes(host)) return LISTEN_HOST;
  return host.includes(':') ? `[${host}]` : host;
};

const listenOn = (server: Server, port: number, host: string): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', (thrown: NodeJS.ErrnoException) => {
    if (thrown.code !== 'EADDRINUSE' && host !== LISTEN_HOST)
      return reject(usageError(`--host: ${host} cannot be listened on: ${reasonOf(thrown)}`, { cause: thrown }));
    const why = thrown.code === 'EADDRINUSE' ? 'is already in use' : `cannot be used: ${reasonOf(thrown)}`;
    const hint = 'choose another with --port, or leave it out to take any free one';
    reject(usageError(`port ${port} ${why}`, { hint, cause: thrown }));
  });
  server.listen({ port, host }, resolve);
  return promise;
};

const stop = async (server: Server): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  await promise;
};

/** Answer for when even the data can't be read. */
const BROKEN_ANSWER: HttpAnswer = {
  status: 500,
  headers: { 'content-type': 'text/plain' },
  text: 'the data cannot be read\n',
};

/** Answers every request on a connection, including invalid ones. */
const listener = (service: Service, answering: Answering): RequestListener => {
  const problemAnswer = (thrown: unknown): HttpAnswer => {
    try {
      return respondTo(thrown, service);
    } catch {
      return BROKEN_ANSWER;
    }
  };
  const answerTo = async (incoming: IncomingMessage): Promise<HttpAnswer | undefined> => {
    let asked: HttpRequest;
    try {
      asked = readHttpRequest(incoming);
    } catch (thrown) {
      return problemAnswer(problemError(400, `the request cannot be read: ${reasonOf(thrown)}`));
    }
    return answering(asked).catch(problemAnswer);
  };
  return (incoming, outgoing) => {
    const { socket } = incoming;
    void answerTo(incoming)
      .then((answer) => sendAnswer(answer, socket, outgoing))
      .catch(() => socket.destroy());
  };
};

/** Starts the service on a port, by default on 127.0.0.1 only. Takes over the store and closes it at the end. */
export const serveEmulatorOn = async (
  opened: Omit<Service, 'closing'>,
  port: number,
  {
    host = LISTEN_HOST,
    delivers = false,
  }: { readonly host?: string | undefined; readonly delivers?: boolean | undefined },
): Promise<RunningEmulator> => {
  const closing = new AbortController();
  const service: Service = { ...opened, closing: closing.signal };
  const { store } = service;
  const server = createServer(listener(service, withFaults(service, makeApp(service))));
  try {
    await listenOn(server, port, host);
  } catch (thrown) {
    store.close();
    throw thrown;
  }
  const delivering = delivers ? (await import('./deliver.ts')).deliver(service) : undefined;
  const origin = `http://${hostName(host)}:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    key: store.key,
    publicKey: store.setting('public_key') ?? '',
    controlToken: store.setting('control_token') ?? '',
    console: `${origin}/${CONSOLE}/${consoleToken(store)}/`,
    close: memo(async () => {
      closing.abort();
      await Promise.all([stop(server), delivering]).finally(() => store.close());
    }),
  };
};
