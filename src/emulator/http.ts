import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A request as it came. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query, as they came. */
  readonly target: string;
  /** Its path, split at each `/` and decoded once: the only form in which a path is compared. The first is empty. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  /** By name in lower case; the values of a header that came more than once are joined by commas. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The port that it came to. */
  readonly port: number;
  /** Whether it came to an address of this machine alone. */
  readonly isNear: boolean;
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Closes the connection without an answer; by `reset` the client hears of it at once. */
  readonly hangUp: (how?: 'reset') => void;
  readonly isGone: () => boolean;
}

/** Sends texts one by one, until it is done or the client has gone. */
export type StreamedAnswer = (write: (text: string) => Promise<void>, gone: AbortSignal) => Promise<void>;

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The connection is closed behind so many bytes of the text. */
  readonly cutAfter?: number;
  /** Takes the place of the text. */
  readonly sending?: StreamedAnswer;
}

/** Answers a request; undefined where the connection is closed without an answer. */
export type Answering = (asked: HttpRequest) => Promise<HttpAnswer | undefined>;

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

const urlOf = (target: string, host: string): URL => {
  if (!URL.canParse(`http://${host}`)) throw new Error('its `Host` is missing, or not the name of one host');
  if (target.split('?', 1)[0]?.includes('\\')) throw new Error('a backslash stands in its path');
  const url = target.startsWith('/') ? new URL(`http://127.0.0.1${target}`) : new URL(target);
  if (url.protocol !== 'http:') throw new Error('its address is none of this service');
  return url;
};

/** What is asked for. Throws where that can't be told. */
export const placeOf = (target: string, host: string): Pick<HttpRequest, 'target' | 'segments' | 'query'> => {
  const { pathname, searchParams } = urlOf(target, host);
  return { target, segments: pathname.split('/').map(decoded), query: searchParams };
};

/** Throws where the request can't be read. */
export const askedOf = (incoming: IncomingMessage): HttpRequest => {
  const { method = '', url: target = '', headersDistinct, socket } = incoming;
  const pairs = Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')]);
  const headers: HttpRequest['headers'] = Object.fromEntries(pairs);
  return {
    method,
    ...placeOf(target, headers['host'] ?? ''),
    headers,
    port: socket.localPort ?? 0,
    isNear: /^(?:(?:::ffff:)?127\.|::1$)/.test(socket.localAddress ?? '127.0.0.1'),
    // What is not read to its end is thrown away with the answer, which still goes out.
    body: incoming.iterator({ destroyOnReturn: false }),
    hangUp: (how) => (how === 'reset' ? socket.resetAndDestroy() : socket.destroy()),
    isGone: () => socket.destroyed,
  };
};

const sendAll = async (sending: StreamedAnswer, socket: Socket, outgoing: ServerResponse): Promise<void> => {
  const over = new AbortController();
  const gone = over.signal;
  for (const one of [socket, outgoing]) one.once('close', () => over.abort());
  outgoing.flushHeaders();
  // After the connection is closed, the callback of a write may never come.
  const write = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        gone.removeEventListener('abort', done);
        resolve();
      };
      if (gone.aborted) return done();
      gone.addEventListener('abort', done);
      outgoing.write(text, done);
    });
  await sending(write, gone);
  outgoing.end();
};

/** Puts an answer on the connection that its request came over, unless that is closed. */
export const send = async (answer: HttpAnswer | undefined, socket: Socket, outgoing: ServerResponse): Promise<void> => {
  if (answer === undefined || socket.destroyed) return;
  const { status, headers, text, cutAfter, sending } = answer;
  if (sending !== undefined) {
    outgoing.writeHead(status, headers);
    return sendAll(sending, socket, outgoing);
  }
  const bytes = Buffer.from(text);
  outgoing.writeHead(status, { ...headers, 'content-length': bytes.byteLength });
  if (cutAfter === undefined) return void outgoing.end(bytes);
  outgoing.flushHeaders();
  outgoing.write(bytes.subarray(0, cutAfter));
  socket.destroySoon();
};

type Params = Readonly<Record<string, string>>;

/** Answers one method of a path. A segment of it may end with `{name}`, which stands for any text. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly answer: (asked: HttpRequest, params: Params) => HttpAnswer | Promise<HttpAnswer>;
}

/** The route of a request with its parameters, or the methods that its path has instead. */
type RouteMatch = { readonly route: Route; readonly params: Params } | { readonly allow: readonly string[] };

const NAMED = /^(.*)\{(\w+)\}$/;

/** What stands where the pattern has names; undefined for a path of another shape. */
const paramsOf = (pattern: string, given: readonly string[]): Params | undefined => {
  const wanted = pattern.split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = Object.create(null);
  for (const [index, segment] of wanted.entries()) {
    const text = given[index] ?? '';
    const [, start = segment, name] = NAMED.exec(segment) ?? [];
    if (name === undefined ? text !== segment : text === start || !text.startsWith(start)) return undefined;
    if (name !== undefined) params[name] = text.slice(start.length);
  }
  return params;
};

/** HEAD asks what GET would answer; its text is never sent. */
const methodOf = ({ method }: HttpRequest): string => (method === 'HEAD' ? 'GET' : method);

/** Undefined where nothing has the path. */
export const routeFor = (routes: readonly Route[], asked: HttpRequest): RouteMatch | undefined => {
  const allow: string[] = [];
  for (const route of routes) {
    const params = paramsOf(route.path, asked.segments);
    if (params !== undefined && route.method === methodOf(asked)) return { route, params };
    if (params !== undefined) allow.push(route.method);
  }
  return allow.length === 0 ? undefined : { allow };
};
