import * as z from 'zod';
import type { Method, Operation, OperationId } from './operations.ts';
import { operations } from './operations.ts';
import type { Params, Proof } from './proof.ts';
import { provesPage } from './proof.ts';

/** A request to a path of the service that the table need not know. */
export interface AnyRequest {
  readonly method: Method;
  /** Under the origin, without a query. */
  readonly path: string;
  /** Its answer is a page of a list. */
  readonly paged?: boolean;
  /** What it does, where its path is that of an operation in another spelling. */
  readonly like?: OperationId | undefined;
}

const provesJson: Proof = (answer) =>
  typeof answer === 'object' && answer !== null ? undefined : 'the answer is neither a JSON object nor a list';

const isSent = (method: Method): boolean => method === 'POST' || method === 'PUT' || method === 'PATCH';

const SAFETY = { GET: 'safe', POST: 'never-repeat', PUT: 'checked', PATCH: 'checked', DELETE: 'checked' } as const;

const effectOf = (id: OperationId | undefined): Pick<Operation, 'effect'> => {
  const operation: Operation | undefined = id && operations[id];
  return operation?.effect === undefined ? {} : { effect: operation.effect };
};

/** An operation of which nothing is documented but its method and path: judged by the same rules as the others. */
export const anyOperation = ({ method, path, paged, like }: AnyRequest): Operation => ({
  method,
  path,
  params: {},
  ...(isSent(method) ? { body: () => z.looseObject({}) } : {}),
  success: { status: 200, schema: z.unknown, proof: paged === true ? provesPage : provesJson },
  safety: SAFETY[method],
  ...effectOf(like),
});

/** The parameters of a template's path in a path; undefined where it is no path of the template. */
const paramsIn = (template: string, path: string): Params | undefined => {
  const [names, segments] = [template.split('/'), path.split('/')];
  if (names.length !== segments.length) return undefined;
  const params: Record<string, string> = Object.create(null);
  for (const [index, name] of names.entries()) {
    const segment = decodeURIComponent(segments[index] ?? '');
    if (name.startsWith('{')) params[name.slice(1, -1)] = segment;
    else if (name !== segment) return undefined;
  }
  return params;
};

/** The operation of the table that a request is, with its parameters; undefined where it is none of them. */
export const operationOf = ({
  method,
  path,
}: AnyRequest): { readonly id: OperationId; readonly params: Params } | undefined => {
  for (const [id, operation] of Object.entries(operations)) {
    const params = operation.method === method ? paramsIn(operation.path, path) : undefined;
    if (params !== undefined) return { id: id as OperationId, params };
  }
  return undefined;
};
