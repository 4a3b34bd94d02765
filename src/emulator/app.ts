import { breaches, type Operation, type OperationId, operations } from '../contract/operations.ts';
import { printExact } from '../core/json.ts';
import { nowOf, respond, respondTo, type Service } from './answer.ts';
import { readBody } from './body.ts';
import { CONTROL, controls } from './control.ts';
import { SPEECH } from './dialect.ts';
import { catchUp } from './ends.ts';
import type { Answer, Answering, Asked } from './exchange.ts';
import { refusePages, refuseStrangers } from './guard.ts';
import type { RequestOf } from './handler.ts';
import { type Handling, handlers } from './handlers.ts';
import { OPENAPI, openapiText } from './openapi.ts';
import { pageAt, showPage } from './page.ts';
import { checked, invalid, refusal } from './refusal.ts';
import { answerBy, type Route } from './routes.ts';

const operationIds = Object.keys(operations) as OperationId[];

/** Numbers that a double can't hold are kept as texts here; the contract judges them as the numbers they are. */
const asSent = (body: unknown): unknown => (body === undefined ? undefined : JSON.parse(printExact(body)));

/** As PHP reads a query: a name that ends in `[]` or `[0]` has all of its values, of any other the last one counts. */
const queryOf = ({ url }: Asked): Record<string, string | string[]> => {
  const query: Record<string, string | string[]> = {};
  for (const [name, value] of url.searchParams) {
    const list = /\[\d*\]$/.test(name) ? name.replace(/\[\d*\]$/, '[]') : undefined;
    if (list === undefined) query[name] = value;
    else query[list] = [...[query[list] ?? []].flat(), value];
  }
  return query;
};

/** The request, judged by the contract's own schemas. What they accept goes on as it was sent. */
const readRequest = async <K extends OperationId>(
  service: Service,
  id: K,
  asked: Asked,
  params: Readonly<Record<string, string>>,
): Promise<Omit<RequestOf<K>, 'hangUp'>> => {
  const [operation, now]: [Operation, number] = [operations[id], nowOf(service)];
  const query = queryOf(asked);
  const keep = (bytes: Uint8Array): void => service.requests?.body(asked, bytes);
  const body = operation.body === undefined ? undefined : await readBody(asked, keep);
  const faults = [operation.query?.().safeParse(query).error, operation.body?.(now).safeParse(asSent(body)).error];
  const violations = faults.flatMap((fault) => (fault === undefined ? [] : breaches(fault)));
  if (violations.length > 0) throw invalid(violations);
  return { params, query, body, now } as unknown as Omit<RequestOf<K>, 'hangUp'>;
};

const routeOf = <K extends OperationId>(service: Service, id: K): Route => {
  const { store, dialect } = service;
  const operation: Operation = operations[id];
  const { handle, shape }: Handling<K> = handlers[id];
  const answer: Route['answer'] = async (asked, params) => {
    const read = await readRequest(service, id, asked, params);
    let isCut = false;
    const hangUp = (): void => {
      isCut = true;
    };
    const made = (): string => checked(operation.success.schema(), handle({ ...read, hangUp } as RequestOf<K>, store));
    catchUp(store, read.now);
    // An answer that breaks the contract must leave no trace either.
    const json = operation.safety === 'safe' ? made() : store.write(made);
    if (isCut) asked.cut();
    return respond(service, operation.success.status, 'application/json', SPEECH[dialect].answer(shape, json));
  };
  return { method: operation.method, path: operation.path, answer };
};

/** The controls of the emulator itself, each answered with JSON. */
const controlRoutes = (service: Service): readonly Route[] =>
  Object.entries(controls).map(([route, control]) => {
    const [method = '', path = ''] = route.split(' ');
    const answer: Route['answer'] = async (asked) => {
      const body = method === 'PUT' || method === 'POST' ? await readBody(asked) : {};
      return respond(service, 200, 'application/json', JSON.stringify(control(service, body)));
    };
    return { method, path, answer };
  });

/** Throws a Refusal for who may not ask for this. */
const admit = ({ store }: Service, { headers, port, method, url }: Asked, isPage: boolean): void => {
  const path = url.pathname;
  refusePages(headers, port, isPage);
  const key = path.startsWith(CONTROL) ? (store.setting('control_token') ?? '') : store.key;
  if (!isPage && !(path === OPENAPI && method === 'GET')) refuseStrangers(headers, key);
};

/**
 * The service of interface.md; its routes are the contract's table of operations. Beside them stand the hosted page, which a
 * public key opens, the contract, which needs no key, and the controls, which have one of their own.
 */
export const makeApp = (service: Service): Answering => {
  const api = operationIds.map((id) => routeOf(service, id));
  const others: readonly Route[] = [
    ...controlRoutes(service),
    {
      method: 'GET',
      path: OPENAPI,
      answer: async () => respond(service, 200, 'application/json', await openapiText()),
    },
  ];
  const answered = async (asked: Asked): Promise<Answer> => {
    const page = pageAt(asked);
    admit(service, asked, page !== undefined);
    if (page !== undefined && ['GET', 'HEAD'].includes(asked.method)) return showPage(service, page, asked);
    const found = await answerBy(api, asked);
    if (found !== undefined && 'status' in found) return found;
    if (found !== undefined) {
      const allow = found.allow.join(', ');
      throw refusal(405, `${asked.method} is not possible here, only ${allow}`, { headers: { allow } });
    }
    const other = await answerBy(others, asked);
    if (other !== undefined && 'status' in other) return other;
    throw refusal(404, `there is nothing at ${asked.url.pathname}`);
  };
  return (asked) => answered(asked).catch((thrown: unknown) => respondTo(thrown, service));
};
