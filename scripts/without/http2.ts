/** What undici puts in node:http2's place where there is none: paycli speaks HTTP/1.1 only. */
export const constants = {};
