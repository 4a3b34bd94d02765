import { isJsonObject, parseExact } from '../core/json.ts';
import { depthOf } from '../core/json-scan.ts';
import { decodeUtf8 } from '../core/utf8.ts';
import type { Asked } from './http.ts';
import { refusal } from './refusal.ts';

/** The largest request body, in bytes. */
const BODY_LIMIT = 1024 * 1024;
const DEPTH_LIMIT = 64;

const tooLarge = () =>
  refusal(413, `a body may hold at most ${BODY_LIMIT} bytes`, { headers: { connection: 'close' } });

/** The body of a request, byte for byte; a 413 for one that is too large. */
export const bytesOf = async ({ body }: Pick<Asked, 'body'>): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > BODY_LIMIT) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const isJson = (contentType: string | undefined): boolean =>
  contentType?.split(';')[0]?.trim().toLowerCase() === 'application/json';

const parse = (bytes: Uint8Array): unknown => {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw refusal(400, 'the body is not UTF-8');
  if (depthOf(text) > DEPTH_LIMIT) throw refusal(400, `the body is nested deeper than ${DEPTH_LIMIT} levels`);
  try {
    return parseExact(text);
  } catch {
    throw refusal(400, 'the body is not JSON');
  }
};

/**
 * The JSON object that a request carries (interface.md section 5); a 400 for any body that can't be read as one. `keep` is
 * handed its bytes, whatever they are.
 */
export const readBody = async (
  asked: Asked,
  keep?: (bytes: Uint8Array) => void,
): Promise<Readonly<Record<string, unknown>>> => {
  if (!isJson(asked.headers['content-type'])) {
    throw refusal(400, 'the body must be announced as `Content-Type: application/json`');
  }
  const bytes = await bytesOf(asked);
  keep?.(bytes);
  const value = parse(bytes);
  if (isJsonObject(value)) return value;
  throw refusal(400, 'the body is not a JSON object');
};
