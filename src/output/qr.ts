import { telLink } from '../core/tel-link.ts';
import type { Modules } from '../qr/modules.ts';
import type { Surface } from './surface.ts';
import { wrap } from './width.ts';

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
  const modules = (await import('../qr/modules.ts')).modulesOf(link);
  const columns = styles.unicode ? modules.length : 2 * modules.length;
  if (columns > width) return asked ? without(`No QR code: it needs ${columns} columns.`) : [];
  return (styles.unicode ? inHalfBlocks(modules) : inAscii(modules)).map(styles.paper ?? ((line) => line));
};
