/** Identifiers derived from a number. */
const numbered =
  (prefix: string) =>
  (number: number): string =>
    `${prefix}.AbCd.${String(number).padStart(24, '0')}`;

export const ugwoOf = numbered('ugw');
/** An activity's identifier. */
export const uidOf = numbered('act');
export const onyeOf = numbered('ony');
