/** Identifiers of the service, each of a number. */
const numbered =
  (prefix: string) =>
  (number: number): string =>
    `${prefix}.AbCd.${String(number).padStart(24, '0')}`;

export const ugwoOf = numbered('ugw');
/** Of an activity. */
export const uidOf = numbered('act');
export const onyeOf = numbered('ony');
