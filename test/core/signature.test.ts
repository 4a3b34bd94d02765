import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSignedBy, signatureOf } from '../../src/core/webhook-event.ts';

/** Made with PHP's own hash_hmac. */
const VECTOR = {
  secret: 'wsk.test-secret',
  body: '{"uid":"evt.VCvr.7K2qPmRtV9xLnQ8sD1cYwHfE","event":"ugwo.successful","data":{"uid":"ugw.VCvr.7K2qPmRtV9xLnQ8sD1cYwHfE","status":["ugwo_successful","enum.ugwo_status.ugwo_successful"]}}',
  signature: 'a23609f4932fa46a927a6f56fca91380109e431ca725d77d3c63d90a0484255e',
};

describe('the signature of a delivery', () => {
  it('is the hex HMAC-SHA256 of the raw body', () => {
    expect(signatureOf(VECTOR.secret, Buffer.from(VECTOR.body))).toBe(VECTOR.signature);
  });

  it('is known again with any of the secrets in use', () => {
    const body = Buffer.from(VECTOR.body);
    expect(isSignedBy(['wsk.new', VECTOR.secret], body, VECTOR.signature)).toBe(true);
    expect(isSignedBy(['wsk.new', 'wsk.other'], body, VECTOR.signature)).toBe(false);
    expect(isSignedBy([], body, VECTOR.signature)).toBe(false);
  });

  it('is no other text, whatever its length, and of no other bytes', () => {
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
