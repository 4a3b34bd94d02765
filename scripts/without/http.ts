/** All that undici takes from node:http: a bound, which paycli sets itself, and a class, to know its messages by. */
export const maxHeaderSize = 16_384;
export class IncomingMessage {}
