import type { Ugwo } from '../contract/ugwo.ts';
import { machineValue } from '../core/medium.ts';

/** Where the money of a payment request is in already (public material). */
const PAID = ['ugwo_successful', 'partially_refunded', 'refunded'];

/** The customer has paid it, whatever was given back since. */
export const isPaid = ({ status }: Pick<Ugwo, 'status'>): boolean => PAID.includes(machineValue(status ?? ''));
