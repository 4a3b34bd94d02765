import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface HttpRequest {
  readonly method: string;
  /** Path and query, as received. */
  readonly target: string;
  /**
   * The path, split at each `/` and decoded once: the only form in which a path is compared. The first segment is
   * empty.
   */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  /** By name in lower case; the values of a repeated header are joined by commas. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly port: number;
  /** True if it arrived at a loopback address. */
  readonly viaLoopback: boolean;
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Closes the connection without an answer; with `reset`, the client notices at once. */
  readonly hangUp: (how?: 'reset') => void;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Closes the connection after this many bytes of the text. */
  readonly cutAfter?: number;
}

/** Answers a request; undefined to close the connection without an answer. */
export type Answering = (asked: HttpRequest) => Promise<HttpAnswer | undefined>;

const decodedSegment = (segment: string): string => {
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

/** Parses the path and query of a request. Throws if they are invalid. */
const parseTarget = (target: string, host: string): Pick<HttpRequest, 'target' | 'segments' | 'query'> => {
  const { pathname, searchParams } = urlOf(target, host);
  return { target, segments: pathname.split('/').map(decodedSegment), query: searchParams };
};

/** Converts Node's request. Throws if the request can't be read. */
export const readHttpRequest = (incoming: IncomingMessage): HttpRequest => {
  const { method = '', url: target = '', headersDistinct, socket } = incoming;
  const pairs = Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')]);
  const headers: HttpRequest['headers'] = Object.fromEntries(pairs);
  return {
    method,
    ...parseTarget(target, headers['host'] ?? ''),
    headers,
    port: socket.localPort ?? 0,
    viaLoopback: /^(?:(?:::ffff:)?127\.|::1$)/.test(socket.localAddress ?? '127.0.0.1'),
    // Discards an unread rest of the body with the answer, which is still sent.
    body: incoming.iterator({ destroyOnReturn: false }),
    hangUp: (how) => (how === 'reset' ? socket.resetAndDestroy() : socket.destroy()),
  };
};

/** Sends an answer on the connection of its request, unless that is closed. */
export const sendAnswer = (answer: HttpAnswer | undefined, socket: Socket, outgoing: ServerResponse): void => {
  if (answer === undefined || socket.destroyed) return;
  const { status, headers, text, cutAfter } = answer;
  const bytes = Buffer.from(text);
  outgoing.writeHead(status, { ...headers, 'content-length': bytes.byteLength });
  if (cutAfter === undefined) return void outgoing.end(bytes);
  outgoing.flushHeaders();
  outgoing.write(bytes.subarray(0, cutAfter));
  socket.destroySoon();
};

type Params = Readonly<Record<string, string>>;

/** Answers one method of a path. A segment of the path may end with `{name}`, which stands for any text. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly answer: (asked: HttpRequest, params: Params) => HttpAnswer | Promise<HttpAnswer>;
}

/** The route of a request with its parameters, or the methods allowed for its path. */
type RouteMatch = { readonly route: Route; readonly params: Params } | { readonly allow: readonly string[] };

/** Extracts the values of named segments; undefined if the path doesn't match. */
const paramsOf = (pattern: string, given: readonly string[]): Params | undefined => {
  const wanted = pattern.split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = Object.create(null);
  for (const [index, segment] of wanted.entries()) {
    const text = given[index] ?? '';
    const [, start = segment, name] = /^(.*)\{(\w+)\}$/.exec(segment) ?? [];
    if (name === undefined ? text !== segment : text === start || !text.startsWith(start)) return undefined;
    if (name !== undefined) params[name] = text.slice(start.length);
  }
  return params;
};

/** HEAD is answered like GET; the text is never sent. */
const methodOf = ({ method }: HttpRequest): string => (method === 'HEAD' ? 'GET' : method);

/** Finds the route of a request; undefined if no route has its path. */
export const routeFor = (routes: readonly Route[], asked: HttpRequest): RouteMatch | undefined => {
  const allow: string[] = [];
  for (const route of routes) {
    const params = paramsOf(route.path, asked.segments);
    if (params !== undefined && route.method === methodOf(asked)) return { route, params };
    if (params !== undefined) allow.push(route.method);
  }
  return allow.length === 0 ? undefined : { allow };
};
