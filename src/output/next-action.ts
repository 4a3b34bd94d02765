import { BOUNDS, cutList, cutText, grouped } from '../core/bounds.ts';
import { incompleteText, type NameAndValue, type NextAction } from '../core/charge.ts';
import { unreachable } from '../core/error.ts';
import { printExact } from '../core/json.ts';
import { telLink, visible, visibleExactly, visibleLines } from '../core/text.ts';
import { formatDuration, formatLocal } from '../core/time.ts';
import type { Modules } from '../qr/modules.ts';
import { fieldLines, plainText } from './cell.ts';
import { type Surface, unpainted } from './style.ts';
import { wrap } from './text.ts';

/** Draws two modules in one character: a dark module is ink, a light one is paper. */
const halfBlock = (upper: boolean, lower: boolean): string => {
  if (upper) return lower ? '█' : '▀';
  return lower ? '▄' : ' ';
};

const inHalfBlocks = (modules: Modules): string[] =>
  Array.from({ length: Math.ceil(modules.length / 2) }, (_, line) => {
    const [upper = [], lower = []] = [modules[2 * line], modules[2 * line + 1]];
    return upper.map((dark, column) => halfBlock(dark, lower[column] ?? false)).join('');
  });

/** Draws a module as two characters: about as wide as a line is high. */
const inAscii = (modules: Modules): string[] =>
  modules.map((line) => line.map((dark) => (dark ? '##' : '  ')).join(''));

/** The reason for drawing no code unasked; undefined if a code is drawn. */
const whyNoCode = ({ styles: { paper, unicode }, width, env }: Surface): 'silent' | 'locale' | undefined => {
  // Without colour, the terminal's own colours would decide its polarity.
  if (paper === undefined || !Number.isFinite(width) || env['TERM'] === 'dumb') return 'silent';
  return unicode ? undefined : 'locale';
};

const NOT_IN_LOCALE = 'No QR code: this locale shows ASCII only. --qr draws one with #.';

/**
 * The lines of a QR code that makes a telephone dial `code`. With `auto`, draws none where it could not be scanned:
 * without colour, in a pipe, on a narrow or dumb terminal, or where half blocks can't be shown.
 */
const dialQr = async (code: string, surface: Surface): Promise<string[]> => {
  const { styles, width, qr = 'auto' } = surface;
  const asked = qr === 'always';
  const without = (why: string): string[] => wrap(why, width - 2).map((line) => `  ${styles.dim(line)}`);
  const link = telLink(code);
  if (qr === 'never' || (link === undefined && !asked)) return [];
  if (link === undefined) return without("No QR code: a telephone can't dial this code from a link.");
  const hindered = asked ? undefined : whyNoCode(surface);
  if (hindered !== undefined) return hindered === 'locale' ? without(NOT_IN_LOCALE) : [];
  const modules = (await import('../qr/modules.ts')).modulesOf(link);
  const columns = styles.unicode ? modules.length : 2 * modules.length;
  if (columns > width) return asked ? without(`No QR code: it needs ${columns} columns.`) : [];
  return (styles.unicode ? inHalfBlocks(modules) : inAscii(modules)).map(styles.paper ?? ((line) => line));
};

const ACTION_INDENT = 2;
/** The width of the rules above and below the data to pass on. */
const FRAME = 48;

const indented = (lines: readonly string[]): string[] => lines.map((line) => (line === '' ? '' : `  ${line}`));

const entryText = (value: unknown): string => plainText(value) || printExact(value);

const entryLines = (entries: readonly NameAndValue[], surface: Surface): string[] => {
  const { first, more } = cutList(entries, BOUNDS.lines);
  const rest: NameAndValue[] = more === 0 ? [] : [['…', `${grouped(more)} more (see -o json)`]];
  const fields = [...first, ...rest]
    .filter(([, value]) => value !== '')
    .map(([label, value]) => ({ label: visible(label), cell: { text: visible(entryText(value)), paint: unpainted } }));
  return fieldLines(fields, surface.width - ACTION_INDENT, surface.styles);
};

/** A value to be copied, as it is shown. */
export const shownExactly = (value: string): string => visibleExactly(cutText(value, BOUNDS.cell));

/** Renders a value to be copied: alone on its line, and never broken. */
const copyLines = (label: string, value: string, { styles }: Surface): string[] => [
  styles.dim(label),
  styles.bold(shownExactly(value)),
];

/** `expires 14:05, in 12 min`, in local time; no lines where the expiry is unknown. */
const expiryLines = (expiresAt: number | undefined, { now, styles, width }: Surface): string[] => {
  if (expiresAt === undefined) return [];
  const clock = formatLocal(expiresAt, now);
  if (expiresAt > now) return wrap(`expires ${clock}, in ${formatDuration(expiresAt - now)}`, width - ACTION_INDENT);
  return wrap(`expired at ${clock}, ${formatDuration(now - expiresAt)} ago`, width - ACTION_INDENT).map(styles.alarm);
};

const instructionLines = ({ instruction }: NextAction, surface: Surface): string[] =>
  instruction === undefined ? [] : wrap(visibleLines(cutText(instruction, BOUNDS.cell)), surface.width - ACTION_INDENT);

/** Warns about missing data: an incomplete account sends money astray. */
const missingLines = (action: NextAction, { styles, width }: Surface): string[] => {
  const missing = incompleteText(action);
  return missing === undefined ? [] : wrap(`incomplete: ${missing}`, width - ACTION_INDENT).map(styles.alarm);
};

const transferParts = (
  action: Extract<NextAction, { kind: 'transfer' }>,
  amount: string | undefined,
  surface: Surface,
): string[][] => [
  entryLines(
    [['bank', action.bank], ['account name', action.accountName], ['amount', amount ?? ''], ...action.entries],
    surface,
  ),
  copyLines('account number', action.accountNumber, surface),
  expiryLines(action.expiresAt, surface),
];

const actionHeading = (action: NextAction): string => {
  switch (action.kind) {
    case 'transfer':
      return 'Next: transfer to this account';
    case 'dial':
      return 'Next: dial this code';
    case 'other':
      return action.type === '' ? 'Next' : `Next: ${visible(cutText(action.type, BOUNDS.word))}`;
    default:
      return unreachable(action);
  }
};

/** The parts to pass on, with a blank line between two. */
const actionParts = (action: NextAction, amount: string | undefined, surface: Surface): string[][] => {
  switch (action.kind) {
    case 'transfer':
      return transferParts(action, amount, surface);
    case 'dial':
      return [copyLines('dial', action.code, surface), entryLines(action.entries, surface)];
    case 'other':
      return [entryLines(action.entries, surface)];
    default:
      return unreachable(action);
  }
};

const spaceBlocks = (parts: readonly (readonly string[])[]): string[] =>
  parts.filter((part) => part.length > 0).flatMap((part, index) => (index === 0 ? part : ['', ...part]));

/** Puts lines between two rules; nothing is drawn beside a text that is to be copied. */
const framed = (lines: readonly string[], { styles, width }: Surface): string[] => {
  const rule = styles.dim(styles.rule.repeat(Math.min(width, FRAME)));
  return [rule, ...lines, rule];
};

/**
 * Renders the customer's next step. `amount` is the sum to pay, as text. On a terminal that can show it, a code to dial
 * comes with a QR code.
 */
export const nextActionLines = async (
  action: NextAction,
  amount: string | undefined,
  surface: Surface,
): Promise<string[]> => {
  const qr = action.kind === 'dial' ? await dialQr(action.code, surface) : [];
  const heading = wrap(actionHeading(action), surface.width).map(surface.styles.heading);
  const facts = spaceBlocks([...actionParts(action, amount, surface), missingLines(action, surface)].map(indented));
  const others = spaceBlocks([qr, indented(instructionLines(action, surface))]);
  return facts.length === 0 ? spaceBlocks([heading, others]) : [...heading, ...framed(facts, surface), ...others];
};
