/** No dial string is longer; a QR code made of more would not fit a screen. */
const LONGEST = 64;

/** A tel: link of a dial string; undefined where it is none that a telephone would take. */
export const telLink = (code: string): string | undefined =>
  code.length <= LONGEST && /^[\d*#+]+$/.test(code) ? `tel:${encodeURIComponent(code)}` : undefined;
