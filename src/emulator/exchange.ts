import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request as it came. */
export interface Asked {
  readonly method: string;
  /** Path and query, as they came. */
  readonly target: string;
  /** The same without `.` and `..`. */
  readonly url: URL;
  /** By name in lower case; a header that came more than once holds all of its values. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The port that it came to. */
  readonly port: number;
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Cuts the connection; with `reset` the client hears of it at once. */
  readonly cut: (how?: 'reset') => void;
  readonly isCut: () => boolean;
}

/** Sends texts one by one, until it is done or the client has gone. */
export type Sending = (write: (text: string) => Promise<void>, gone: AbortSignal) => Promise<void>;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The connection is cut behind so many bytes of the text. */
  readonly cutAfter?: number;
  /** Takes the place of the text. */
  readonly sending?: Sending;
}

/** Answers a request; undefined where the connection is cut without an answer. */
export type Answering = (asked: Asked) => Promise<Answer | undefined>;

const urlOf = (target: string, host: string): URL => {
  if (!URL.canParse(`http://${host}`)) throw new Error('Host is missing, or names no host');
  if (target.includes('\\')) throw new Error('a backslash stands in its path');
  return target.startsWith('/') ? new URL(`http://127.0.0.1${target}`) : new URL(target);
};

/** Throws where the address can't be read. */
export const askedOf = (incoming: IncomingMessage): Asked => {
  const { method = '', url: target = '', headersDistinct, socket } = incoming;
  const pairs = Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')]);
  const headers: Asked['headers'] = Object.fromEntries(pairs);
  return {
    method,
    target,
    url: urlOf(target, headers['host'] ?? ''),
    headers,
    port: socket.localPort ?? 0,
    // What is not read to its end is thrown away with the answer, which still goes out.
    body: incoming.iterator({ destroyOnReturn: false }),
    cut: (how) => (how === 'reset' ? socket.resetAndDestroy() : socket.destroy()),
    isCut: () => socket.destroyed,
  };
};

const sendAll = async (sending: Sending, outgoing: ServerResponse): Promise<void> => {
  const gone = new AbortController();
  outgoing.on('close', () => gone.abort());
  outgoing.flushHeaders();
  const write = (text: string): Promise<void> =>
    new Promise((resolve) => {
      outgoing.write(text, () => resolve());
    });
  await sending(write, gone.signal);
  outgoing.end();
};

/** Puts an answer on its connection, unless that is cut. */
export const send = async (answer: Answer | undefined, outgoing: ServerResponse): Promise<void> => {
  if (answer === undefined || outgoing.destroyed || outgoing.socket?.destroyed !== false) return;
  const { status, headers, text, cutAfter, sending } = answer;
  if (sending !== undefined) {
    outgoing.writeHead(status, headers);
    return sendAll(sending, outgoing);
  }
  const bytes = Buffer.from(text);
  outgoing.writeHead(status, { ...headers, 'content-length': bytes.byteLength });
  if (cutAfter === undefined) return void outgoing.end(bytes);
  outgoing.flushHeaders();
  outgoing.write(bytes.subarray(0, cutAfter));
  outgoing.socket?.destroySoon();
};
