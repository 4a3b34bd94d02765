import { encode } from 'uqr';

/** Light modules around the code; scanners rely on these four. */
const QUIET_ZONE = 4;

/** The modules of a QR code, row by row, true for a dark one. */
export type Modules = readonly (readonly boolean[])[];

export const modulesOf = (link: string): Modules => encode(link, { ecc: 'L', border: QUIET_ZONE }).data;
