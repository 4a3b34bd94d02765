import { asCurl } from '../core/curl.ts';
import { printExact } from '../core/json.ts';
import type { Result } from '../output/view.ts';

interface Request {
  readonly method: string;
  readonly url: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** The request that --dry-run or --as-curl shows in place of sending it. */
export const previewResult = (request: Request, curl: boolean): Result =>
  curl
    ? { kind: 'text', text: asCurl(request) }
    : {
        kind: 'record',
        record: { value: request, text: printExact(request) },
        view: { columns: [{ path: 'method' }, { path: 'url' }, { path: 'body' }] },
      };
