import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signatureOf } from '../../src/core/webhook-event.ts';
import { headerPairs, passedOn, type Secrets, verifiedDelivery } from '../../src/webhook/event.ts';
import { bodyOf, ugwoOf, uidOf } from '../support/webhooks.ts';

const ONE: Secrets = { all: ['wsk.one'], sandbox: [] };
const BOTH: Secrets = { all: ['wsk.one', 'wsk.new'], sandbox: ['wsk.sandbox'] };

const read = (secrets: Secrets, text: string | Uint8Array, secret = 'wsk.one', name = 'X-Kwugwo-Signature') => {
  const body = Buffer.from(text);
  return verifiedDelivery(secrets, { body, headers: [[name, signatureOf(secret, body)]], receivedAt: 1 });
};

describe('a delivery', () => {
  it('is accepted with any of the secrets, and with headers in any case', () => {
    for (const secret of ['wsk.one', 'wsk.new']) {
      expect(read(BOTH, bodyOf(1), secret, 'x-KWUGWO-signature')).toMatchObject({
        delivery: { uid: uidOf(1), ugwo: ugwoOf(1), receivedAt: 1 },
      });
    }
  });

  it('is accepted with the hex digits of its signature in upper case', () => {
    const body = Buffer.from(bodyOf(1));
    const headers = [['X-Kwugwo-Signature', signatureOf('wsk.one', body).toUpperCase()]] as const;
    expect(verifiedDelivery(ONE, { body, headers, receivedAt: 1 })).toMatchObject({ delivery: { uid: uidOf(1) } });
  });

  it.each([
    [ONE, bodyOf(1), 'wsk.other', 'wrong signature'],
    [ONE, bodyOf(1), 'wsk.sandbox', 'wrong signature'],
    [BOTH, bodyOf(1), 'wsk.sandbox', "signed with the sandbox's secret, and no event of the sandbox"],
    [BOTH, bodyOf(1, { sandbox: true }), 'wsk.one', 'an event of the sandbox, signed with another secret'],
    [BOTH, 'no json', 'wsk.sandbox', "signed with the sandbox's secret, and no event of the sandbox"],
  ])('is rejected with a wrong secret', (secrets, body, secret, problem) => {
    expect(read(secrets, body, secret)).toMatchObject({ problem });
  });

  it.each([
    [ONE, 'wsk.one'],
    [BOTH, 'wsk.sandbox'],
  ])('of the sandbox is accepted with its own secret, or with the only one', (secrets, secret) => {
    expect(read(secrets, bodyOf(1, { sandbox: true }), secret)).toMatchObject({ delivery: { uid: uidOf(1, true) } });
  });

  it.each(['', 'null', '[]', '{"uid":7}x', '\ud800', '{"uid":{}}', `{"uid":"${'u'.repeat(300)}"}`, '['.repeat(5000)])(
    'without a valid uid is identified by the digest of its body: %#',
    (body) => {
      const first = read(ONE, body);
      expect(first).toMatchObject({ delivery: { uid: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) } });
      expect(read(ONE, `${body} `)).not.toMatchObject({
        delivery: { uid: (first as { delivery: { uid: string } }).delivery.uid },
      });
    },
  );

  it('has a limited event name and uid', () => {
    const text = JSON.stringify({ uid: uidOf(1), event: 'e'.repeat(5000), data: { uid: `ugw.${'u'.repeat(5000)}` } });
    expect(read(ONE, text)).toMatchObject({ delivery: { event: 'e'.repeat(100), ugwo: undefined } });
    const uid = 'u'.repeat(256);
    expect(read(ONE, JSON.stringify({ uid }))).toMatchObject({ delivery: { uid } });
    expect(read(ONE, JSON.stringify({ uid: `${uid}u` }))).toMatchObject({
      delivery: { uid: expect.stringMatching(/^sha256:/) },
    });
  });

  it('is never taken for other bytes than those that were signed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.uint8Array({ maxLength: 60 }), (body, other) => {
        const headers = [['x-kwugwo-signature', signatureOf('wsk.one', body)]] as const;
        const isSame = Buffer.from(body).equals(Buffer.from(other));
        expect('problem' in verifiedDelivery(ONE, { body: other, headers, receivedAt: 0 })).toBe(!isSame);
      }),
    );
  });
});

describe('forwarded headers', () => {
  it('keep their order and spelling, without hop-by-hop headers', () => {
    const raw = [
      ...['Host', 'x', 'X-One', '1', 'Connection', 'Keep-Alive, X-Two', 'x-two', '2', 'Transfer-Encoding', 'chunked'],
      ...[
        'Set-Cookie',
        'a',
        'set-cookie',
        'b',
        'TE',
        'x',
        'Content-Length',
        '9',
        'Upgrade',
        'h2c',
        'Expect',
        '100-continue',
      ],
      ...['Keep-Alive', 'Proxy-Authenticate', 'Proxy-Authorization', 'Proxy-Connection', 'Trailer'].flatMap((name) => [
        name,
        'x',
      ]),
    ];
    expect(passedOn(headerPairs(raw))).toEqual([
      ['X-One', '1'],
      ['Set-Cookie', 'a'],
      ['set-cookie', 'b'],
    ]);
  });
});
