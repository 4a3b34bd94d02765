import type { ValueSpec } from '../cli/define.ts';
import {
  type CommandNode,
  calledBy,
  childrenOf,
  commandTree,
  type NounNode,
  type OptionNode,
  type Tree,
} from '../cli/tree.ts';
import { allSpecs, NOUNS } from '../commands/all.ts';
import { BANK_CODES } from '../core/banks.ts';
import { LOCAL_PROFILE } from '../core/data-files.ts';
import { type Io, withTimeout } from '../core/io.ts';
import { ledgerPath } from './ledger.ts';
import { profilesOf } from './run.ts';

/** A word that replaces the one at the cursor, and its description. */
interface Offer {
  readonly word: string;
  readonly about: string;
}

/** The value at the cursor: its description, the typed part, and the text before it in the same word. */
interface Value {
  readonly takes: ValueSpec;
  readonly lead: string;
  readonly typed: string;
  readonly command: string;
}

const offer = (word: string, about = ''): Offer => ({ word, about });

/** Finds the place of the last word, after the words before it. Compares words and never evaluates them. */
const findPlace = (tree: Tree, words: readonly string[], current: string): readonly Offer[] | Value | undefined => {
  let node: NounNode | CommandNode | undefined;
  let pending: OptionNode | undefined;
  let [isHelp, isAfter, count] = [false, false, 0];
  const below = () => (node?.kind === 'command' ? [] : node === undefined ? tree.commands : childrenOf(node));
  const options = (): readonly OptionNode[] => [...(node?.kind === 'command' ? node.options : []), ...tree.options];
  const named = (name: string) => options().find((one) => one.name === name || one.short === name);
  for (const word of words) {
    if (pending !== undefined) pending = undefined;
    else if (isAfter) count += 1;
    else if (word === '--') isAfter = true;
    else if (word.startsWith('-')) pending = named(word)?.value === undefined ? undefined : named(word);
    else if (node === undefined && !isHelp && (word === 'help' || word === 'schema')) isHelp = true;
    else {
      const next = calledBy(node ?? tree, word);
      if (next === undefined) count += 1;
      else node = next;
    }
  }
  const command = node?.path.join(' ') ?? '';
  if (pending !== undefined) return { takes: pending, lead: '', typed: current, command };
  const [, name] = /^(--[^=]+)=/.exec(current) ?? [];
  if (!isAfter && name !== undefined) {
    const lead = `${name}=`;
    return { takes: named(name) ?? {}, lead, typed: current.slice(lead.length), command };
  }
  if (!isAfter && current.startsWith('-')) {
    return options().flatMap((one) => [one.name, one.short ?? []].flat().map((word) => offer(word, one.about)));
  }
  if (node?.kind !== 'command') {
    const topics = words.includes('schema') ? [] : tree.topics;
    const more = node !== undefined ? [] : isHelp ? ['docs', ...topics] : ['help'];
    return [...below().map((one) => offer(one.name, one.summary)), ...more.map((word) => offer(word))];
  }
  const last = node.args.at(-1);
  const takes = node.args[count] ?? (last?.repeats === true ? last : undefined);
  return isHelp || takes === undefined ? undefined : { takes, lead: '', typed: current, command };
};

/** Words that a shell takes without quotes. */
const SAFE = /^[\w.@:+-]{1,200}$/;

const idsFor = async ({ takes: { completes }, typed, command }: Value, local: boolean, io: Io): Promise<Offer[]> => {
  switch (completes) {
    case 'profile': {
      const stored = (await profilesOf({ io })).list().map(({ name, environment }) => offer(name, environment));
      return [...stored, offer(LOCAL_PROFILE, 'the built-in emulator')];
    }
    case 'column':
      return (await (await import('../commands/schema/print.ts')).columnsOf(command)).map((word) => offer(word));
    case 'charge':
    case 'refund':
    case 'job':
    case 'entry':
    case 'ugwo':
    case 'onye':
    case 'activity':
    case 'activityOrRef':
    case 'payment': {
      const { recentIds } = await import('../ledger/sqlite/lately.ts');
      const wanted = completes === 'ugwo' && command === 'ugwo charge' ? 'unpaid' : completes;
      const recent = recentIds(await ledgerPath({ io }), wanted, local);
      // Where nothing is typed, each record is offered once.
      const named = typed === '' ? [] : recent.flatMap(({ id, name }) => (name ? offer(String(name), id) : []));
      return [...recent.map(({ id, about }) => offer(id, about)), ...named];
    }
    default:
      return [];
  }
};

/** Lines for a value; for the next element of a list that commas separate. */
const valueLines = async (value: Value, local: boolean, io: Io) => {
  const { takes, typed } = value;
  const { completes, choices = completes === 'bank' ? BANK_CODES : undefined, list } = takes;
  if (completes === 'file') return { lines: [`:file:${typed}`] };
  if (completes === 'source') return { lines: typed.startsWith('@') ? [`:source:${typed.slice(1)}`] : [] };
  const lead = value.lead + (list === true ? typed.slice(0, typed.lastIndexOf(',') + 1) : '');
  const found = choices?.map((word) => offer(word)) ?? (await idsFor(value, local, io));
  const offers = found.filter(({ word }) => SAFE.test(word)).map((one) => ({ ...one, word: lead + one.word }));
  return { offers, lines: list === true ? [':nospace'] : [] };
};

/** Splits a line as bash does: its words, and the last one as it was typed. Expands nothing. */
const splitLine = (line: string): { readonly words: readonly string[]; readonly raw: string } => {
  const words: string[] = [];
  let [word, raw, quote, isEscaped] = ['', '', '', false];
  for (const char of line) {
    const isBlank = /\s/.test(char) && quote === '' && !isEscaped;
    if (isBlank && raw !== '') words.push(word);
    [word, raw] = isBlank ? ['', ''] : [word, raw + char];
    if (isBlank) continue;
    if (isEscaped || (char === '\\' && quote !== "'")) {
      word += isEscaped ? char : '';
      isEscaped = !isEscaped;
    } else if (quote === '' ? char === '"' || char === "'" : char === quote) quote = quote === '' ? char : '';
    else word += char;
  }
  return { words: [...words, word], raw };
};

/** The words that a shell passes, and the function that prints an offer for it. bash passes the line, and replaces only its last part. */
const readCompletionArgs = ([shell, ...args]: readonly string[]) => {
  if (shell !== 'bash') {
    const plain = (word: string) => (shell === 'powershell' ? word.replaceAll(/^(["'])(.*)\1$/g, '$2') : word);
    return { words: args.map(plain), line: ({ word, about }: Offer) => `${word}\t${about}` };
  }
  const [line = '', breaks = ''] = args;
  const { words, raw } = splitLine(line);
  const at = Math.max(...[...'=:'].filter((one) => breaks.includes(one)).map((one) => raw.lastIndexOf(one)), -1);
  const before = splitLine(raw.slice(0, at + 1)).words.at(-1) ?? '';
  return { words: words.slice(1), line: ({ word }: Offer) => word.slice(before.length) };
};

const MOST_OFFERS = 100;
/** A description on one line of plain ASCII, since others may have written it. */
const plainAbout = (text: string): string => text.replaceAll(/[^ -~]+/g, ' ').slice(0, 60);

const printCompletions = async (args: readonly string[], io: Io): Promise<void> => {
  const { words, line } = readCompletionArgs(args);
  const [before, current] = [words.slice(0, -1), words.at(-1) ?? ''];
  const place = findPlace(commandTree(await allSpecs(), NOUNS), before, current);
  const local = before.includes('--local') || io.env['PAYCLI_PROFILE'] === LOCAL_PROFILE;
  const { lines = [], offers = [] } =
    place === undefined ? {} : 'takes' in place ? await valueLines(place, local, io) : { offers: place };
  const fit = offers.filter(({ word }, at) => {
    return word.startsWith(current) && offers.findIndex((one) => one.word === word) === at;
  });
  const shown = fit.slice(0, MOST_OFFERS).map(({ word, about }) => line({ word, about: plainAbout(about) }));
  await io.stdout.write([...lines.filter((one) => !one.includes('\n')), ...shown].map((one) => `${one}\n`).join(''));
};

/** Time limit of a completion, in milliseconds: nobody waits longer for a Tab. */
const COMPLETION_LIMIT_MS = 1000;

/**
 * Answers the scripts of `paycli completion`: `__complete SHELL WORD…`, with the word at the cursor last. bash passes the
 * line and its word breaks instead. Prints a line for each word that fits, and `:nospace`, `:file:TYPED` or `:source:TYPED` where the shell has to do more. Uses
 * no network, creates no file, hides its failures and ends soon.
 */
export const complete = async (args: readonly string[], io: Io): Promise<void> => {
  await withTimeout(printCompletions(args, io), COMPLETION_LIMIT_MS, io.clock).catch(() => undefined);
};
