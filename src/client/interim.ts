import type { Duplex } from 'node:stream';

/** What stands before an answer and is none (RFC 9110 section 15.2). 101 is no such thing: it changes the protocol. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/;
const BEGINNING = 'HTTP/1.1 100 '.length;
const HEAD_END = '\r\n\r\n';

/** The bytes without the interim heads that they begin with; undefined while more must come to know. */
const answerIn = (bytes: Buffer): Buffer | undefined => {
  let rest = bytes;
  for (;;) {
    const begins = rest.toString('latin1', 0, BEGINNING);
    if (begins.length < BEGINNING && 'HTTP/1.'.startsWith(begins.slice(0, 'HTTP/1.'.length))) return undefined;
    if (!INTERIM.test(begins)) return rest;
    const end = rest.indexOf(HEAD_END);
    if (end < 0) return undefined;
    rest = rest.subarray(end + HEAD_END.length);
  }
};

/**
 * Lets nothing through to who reads the socket before the answer itself: undici takes `100 Continue` for a fault of the
 * service and breaks the connection. `limit` bounds what is held back meanwhile, in bytes; beyond it all is let through.
 */
export const withoutInterim = <S extends Duplex>(socket: S, limit: number): S => {
  const read = socket.read.bind(socket);
  let held: Buffer | undefined = Buffer.alloc(0);
  socket.read = (size?: number) => {
    if (held === undefined || size !== undefined) return read(size);
    for (;;) {
      const chunk: Buffer | null = read();
      if (chunk === null) return null;
      held = Buffer.concat([held, chunk]);
      const answer: Buffer | undefined = answerIn(held) ?? (held.byteLength > limit ? held : undefined);
      if (answer === undefined) continue;
      held = undefined;
      return answer;
    }
  };
  return socket;
};
