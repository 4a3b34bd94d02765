import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { breaches, type Operation, type OperationId, operations } from '../contract/operations.ts';
import { printExact } from '../core/json.ts';
import { nowOf, respond, respondTo, type Service } from './answer.ts';
import { readBody } from './body.ts';
import { CONTROL, controls } from './control.ts';
import { SPEECH } from './dialect.ts';
import { catchUp } from './ends.ts';
import { refusePages, refuseStrangers } from './guard.ts';
import type { RequestOf } from './handler.ts';
import { type Answering, handlers } from './handlers.ts';
import { OPENAPI, openapiText } from './openapi.ts';
import { PAGE, showPage } from './page.ts';
import { checked, invalid, refusal } from './refusal.ts';

type Env = { Bindings: HttpBindings };

const operationIds = Object.keys(operations) as OperationId[];

/** `/v1/onye/{uid}` as the router writes it. */
const routePath = (operation: Operation): string => operation.path.replaceAll(/\{(\w+)\}/g, ':$1');

/** Numbers that a double can't hold are kept as texts here; the contract judges them as the numbers they are. */
const asSent = (body: unknown): unknown => (body === undefined ? undefined : JSON.parse(printExact(body)));

/** As PHP reads a query: a name that ends in `[]` or `[0]` has all of its values, of any other the last one counts. */
const queryOf = (url: string): Record<string, string | string[]> => {
  const query: Record<string, string | string[]> = {};
  for (const [name, value] of new URL(url).searchParams) {
    const list = /\[\d*\]$/.test(name) ? name.replace(/\[\d*\]$/, '[]') : undefined;
    if (list === undefined) query[name] = value;
    else query[list] = [...[query[list] ?? []].flat(), value];
  }
  return query;
};

/** The request, judged by the contract's own schemas. What they accept goes on as it was sent. */
const readRequest = async <K extends OperationId>(
  context: Context<Env>,
  service: Service,
  id: K,
): Promise<Omit<RequestOf<K>, 'hangUp'>> => {
  const [operation, now]: [Operation, number] = [operations[id], nowOf(service)];
  const query = queryOf(context.req.url);
  const keep = (bytes: Uint8Array): void => service.requests?.body(context.env.incoming, bytes);
  const body = operation.body === undefined ? undefined : await readBody(context.req.raw, keep);
  const faults = [operation.query?.().safeParse(query).error, operation.body?.(now).safeParse(asSent(body)).error];
  const violations = faults.flatMap((fault) => (fault === undefined ? [] : breaches(fault)));
  if (violations.length > 0) throw invalid(violations);
  return { params: context.req.param(), query, body, now } as unknown as Omit<RequestOf<K>, 'hangUp'>;
};

const mount = <K extends OperationId>(app: Hono<Env>, service: Service, id: K): void => {
  const { store, dialect } = service;
  const operation: Operation = operations[id];
  const { handle, shape }: Answering<K> = handlers[id];
  app.on(operation.method, routePath(operation), async (context) => {
    const read = await readRequest(context, service, id);
    let isCut = false;
    const hangUp = (): void => {
      isCut = true;
    };
    const answer = (): string =>
      checked(operation.success.schema(), handle({ ...read, hangUp } as RequestOf<K>, store));
    catchUp(store, read.now);
    // An answer that breaks the contract must leave no trace either.
    const json = operation.safety === 'safe' ? answer() : store.write(answer);
    if (isCut) context.env.incoming.socket.destroy();
    return respond(service, operation.success.status, 'application/json', SPEECH[dialect].answer(shape, json));
  });
};

const refuseOtherMethods = (app: Hono<Env>): void => {
  for (const path of new Set(operationIds.map((id) => operations[id].path))) {
    const known = operationIds.filter((id) => operations[id].path === path);
    const allow = known.map((id) => operations[id].method).join(', ');
    app.all(routePath(operations[known[0] as OperationId]), (context) => {
      throw refusal(405, `${context.req.method} is not possible here, only ${allow}`, { headers: { allow } });
    });
  }
};

/** The controls of the emulator itself, each answered with JSON. */
const mountControls = (app: Hono<Env>, service: Service): void => {
  for (const [route, control] of Object.entries(controls)) {
    const [method = '', path = ''] = route.split(' ');
    app.on(method, path, async (context) => {
      const body = method === 'PUT' || method === 'POST' ? await readBody(context.req.raw) : {};
      return respond(service, 200, 'application/json', JSON.stringify(control(service, body)));
    });
  }
};

/**
 * The service of interface.md as a web application; its routes are the contract's table of operations. Beside them stand the
 * hosted page, which a public key opens, the contract, which needs no key, and the controls, which have one of their own.
 */
export const makeApp = (service: Service): Hono<Env> => {
  const app = new Hono<Env>();
  app.use(async (context, next) => {
    const { path } = context.req;
    const headers = context.req.header();
    const isPage = PAGE.test(path);
    refusePages(headers, context.env.incoming.socket.localPort ?? 0, isPage);
    const key = path.startsWith(CONTROL) ? (service.store.setting('control_token') ?? '') : service.store.key;
    if (!isPage && !(path === OPENAPI && context.req.method === 'GET')) refuseStrangers(headers, key);
    await next();
  });
  for (const id of operationIds) mount(app, service, id);
  refuseOtherMethods(app);
  mountControls(app, service);
  app.get(OPENAPI, async () => respond(service, 200, 'application/json', await openapiText()));
  app.get('/:ugwo{ugw\\.[^/]+}', (context) => showPage(service, context.req.param('ugwo'), context.req.raw));
  app.notFound((context) => respondTo(refusal(404, `there is nothing at ${context.req.path}`), service));
  app.onError((thrown) => respondTo(thrown, service));
  return app;
};
