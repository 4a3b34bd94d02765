import { channel } from 'node:diagnostics_channel';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { newSentDetector, provenNotSent, type SentDetector, withSentDetector } from '../../src/client/connection.ts';

const [made, handedOver] = [channel('undici:request:create'), channel('undici:client:sendHeaders')];
const request = (method = 'POST', path = '/v1/a') => ({ method, path });
const tell = (which: typeof made, about: object): void => which.publish({ request: about });
const marked = (...requests: readonly object[]): SentDetector => {
  const mark = newSentDetector('POST', '/v1/a');
  withSentDetector(mark, () => {
    for (const one of requests) tell(made, one);
  });
  return mark;
};

describe('that a request was not sent', () => {
  it('is proven where it was seen being made and never handed over', () => {
    const own = request();
    const mark = marked(own);
    expect(mark).toEqual({ method: 'POST', path: '/v1/a', traced: true, handedOver: false });
    expect(provenNotSent(mark)).toBe(true);
    tell(handedOver, own);
    expect(mark.handedOver).toBe(true);
    expect(provenNotSent(mark)).toBe(false);
  });

  it.each([
    ['nothing was made', []],
    ['only a tunnel was made', [request('CONNECT', '/v1/a')]],
    ['another path was asked for', [request('POST', '/v1/b')]],
  ])('is not proven where %s', (_what, requests) => {
    const mark = marked(...requests);
    expect(mark).toEqual({ method: 'POST', path: '/v1/a', traced: false, handedOver: false });
    expect(provenNotSent(mark)).toBe(false);
    for (const one of requests) tell(handedOver, one);
    expect(mark.handedOver).toBe(false);
  });

  it('is proven of each request for itself', () => {
    const [first, second] = [request(), request()];
    const marks = [marked(first), marked(second)];
    tell(handedOver, first);
    tell(handedOver, request());
    expect(marks.map(provenNotSent)).toEqual([false, true]);
  });

  it('is proven by no request that comes after the one that was marked', () => {
    const mark = marked();
    expect(() =>
      withSentDetector(mark, () => {
        throw new Error('no connection');
      }),
    ).toThrow('no connection');
    tell(made, request());
    expect(provenNotSent(mark)).toBe(false);
  });

  it('is asked of nothing that is made or handed over unmarked, and nothing breaks', async () => {
    const broken: unknown[] = [];
    const onBroken = (thrown: unknown): void => void broken.push(thrown);
    // What a subscriber throws comes up there, in a later turn.
    process.on('uncaughtExceptionMonitor', onBroken);
    tell(made, request());
    tell(handedOver, request());
    await turn();
    process.off('uncaughtExceptionMonitor', onBroken);
    expect(broken).toEqual([]);
  });

  it('gives back what was made', () => {
    expect(withSentDetector(newSentDetector('GET', '/'), () => 7)).toBe(7);
  });
});
