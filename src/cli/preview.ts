import { parseExact, printExact } from '../core/json.ts';
import type { Result } from '../core/result.ts';
import { type Clean, cleanedJson, cleanedUrl } from '../core/secret.ts';
import { asCurl } from '../core/shell.ts';

interface Request {
  readonly method: string;
  readonly url: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Renders the request that --dry-run or --as-curl shows instead of sending it. */
export const previewResult = (request: Request, curl: boolean, clean: Clean): Result => {
  const text = cleanedJson(printExact({ ...request, url: cleanedUrl(request.url, clean) }), clean);
  const value = parseExact(text) as Request;
  return curl
    ? { kind: 'text', text: asCurl(value) }
    : {
        kind: 'record',
        record: { value, text },
        view: { columns: [{ path: 'method' }, { path: 'url' }, { path: 'body' }] },
      };
};
