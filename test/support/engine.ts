/** A name with an escape. */
const ESCAPED_NAME = /\\.(?:[^"\\]|\\.)*"\s*:/s;

/**
 * Whether JSON.parse may return a member with another name than was written: V8 confuses a name with an escape with
 * an earlier one that begins alike, such as `"\u0000"` with `"\\"` (nodejs/node#63785). Such names are not compared
 * here.
 */
export const mayBeRenamed = (text: string): boolean => ESCAPED_NAME.test(text);
