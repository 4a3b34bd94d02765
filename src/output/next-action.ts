import { BOUNDS, cutList, cutText, grouped } from '../core/bounds.ts';
import { incompleteText, type NameAndValue, type NextAction, otherEntries } from '../core/charge.ts';
import { unreachable } from '../core/error.ts';
import { printExact } from '../core/json.ts';
import { visible, visibleExactly, visibleLines } from '../core/text.ts';
import { formatDuration, formatLocal } from '../core/time.ts';
import { fieldLines, plainText } from './cell.ts';
import { type Surface, unpainted } from './style.ts';
import { wrap } from './text.ts';

const ACTION_INDENT = 2;
/** The width of the rules above and below the data to pass on. */
const FRAME_WIDTH = 48;

const indented = (lines: readonly string[]): string[] => lines.map((line) => (line === '' ? '' : `  ${line}`));

const entryLines = (entries: readonly NameAndValue[], surface: Surface): string[] => {
  const { first, more } = cutList(entries, BOUNDS.lines);
  const rest: NameAndValue[] = more === 0 ? [] : [['…', `${grouped(more)} more (see -o json)`]];
  const fields = [...first, ...rest]
    .filter(([, value]) => value !== '')
    .map(([label, value]) => ({
      label: visible(label),
      cell: { text: visible(plainText(value) || printExact(value)), paint: unpainted },
    }));
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
    [['bank', action.bank], ['account name', action.accountName], ['amount', amount ?? ''], ...otherEntries(action)],
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
      return [copyLines('dial', action.code, surface), entryLines(otherEntries(action), surface)];
    case 'other':
      return [entryLines(otherEntries(action), surface)];
    default:
      return unreachable(action);
  }
};

const spaceBlocks = (parts: readonly (readonly string[])[]): string[] =>
  parts.filter((part) => part.length > 0).flatMap((part, index) => (index === 0 ? part : ['', ...part]));

/** Puts lines between two rules; nothing is drawn beside a text that is to be copied. */
const framed = (lines: readonly string[], { styles, width }: Surface): string[] => {
  const rule = styles.dim(styles.rule.repeat(Math.min(width, FRAME_WIDTH)));
  return [rule, ...lines, rule];
};

/** Renders the customer's next step. `amount` is the sum to pay, as text. */
export const nextActionLines = (action: NextAction, amount: string | undefined, surface: Surface): string[] => {
  const heading = wrap(actionHeading(action), surface.width).map(surface.styles.heading);
  const facts = spaceBlocks([...actionParts(action, amount, surface), missingLines(action, surface)].map(indented));
  const instruction = indented(instructionLines(action, surface));
  return facts.length === 0
    ? spaceBlocks([heading, instruction])
    : [...heading, ...framed(facts, surface), ...instruction];
};
