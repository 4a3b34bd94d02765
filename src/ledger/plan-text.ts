import { createCipheriv, createDecipheriv } from 'node:crypto';
import { attempt } from '../core/async.ts';
import type { Ledger } from './ledger.ts';

/**
 * Encryption of the text of a plan, which names the customer and the whole phone number to the person who approves it.
 * The ledger stores it in place of a file's name, and has the key: this keeps the text out of lists and copied rows, and
 * not from a reader of the whole ledger.
 */
const ALGORITHM = 'aes-256-gcm';
const CIPHER_TAG_BYTES = 16;
/** A key is used once. */
const ONCE = Buffer.alloc(12);

/** A digest in hex has the length of the key. */
const planKey = ({ digest }: Pick<Ledger, 'digest'>, plan: string): Buffer => Buffer.from(digest(`text of ${plan}`));

export const sealedText = (ledger: Pick<Ledger, 'digest'>, plan: string, text: string): string => {
  const cipher = createCipheriv(ALGORITHM, planKey(ledger, plan), ONCE);
  return Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64url');
};

/** The text; undefined once the ledger has deleted it. */
export const textOfPlan = (ledger: Pick<Ledger, 'digest'>, plan: string, sealed: string): string | undefined =>
  attempt(() => {
    const bytes = Buffer.from(sealed, 'base64url');
    const decipher = createDecipheriv(ALGORITHM, planKey(ledger, plan), ONCE, { authTagLength: CIPHER_TAG_BYTES });
    decipher.setAuthTag(bytes.subarray(-CIPHER_TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(0, -CIPHER_TAG_BYTES)), decipher.final()]).toString();
  });
