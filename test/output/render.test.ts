import { describe, expect, it } from 'vitest';
import { PayError } from '../../src/core/error.ts';
import { render } from '../../src/output/render.ts';
import { options, pipe, recordOf, terminal, ugwoView } from './support.ts';

describe('a text', () => {
  it('is unchanged in a pipe and escaped on a terminal', async () => {
    const text = 'a\n\tb\u202e\u001b';
    const [piped, shown] = [pipe(), terminal()];
    await render({ kind: 'text', text }, piped, options());
    await render({ kind: 'text', text }, shown, options());
    expect(piped.stdout.text).toBe(`${text}\n`);
    expect(shown.stdout.text).toBe('a\n\tb\\u202e\\x1b\n');
  });
});

describe('a record', () => {
  it('is printed even with a failure, which the caller handles', async () => {
    const io = pipe();
    const failure = new PayError('charge_failed', 'the charge failed');
    await render({ kind: 'record', record: recordOf({ a: 1 }), view: ugwoView, failure }, io, options());
    expect([io.stdout.text, io.stderr.text]).toEqual(['{"a":1}\n', '']);
  });

  it('is not written to a closed pipe', async () => {
    const io = pipe();
    io.stdout.closed = true;
    await render({ kind: 'record', record: recordOf({ a: 1 }), view: ugwoView }, io, options());
    expect(io.stdout.writes).toEqual([]);
  });
});

describe('a service', () => {
  it('is printed at once, then awaited', async () => {
    const io = pipe();
    let stop = (): void => undefined;
    const done = new Promise<void>((resolve) => {
      stop = resolve;
    });
    let ended = false;
    const rendered = render({ kind: 'service', record: recordOf({ a: 1 }), view: ugwoView, done }, io, options()).then(
      () => {
        ended = true;
      },
    );
    await expect.poll(() => io.stdout.text).toBe('{"a":1}\n');
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toBe(false);
    stop();
    await rendered;
    expect(ended).toBe(true);
  });

  it('rejects if it fails', async () => {
    const done = Promise.reject(new Error('port lost'));
    const result = { kind: 'service', record: recordOf({ a: 1 }), view: ugwoView, done } as const;
    await expect(render(result, pipe(), options())).rejects.toThrow('port lost');
  });
});
