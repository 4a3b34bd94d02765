import { createHash } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 16;

/**
 * The name of a job, from all that shapes what is sent: the same again is the same job (charge-protocol, Bulk). `parts` are
 * texts whose borders count.
 */
export const jobId = (parts: readonly string[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  const letters = [...hash.digest().subarray(0, LENGTH)].map((byte) => ALPHABET.charAt(byte & 31));
  return `job-${letters.join('')}`;
};
