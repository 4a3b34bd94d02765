import { parseExact, printExact } from '../core/json.ts';
import type { Result } from '../core/result.ts';
import { type Clean, cleanedJson, cleanedUrl } from '../core/secret.ts';
import { asCurl, type CurlRequest } from '../core/shell.ts';

/** Renders the request that --dry-run or --as-curl shows instead of sending it. */
export const previewResult = (request: CurlRequest, curl: boolean, clean: Clean): Result => {
  const text = cleanedJson(printExact({ ...request, url: cleanedUrl(request.url, clean) }), clean);
  const value = parseExact(text) as CurlRequest;
  return curl
    ? { kind: 'text', text: asCurl(value) }
    : {
        kind: 'record',
        record: { value, text },
        view: { columns: [{ path: 'method' }, { path: 'url' }, { path: 'headers' }, { path: 'body' }] },
      };
};
