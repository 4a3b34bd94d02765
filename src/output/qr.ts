import type { Surface } from './surface.ts';

/** Light modules around the code; scanners rely on these four. */
const QUIET_ZONE = 4;
/** No dial string is longer; a code made of more would not fit a screen. */
const LONGEST = 64;

/** Two modules in one character: a dark one is ink, a light one is paper. */
const halfBlock = (upper: boolean, lower: boolean): string => {
  if (upper) return lower ? '█' : '▀';
  return lower ? '▄' : ' ';
};

/** A tel: link of a dial string; undefined where it is none that a telephone would take. */
const telLink = (code: string): string | undefined =>
  code.length <= LONGEST && /^[\d*#+]+$/.test(code) ? `tel:${encodeURIComponent(code)}` : undefined;

/**
 * The lines of a QR code that makes a telephone dial `code`; none where it could not be scanned: without colour (its
 * polarity would be the terminal's), in a pipe, on a narrow or dumb terminal, or where half blocks can't be shown.
 */
export const dialQr = async (code: string, { styles: { paper, unicode }, width, env }: Surface): Promise<string[]> => {
  const link = telLink(code);
  const shows = Number.isFinite(width) && unicode && env['TERM'] !== 'dumb';
  if (link === undefined || paper === undefined || !shows) return [];
  const { encode } = await import('uqr');
  const { data, size } = encode(link, { ecc: 'L', border: QUIET_ZONE });
  if (size > width) return [];
  return Array.from({ length: Math.ceil(size / 2) }, (_, line) => {
    const [upper = [], lower = []] = [data[2 * line], data[2 * line + 1]];
    return paper(upper.map((dark, column) => halfBlock(dark, lower[column] ?? false)).join(''));
  });
};
