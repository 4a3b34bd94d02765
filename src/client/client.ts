import { failedBy, type Outcome } from '../charge/outcome.ts';
import { limitFault } from '../contract/common.ts';
import {
  type AnyRequest,
  anyOperation,
  breaches,
  filledPath,
  type ListId,
  type Operation,
  type OperationId,
  operationOf,
  operations,
  type ProvenOf,
} from '../contract/operations.ts';
import type { ListRecord, ResourcePage } from '../contract/proof.ts';
import { loadSchemas } from '../contract/zod.ts';
import { ANY_WRITE, textAt, type WriteKind } from '../core/charge.ts';
import { PayError, usageError } from '../core/error.ts';
import { isUnsafeSegment } from '../core/ids.ts';
import { printExact } from '../core/json.ts';
import { isGuarded } from '../core/origin.ts';
import type { ApiPage, ApiRecord } from '../core/record.ts';
import type { CurlRequest } from '../core/shell.ts';
import { spoiltIn } from '../core/spoilt.ts';
import {
  type Exchange,
  openRequestedPause,
  otherObjectFault,
  type RequestPace,
  type SendContext,
  type Subject,
} from './answer.ts';
import type { JsonBody } from './body.ts';
import { longestWrite, noticeFinishing, sendRead, sendWrite, type Walk, type WriteOptions, walkPages } from './send.ts';
import type { Transport } from './transport.ts';

/** Input of an operation. All of it is checked against the contract before anything is sent. */
export interface CallInput extends WriteOptions {
  readonly params?: Readonly<Record<string, string>>;
  /** A name that ends in `[]` may have several values. */
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** The part of the body that was entered now; the rest is copied from a read. */
  readonly typed?: Readonly<Record<string, unknown>>;
  /** The service's clock, against which times of the body are checked; by default this machine's. */
  readonly now?: number | undefined;
  /** Additional headers. They never replace those that a transport sets. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly onHead?: Exchange['onHead'];
}

/** A request as it would be sent, without its key. */
export type Preview = CurlRequest;

/** An operation of the table by its name, or a request to any other path. */
export type Called = OperationId | AnyRequest;
type Proven<K extends Called> = K extends OperationId ? ProvenOf<K> : unknown;

/** The part of a write that the ledger stores. */
export interface Checked {
  readonly path: string;
  /** JSON; undefined for a write without a body. */
  readonly body: string | undefined;
  readonly effect: WriteKind;
}

/**
 * Access to the service under the rules of the contract. Every failure is a PayError whose kind says what is certain:
 * `usage` nothing was sent, `not_sent` nothing was applied, `unknown` it may have been.
 */
export interface Client {
  /** `signal` ends a read whose result is no longer needed; it never ends a write. */
  call<K extends Called>(called: K, input: CallInput, signal?: AbortSignal): Promise<ApiRecord<Proven<K>>>;
  /** Sends a write. Throws only for a defect. */
  write(called: Called, input: CallInput): Promise<Outcome>;
  /**
   * A read that the service may not support: undefined if it doesn't, or if it gives one answer to every GET.
   * Throws the errors of `call`; with `mustExist` also a 404 that names the object, and an answer of a live service about
   * something else.
   */
  look<K extends OperationId>(
    id: K,
    input: CallInput,
    how?: { readonly mustExist: boolean },
  ): Promise<ApiRecord<ProvenOf<K>> | undefined>;
  /** The pages of a list; the next one is requested while the current one is being consumed. */
  pages(called: ListId | AnyRequest, input: CallInput, walk: Walk): AsyncIterable<ApiPage<ListRecord>>;
  /** The checks of `call`; returns the part to be stored before it is sent. Uses no network. */
  check(called: Called, input: CallInput): Checked;
  /** The request that `call` would send, after the same checks. */
  preview(called: Called, input: CallInput): Preview;
  /** The operation of the table that matches a request, with the parameters in its path. */
  match(request: AnyRequest): ReturnType<typeof operationOf>;
  /** Maximum duration of one write, and of one of its attempts, in milliseconds. */
  readonly longestWrite: number;
  readonly longestAttempt: number;
  /** The same client for the requests of one row of a file. */
  paced(pace: RequestPace): Client;
  readonly pace?: RequestPace | undefined;
  close(): Promise<void>;
}

export interface ClientOptions extends Omit<SendContext, 'requestedPause' | 'pace'> {
  readonly transport: Transport;
  /** False: the service does the checks (--no-validate). */
  readonly validate: boolean;
  /** Holds a record for the next request: a read of the same takes it and sends nothing. Any request forgets it. */
  readonly state?: { known?: ApiRecord };
}

/** True for a query that any list accepts. It needs no schema: loading one takes longer than a list. */
const isPlainQuery = (query: CallInput['query'] = {}): boolean =>
  Object.entries(query).every(
    ([name, value]) => name === 'cursor' || (name === 'limit' && limitFault(String(value)) === undefined),
  );

/** Checks the body in its JSON form: some values only become JSON when they are printed. */
const checkRules = (operation: Operation, body: string | undefined, input: CallInput, here: number): void => {
  const json: unknown = body === undefined ? undefined : JSON.parse(body);
  const sent =
    body === undefined
      ? undefined
      : operation
          .body?.(input.now ?? here, `${input.now === undefined ? "this machine's" : "the service's"} clock`)
          .safeParse(json);
  const asked = isPlainQuery(input.query) ? undefined : operation.query?.().safeParse(input.query);
  const broken = [sent, asked].flatMap((result) => (result?.success === false ? breaches(result.error) : []));
  const spoilt = spoiltIn(input.typed ?? json);
  // The cause of a damaged value is more helpful than the rule that it breaks.
  const causes = new Set(spoilt.map(({ propertyPath }) => propertyPath));
  const others = broken.filter(({ propertyPath }) => !causes.has(propertyPath));
  const violations = [...spoilt, ...others];
  if (violations.length === 0) return;
  const why = others.length > 0 ? 'the service would refuse this' : 'a value is probably a mistake';
  throw usageError(`${why}, so nothing was sent`, { violations, hint: 'fix the value, then run the command again' });
};

/** The object of a read; undefined for a list, and for a write. */
const subjectOf = ({ safety, params }: Operation, input: CallInput): Subject | undefined => {
  const last = Object.entries(params).at(-1);
  if (safety !== 'safe' || last === undefined) return undefined;
  const [name, prefix] = last;
  if (prefix === 'text') return undefined;
  return { prefix, uid: input.params?.[name] ?? '' };
};

const exchangeOf = (options: ClientOptions, called: Called, input: CallInput): Exchange => {
  const operation: Operation = typeof called === 'string' ? operations[called] : anyOperation(called);
  for (const name of Object.keys(operation.params)) {
    const value = input.params?.[name] ?? '';
    if (isUnsafeSegment(value)) throw usageError(`"${value}" can't be used as ${name}`);
  }
  const body = operation.body === undefined ? undefined : printExact(input.body ?? {});
  if (options.validate) checkRules(operation, body, input, options.clock.now());
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {}))
    for (const one of [value].flat()) asked.append(name, one);
  const query = asked.toString();
  const { params = {}, headers, onHead } = input;
  const path = filledPath(operation, params) + (query === '' ? '' : `?${query}`);
  const subject = subjectOf(operation, input);
  const { keyHint } = options;
  return { operation, path, body, params, headers, onHead, keyHint, ...(subject === undefined ? {} : { subject }) };
};

/** The note on an answer that lacks something, and on another object in the answer to a write. */
const noteOn = ({ operation, params }: Exchange, received: Pick<ApiRecord, 'value' | 'note'>): string | undefined => {
  if (received.note !== undefined) return received.note;
  const { uid: prefix } = operation.params;
  if (operation.safety === 'safe' || prefix === undefined || prefix === 'text') return undefined;
  return otherObjectFault({ prefix, uid: params['uid'] ?? '' }, received.value);
};

/** Says each note once. */
const openNotes = ({ notice }: ClientOptions) => {
  const said = new Set<string>();
  return (...answered: Parameters<typeof noteOn>): void => {
    const note = noteOn(...answered);
    if (note === undefined || said.has(note)) return;
    said.add(note);
    notice(`note: ${note}`);
  };
};

/** Statuses of a service that lacks a read, such as one for charges alone. It is usable all the same. */
const NO_SUCH_READ: readonly (number | undefined)[] = [404, 405, 501];

/** A client over one transport, which holds the one origin and the key. */
export const createClient = (given: ClientOptions): Client => {
  const options = { ...given, requestedPause: openRequestedPause(given.clock) };
  return pacedClient({ ...options, onLateStop: noticeFinishing(options) }, openNotes(options));
};

const pacedClient = (
  options: ClientOptions & Parameters<typeof sendWrite>[0],
  note: ReturnType<typeof openNotes>,
): Client => {
  const exchangeFor = async (called: Called, input: CallInput): Promise<Exchange> => {
    delete options.state?.known;
    const method = typeof called === 'string' ? operations[called].method : called.method;
    if (method !== 'GET' || !isPlainQuery(input.query)) await loadSchemas();
    return exchangeOf(options, called, input);
  };
  const writeBy = async (exchange: Exchange, input: CallInput): Promise<Outcome> => {
    const outcome = await sendWrite(options, options.transport, exchange, input);
    options.pace?.answered?.(outcome);
    if (outcome.certain === 'accepted') note(exchange, outcome.record);
    return outcome;
  };
  const call = async <K extends Called>(called: K, input: CallInput, signal?: AbortSignal) => {
    const known = options.state?.known;
    const exchange = await exchangeFor(called, input);
    if (exchange.operation.safety !== 'safe') {
      const outcome = await writeBy(exchange, input);
      if (outcome.certain !== 'accepted') throw outcome.error;
      return outcome.record as ApiRecord<Proven<K>>;
    }
    if (known !== undefined && textAt(known.value, 'uid') === input.params?.['uid'])
      return known as ApiRecord<Proven<K>>;
    const received = await sendRead(options, options.transport, exchange, signal);
    note(exchange, received);
    return received as ApiRecord<Proven<K>>;
  };
  return {
    call,
    write: async (called, input) => {
      try {
        return await writeBy(await exchangeFor(called, input), input);
      } catch (thrown) {
        if (thrown instanceof PayError) return failedBy(thrown);
        throw thrown;
      }
    },
    look: async <K extends OperationId>(id: K, input: CallInput, { mustExist } = { mustExist: false }) => {
      try {
        return (await call(id, input)) as ApiRecord<ProvenOf<K>>;
      } catch (thrown) {
        if (!(thrown instanceof PayError) || (mustExist && thrown.detail.isMissing === true)) throw thrown;
        const isStub = thrown.detail.isOther === true && !(mustExist && isGuarded(options.origin));
        if (isStub || NO_SUCH_READ.includes(thrown.detail.status)) return undefined;
        throw thrown;
      }
    },
    pages: (called, input, walk) =>
      walkPages<ListRecord>(async (cursor, signal) => {
        const query = { ...input.query, ...(cursor === undefined ? {} : { cursor }) };
        const exchange = await exchangeFor(called, { ...input, query });
        const page = (await sendRead(options, options.transport, exchange, signal)) as JsonBody;
        const { data, next_cursor: nextCursor } = page.envelope as ResourcePage;
        const open = (): ApiPage<ListRecord> => {
          note(exchange, page);
          return { records: page.records(), cursor, nextCursor };
        };
        return { count: data.length, nextCursor, open };
      }, walk),
    check: (called, input) => {
      const { operation, path, body } = exchangeOf(options, called, input);
      return { path, body, effect: operation.effect ?? ANY_WRITE };
    },
    match: operationOf,
    preview: (called, input) => {
      const { operation, path, body, headers } = exchangeOf(options, called, input);
      const preview = { method: operation.method, url: `${options.origin}${path}`, ...(headers && { headers }) };
      return body === undefined ? preview : { ...preview, body: input.body ?? {} };
    },
    longestWrite: longestWrite(options.timeout),
    longestAttempt: options.timeout,
    paced: (pace) => pacedClient({ ...options, pace }, note),
    pace: options.pace,
    close: () => options.transport.close(),
  };
};
