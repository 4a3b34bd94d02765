/** Puts colour around a text that is already padded and free of control characters. */
export type Paint = (text: string) => string;

export interface Styles {
  readonly dim: Paint;
  readonly bold: Paint;
  readonly heading: Paint;
  readonly alarm: Paint;
  /** Black on white whatever the terminal's own colours are; undefined without colour. */
  readonly paper: Paint | undefined;
  /** The colour of a state by its machine value; new states have none. */
  readonly state: (value: string) => Paint;
}

export const unpainted: Paint = (text) => text;

const PLAIN: Styles = {
  dim: unpainted,
  bold: unpainted,
  heading: unpainted,
  alarm: unpainted,
  paper: undefined,
  state: () => unpainted,
};

const STATE_COLORS: ReadonlyMap<string, 'green' | 'yellow' | 'cyan' | 'red' | 'magenta' | 'bgRed'> = new Map([
  ['successful', 'green'],
  ['ugwo_successful', 'green'],
  ['requires_action', 'yellow'],
  ['requires_ugwo', 'yellow'],
  ['partially_refunded', 'magenta'],
  ['refunded', 'magenta'],
  ['processing', 'cyan'],
  ['failed', 'red'],
  ['paid', 'green'],
  ['open', 'yellow'],
  ['expired', 'red'],
  ['cancelled', 'red'],
  // Of a charge in the ledger. What is not known must stand out in any list.
  ['sending', 'cyan'],
  ['accepted', 'green'],
  ['rejected', 'red'],
  ['not_sent', 'yellow'],
  ['unknown', 'bgRed'],
  ['not_created', 'yellow'],
]);

/** chalk joins all its arguments, and `lines.map(paint)` passes three. */
const ofOne =
  (paint: Paint): Paint =>
  (text) =>
    paint(text);

/**
 * The styles of this run. Whether there is colour is the caller's decision, never detected here; the sixteen basic
 * colours follow the user's own palette. chalk is loaded only when there is something to colour.
 */
export const stylesFor = async (color: boolean): Promise<Styles> => {
  if (!color) return PLAIN;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return {
    dim: ofOne(chalk.dim),
    bold: ofOne(chalk.bold),
    heading: ofOne(chalk.bold),
    alarm: ofOne(chalk.red),
    paper: ofOne(chalk.bgWhiteBright.black),
    state: (value) => {
      const name = STATE_COLORS.get(value);
      return name === undefined ? unpainted : ofOne(chalk[name]);
    },
  };
};
