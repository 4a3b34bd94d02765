import { MEDIUM_NAMES } from '../charge/mediums.ts';
import type { Io } from '../core/io.ts';
import { isJsonFormat } from '../core/result.ts';
import { columnsSetting, type StoredDefaults, storedValue, unsetHint } from '../core/settings.ts';
import type { Globals } from './globals.ts';

/** A command line before defaults are applied. */
interface Typed {
  readonly argv: readonly string[];
  readonly words: readonly string[];
  readonly globals: Globals;
  /** The command has its own output format. */
  readonly hasFormat: boolean;
}

/** Commands that fix or report the settings: they must work whatever is stored. */
const WITHOUT_DEFAULTS = ['config', 'doctor', 'login', 'profile', 'version'];

const isTyped = ({ argv }: Typed, flag: string): boolean =>
  argv.some((word) => word === flag || word.startsWith(`${flag}=`));

const storedOutput = ({ globals, hasFormat }: Typed, stored: StoredDefaults): string | undefined => {
  const value = storedValue(stored, 'output', MEDIUM_NAMES);
  const isOpen = globals.format === undefined && globals.jq === undefined && !hasFormat;
  return !isOpen || (globals.columns !== undefined && isJsonFormat(value)) ? undefined : value;
};

/** Settings of the one record that a command makes: each is an option of that command. */
const FOR_ONE = { medium: 'ugwo charge', currency: 'ugwo create' } as const;

const storedForOne = (typed: Typed, stored: StoredDefaults, { stdin }: Pick<Io, 'stdin'>): readonly string[] =>
  Object.entries(FOR_ONE).flatMap(([name, command]) => {
    const value = storedValue(stored, name, MEDIUM_NAMES);
    const isOne = typed.words.join(' ') === command && !isTyped(typed, `--${name}`) && !isTyped(typed, '--from');
    // A person sees the record before it is made.
    const isSeen = stdin.isTerminal && typed.globals.input && !typed.argv.includes('--');
    return isOne && isSeen && value !== undefined ? [`--${name}`, value] : [];
  });

/**
 * Appends the profile's defaults to a command line for options that were not typed. Also returns the hint for default
 * columns that the command doesn't have, and the time zone. Only for a terminal.
 */
export const withDefaults = (
  typed: Typed,
  stored: StoredDefaults,
  io: Pick<Io, 'stdin'>,
): { readonly argv: readonly string[]; readonly columnsHint?: string; readonly zone?: string } => {
  const { argv, words, globals } = typed;
  if (WITHOUT_DEFAULTS.includes(words[0] ?? '') || isTyped(typed, '--template')) return { argv };
  const output = storedOutput(typed, stored);
  const color = isTyped(typed, '--color') ? undefined : storedValue(stored, 'color', MEDIUM_NAMES);
  const setting = columnsSetting(words);
  const takesColumns = globals.columns === undefined && globals.format === undefined && globals.jq === undefined;
  const columns = takesColumns && !isJsonFormat(output) ? storedValue(stored, setting, MEDIUM_NAMES) : undefined;
  const zone = storedValue(stored, 'time_zone', MEDIUM_NAMES);
  const more = [
    ...(output === undefined ? [] : ['-o', output]),
    ...(color === 'never' ? ['--color', 'never'] : []),
    ...(columns === undefined ? [] : ['--columns', columns]),
    ...storedForOne(typed, stored, io),
  ];
  return {
    // Nothing after `--` is an option; global options may come first.
    argv: argv.includes('--') ? [...more, ...argv] : [...argv, ...more],
    ...(columns === undefined ? {} : { columnsHint: unsetHint(setting, stored.profile) }),
    ...(zone === undefined ? {} : { zone }),
  };
};
