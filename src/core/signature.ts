import { createHmac, timingSafeEqual } from 'node:crypto';

/** How the service signs a delivery: hex HMAC-SHA256 of the raw body with the endpoint's secret (public material, webhooks). */
export const signatureOf = (secret: string, body: Uint8Array): string =>
  createHmac('sha256', secret).update(body).digest('hex');

/** Whether one of the secrets made this signature of these bytes; how long that takes says nothing of either. */
export const isSignedBy = (secrets: readonly string[], body: Uint8Array, signature: string): boolean => {
  const given = Buffer.from(signature, 'latin1');
  let signed = false;
  for (const secret of secrets) {
    const wanted = Buffer.from(signatureOf(secret, body), 'latin1');
    // Each secret is tried, whichever it was.
    if (given.length === wanted.length && timingSafeEqual(given, wanted)) signed = true;
  }
  return signed;
};
