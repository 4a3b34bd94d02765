import dns from 'node:dns';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { checkTarget, post } from '../../src/webhook/post.ts';
import { deadOrigin } from '../support/service.ts';
import { serveTarget } from '../support/webhooks.ts';

afterEach(() => void vi.restoreAllMocks());

const NEVER = new AbortController().signal;
const BODY = Buffer.from('{}');

describe('what is forwarded', () => {
  it('goes to this machine for localhost, whatever a name server says', async () => {
    const target = await serveTarget();
    const asked = vi.spyOn(dns, 'lookup').mockImplementation(() => {
      throw new Error('a name server was asked');
    });
    const url = checkTarget(`http://localhost:${target.port}/x`, '--to', false);
    expect(await post(url, [['X-One', '1']], BODY, NEVER)).toMatchObject({ kind: 'answered', status: 200 });
    expect(asked).not.toHaveBeenCalled();
    expect(target.seen).toMatchObject([{ url: '/x', body: '{}', headers: { 'x-one': '1', 'content-length': '2' } }]);
  });

  it('is answered with a status and Retry-After, unreached, or left where all is to end', async () => {
    const target = await serveTarget(() => ({ status: 503, headers: { 'retry-after': '7' } }));
    const url = new URL(target.url);
    expect(await post(url, [], BODY, NEVER)).toEqual({ kind: 'answered', status: 503, retryAfter: '7' });
    expect(await post(url, [], BODY, AbortSignal.abort())).toEqual({ kind: 'left' });
    const nobody = new URL(await deadOrigin());
    expect(await post(nobody, [], BODY, NEVER)).toMatchObject({ kind: 'failed', reached: false });
  });
});
