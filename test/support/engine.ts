/** A name with an escape in it. */
const ESCAPED_NAME = /\\.(?:[^"\\]|\\.)*"\s*:/s;

/**
 * Whether JSON.parse may give a member another name than was written: V8 takes a name with an escape for one that it has seen
 * before and that begins alike, `"\u0000"` for `"\\"` (nodejs/node#63785). Such names are compared with nothing here.
 */
export const mayBeRenamed = (text: string): boolean => ESCAPED_NAME.test(text);
