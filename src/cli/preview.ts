import type { Io } from '../core/io.ts';
import { parseExact, printExact } from '../core/json.ts';
import type { Result } from '../core/result.ts';
import { cleanedJson, cleanedUrl } from '../core/secret.ts';
import { asCurl, type CurlRequest } from '../core/shell.ts';
import type { Globals } from './globals.ts';

interface PreviewRun {
  readonly io: Pick<Io, 'redactor'>;
  readonly globals: Pick<Globals, 'asCurl'>;
}

/** Renders the request that --dry-run or --as-curl shows instead of sending it. */
export const previewResult = (request: CurlRequest, { io, globals }: PreviewRun): Result => {
  const clean = (text: string): string => io.redactor.clean(text);
  const text = cleanedJson(printExact({ ...request, url: cleanedUrl(request.url, clean) }), clean);
  const value = parseExact(text) as CurlRequest;
  return globals.asCurl
    ? { kind: 'text', text: asCurl(value) }
    : {
        kind: 'record',
        record: { value, text },
        view: { columns: [{ path: 'method' }, { path: 'url' }, { path: 'headers' }, { path: 'body' }] },
      };
};
