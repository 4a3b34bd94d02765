/** The sender: the client, or the server. */
export type Side = 'request' | 'answer';

/** One message of the protocol, version 3. */
export interface Message {
  readonly side: Side;
  /** Its name in PostgreSQL's documentation; `Bytes` if it is encrypted or unknown. */
  readonly name: string;
  /** Its content without type and length: for `CommandComplete` such as `COMMIT`, for `Query` the statement. */
  readonly text: string;
  readonly bytes: Buffer;
}

const REQUESTS: Readonly<Record<string, string>> = {
  B: 'Bind',
  C: 'Close',
  d: 'CopyData',
  D: 'Describe',
  E: 'Execute',
  H: 'Flush',
  P: 'Parse',
  p: 'Password',
  Q: 'Query',
  S: 'Sync',
  X: 'Terminate',
};

const ANSWERS: Readonly<Record<string, string>> = {
  R: 'Authentication',
  K: 'BackendKeyData',
  '2': 'BindComplete',
  '3': 'CloseComplete',
  C: 'CommandComplete',
  W: 'CopyBothResponse',
  d: 'CopyData',
  D: 'DataRow',
  I: 'EmptyQueryResponse',
  E: 'ErrorResponse',
  n: 'NoData',
  N: 'NoticeResponse',
  t: 'ParameterDescription',
  S: 'ParameterStatus',
  '1': 'ParseComplete',
  Z: 'ReadyForQuery',
  T: 'RowDescription',
};

const SSL_REQUEST = 80877103;
const CANCEL_REQUEST = 80877102;

const first = (bytes: Buffer): Message => {
  const code = bytes.readInt32BE(4);
  const name = { [SSL_REQUEST]: 'SSLRequest', [CANCEL_REQUEST]: 'CancelRequest' }[code] ?? 'Startup';
  return { side: 'request', name, text: bytes.toString('utf8', 8), bytes };
};

const typed = (side: Side, bytes: Buffer): Message => {
  const type = String.fromCharCode(bytes[0] as number);
  const name = (side === 'request' ? REQUESTS : ANSWERS)[type] ?? 'Bytes';
  return { side, name, text: bytes.toString('utf8', 5).replace(/\0$/, ''), bytes };
};

export interface Reader {
  /** The messages that are complete with these bytes. */
  read(side: Side, chunk: Buffer): Message[];
}

/**
 * What follows on a side: a message without a type, the one-byte answer to an SSLRequest, messages, or unreadable
 * bytes.
 */
type Next = 'untyped' | 'byte' | 'typed' | 'opaque';

/** Reads both sides of one connection. */
export const createReader = (): Reader => {
  const next: Record<Side, Next> = { request: 'untyped', answer: 'typed' };
  const rest: Record<Side, Buffer> = { request: Buffer.alloc(0), answer: Buffer.alloc(0) };
  /** The length of the next message; undefined while it is incomplete. */
  const lengthOf = (side: Side, bytes: Buffer): number | undefined => {
    const kind = next[side];
    if (bytes.length === 0) return undefined;
    if (kind === 'opaque') return bytes.length;
    if (kind === 'byte') return 1;
    const type = kind === 'typed' ? 1 : 0;
    if (bytes.length < type + 4) return undefined;
    const length = type + bytes.readInt32BE(type);
    return bytes.length < length ? undefined : length;
  };
  const take = (side: Side, bytes: Buffer): Message => {
    const kind = next[side];
    if (kind === 'opaque') return { side, name: 'Bytes', text: '', bytes };
    if (kind === 'byte') {
      // After a yes everything is encrypted; after a no the client continues unencrypted.
      const isSecure = bytes.toString('latin1') === 'S';
      [next.request, next.answer] = isSecure ? ['opaque', 'opaque'] : ['untyped', 'typed'];
      return { side, name: isSecure ? 'SSLYes' : 'SSLNo', text: '', bytes };
    }
    if (kind === 'typed') return typed(side, bytes);
    const message = first(bytes);
    if (message.name === 'SSLRequest') next.answer = 'byte';
    else next.request = 'typed';
    return message;
  };
  return {
    read: (side, chunk) => {
      rest[side] = Buffer.concat([rest[side], chunk]);
      const messages: Message[] = [];
      for (let length = lengthOf(side, rest[side]); length !== undefined; length = lengthOf(side, rest[side])) {
        messages.push(take(side, rest[side].subarray(0, length)));
        rest[side] = rest[side].subarray(length);
      }
      return messages;
    },
  };
};
