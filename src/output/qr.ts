import type { Surface } from './surface.ts';
import { wrap } from './width.ts';

/** Light modules around the code; scanners rely on these four. */
const QUIET_ZONE = 4;
/** No dial string is longer; a code made of more would not fit a screen. */
const LONGEST = 64;

type Modules = readonly (readonly boolean[])[];

/** Two modules in one character: a dark one is ink, a light one is paper. */
const halfBlock = (upper: boolean, lower: boolean): string => {
  if (upper) return lower ? '█' : '▀';
  return lower ? '▄' : ' ';
};

const inHalfBlocks = (modules: Modules): string[] =>
  Array.from({ length: Math.ceil(modules.length / 2) }, (_, line) => {
    const [upper = [], lower = []] = [modules[2 * line], modules[2 * line + 1]];
    return upper.map((dark, column) => halfBlock(dark, lower[column] ?? false)).join('');
  });

/** A module is two characters wide: about as wide as a line is high. */
const inAscii = (modules: Modules): string[] =>
  modules.map((line) => line.map((dark) => (dark ? '##' : '  ')).join(''));

/** A tel: link of a dial string; undefined where it is none that a telephone would take. */
const telLink = (code: string): string | undefined =>
  code.length <= LONGEST && /^[\d*#+]+$/.test(code) ? `tel:${encodeURIComponent(code)}` : undefined;

/** Why no code is drawn though one could be wanted; undefined where one is. */
const hindrance = ({ styles: { paper, unicode }, width, env }: Surface): 'silent' | 'locale' | undefined => {
  // Without colour its polarity would be the terminal's own.
  if (paper === undefined || !Number.isFinite(width) || env['TERM'] === 'dumb') return 'silent';
  return unicode ? undefined : 'locale';
};

const NOT_IN_LOCALE = 'No QR code: this locale shows ASCII only. --qr draws one with #.';

/**
 * The lines of a QR code that makes a telephone dial `code`. Where nobody asked for one, there is none where it could not be
 * scanned: without colour, in a pipe, on a narrow or dumb terminal, or where half blocks can't be shown.
 */
export const dialQr = async (code: string, surface: Surface): Promise<string[]> => {
  const { styles, width, qr = 'auto' } = surface;
  const asked = qr === 'always';
  const without = (why: string): string[] => wrap(why, width - 2).map((line) => `  ${styles.dim(line)}`);
  const link = telLink(code);
  if (qr === 'never' || (link === undefined && !asked)) return [];
  if (link === undefined) return without("No QR code: a telephone can't dial this code from a link.");
  const hindered = asked ? undefined : hindrance(surface);
  if (hindered !== undefined) return hindered === 'locale' ? without(NOT_IN_LOCALE) : [];
  const { encode } = await import('uqr');
  const { data, size } = encode(link, { ecc: 'L', border: QUIET_ZONE });
  const columns = styles.unicode ? size : 2 * size;
  if (columns > width) return asked ? without(`No QR code: it needs ${columns} columns.`) : [];
  return (styles.unicode ? inHalfBlocks(data) : inAscii(data)).map(styles.paper ?? ((line) => line));
};
