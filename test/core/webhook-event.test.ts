import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EVENTS, isSignedBy, isWanted, readEvent, signatureOf } from '../../src/core/webhook-event.ts';

const UGWO = 'ugw.VCvr.7K2qPmRtV9xLnQ8sD1cYwHfE';
const ACTIVITY = 'act.VCvr.7K2qPmRtV9xLnQ8sD1cYwHfE';

describe('readEvent', () => {
  it.each([
    ['a payment request', { uid: UGWO }, UGWO, undefined],
    ['an activity with ugwo_uid', { uid: ACTIVITY, ugwo_uid: UGWO }, UGWO, ACTIVITY],
    ['an activity with an object', { uid: ACTIVITY, ugwo: { uid: UGWO } }, UGWO, ACTIVITY],
    ['an activity with a string', { uid: ACTIVITY, ugwo: UGWO }, UGWO, ACTIVITY],
    ['a refund', { uid: 'rfd.a.b', ugwo: { uid: UGWO }, ugwo_activity: { uid: ACTIVITY } }, UGWO, ACTIVITY],
    ["an empty object in PHP's notation", [], undefined, undefined],
    ['a customer', { uid: 'ony.a.b' }, undefined, undefined],
  ])('reads %s', (_, data, ugwo, activity) => {
    expect(readEvent({ uid: 'evt.a.b', event: 'any', data })).toEqual({
      uid: 'evt.a.b',
      event: 'any',
      data,
      ugwo,
      activity,
    });
  });

  it('accepts any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        expect(typeof readEvent(body).event).toBe('string');
      }),
    );
  });

  it('reads a name written as a pair', () => {
    expect(readEvent({ event: ['ugwo.successful', 'label'] }).event).toBe('ugwo.successful');
  });
});

describe('isWanted', () => {
  it.each([
    ['ugwo.activity.updated', ['ugwo.activity.*'], true],
    ['ugwo.successful', ['ugwo.activity.*'], false],
    ['ugwo.successful', ['refund.*', 'ugwo.successful'], true],
    ['ugwoXsuccessful', ['ugwo.successful'], false],
    ['', ['*'], true],
    ['ugwo.activity.next_action.expired', ['ugwo.*'], true],
  ])('%s for %j: %s', (event, wanted, is) => {
    expect(isWanted(event, wanted)).toBe(is);
  });

  it('matches every known event by its own name only', () => {
    for (const event of EVENTS) expect(EVENTS.filter((other) => isWanted(other, [event]))).toEqual([event]);
  });
});

/** Created with PHP's hash_hmac. */
const VECTOR = {
  secret: 'wsk.test-secret',
  body: '{"uid":"evt.VCvr.7K2qPmRtV9xLnQ8sD1cYwHfE","event":"ugwo.successful","data":{"uid":"ugw.VCvr.7K2qPmRtV9xLnQ8sD1cYwHfE","status":["ugwo_successful","enum.ugwo_status.ugwo_successful"]}}',
  signature: 'a23609f4932fa46a927a6f56fca91380109e431ca725d77d3c63d90a0484255e',
};

describe('the signature of a delivery', () => {
  it('is the hex HMAC-SHA256 of the raw body', () => {
    expect(signatureOf(VECTOR.secret, Buffer.from(VECTOR.body))).toBe(VECTOR.signature);
  });

  it('is accepted with any current secret', () => {
    const body = Buffer.from(VECTOR.body);
    expect(isSignedBy(['wsk.new', VECTOR.secret], body, VECTOR.signature)).toBe(true);
    expect(isSignedBy(['wsk.new', 'wsk.other'], body, VECTOR.signature)).toBe(false);
    expect(isSignedBy([], body, VECTOR.signature)).toBe(false);
  });

  it('is rejected for other text or other bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.string(), fc.nat(199), (body, text, at) => {
        const signature = signatureOf('wsk.a', body);
        expect(isSignedBy(['wsk.a'], body, signature)).toBe(true);
        if (text !== signature) expect(isSignedBy(['wsk.a'], body, text)).toBe(false);
        const changed = Uint8Array.from(body);
        if (at >= changed.length) return;
        changed[at] = (changed[at] ?? 0) ^ 1;
        expect(isSignedBy(['wsk.a'], changed, signature)).toBe(false);
      }),
    );
  });
});
