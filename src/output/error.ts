import { BOUNDS, cutText } from '../core/bounds.ts';
import type { ErrorDetail, PayError, Violation } from '../core/error.ts';
import { speaksUtf8 } from '../core/io.ts';
import { minify } from '../core/json.ts';
import { isJson } from '../core/json-scan.ts';
import { cleanedJson, cleanedUrl, type Redactor } from '../core/secret.ts';
import { visible, visibleJson } from '../core/text.ts';
import { utcAtom } from '../core/time.ts';
import { type Paint, stylesFor } from './style.ts';
import { type MessageIo, proseLines, roomOn } from './text.ts';

export interface ErrorBlockOptions {
  readonly color: boolean;
  /** Adds the stack and the causes. */
  readonly stack?: boolean;
  /** Adds the service's codes to the sentences that explain them. */
  readonly codes?: boolean;
  readonly io: MessageIo;
}

/**
 * Splits a message of ours into lines, each made safe; they are indented so that none can pass for another part of the
 * block.
 */
const safeLines = (text: string): string[] => text.split('\n').map(visible);

/** The place of a violation: the row and column of a file, or the flag and the property that it sets. */
const violationPlace = ({ propertyPath, option, row, column }: Violation): string => {
  // An option may set the value of every row.
  if (row !== undefined) return [`row ${row}`, column?.replace(/^(?!--)/, 'column ')].filter(Boolean).join(', ');
  if (option === undefined) return propertyPath;
  return propertyPath === '' ? option : `${option} (${propertyPath})`;
};

type Explain = (text: string) => string;

const violationLine = (violation: Violation, explain: Explain): string => {
  const [where, title] = [violationPlace(violation), explain(violation.inDecimals ?? violation.title)];
  const { option } = violation;
  // Some sentences name the flag themselves.
  const isNamed = where === '' || (option !== undefined && title.includes(option));
  return visible(isNamed ? title : `${where}: ${title}`);
};

/** Puts our suggestion on a line of its own, below the service's words. */
const violationLines = (violation: Violation, explain: Explain): string[] => {
  const { suggestion } = violation;
  const guess = suggestion === undefined ? [] : [`did you mean ${visible(suggestion)}?`];
  return [violationLine(violation, explain), ...guess];
};

/** Loads the sentences for the service's codes. If they can't be loaded, the codes stay. */
const explainer = async ({ detail: { nameOf, title } }: PayError, withCodes: boolean): Promise<Explain> => {
  const loaded = await import('../core/service-codes.ts').catch(() => undefined);
  return (text) => {
    const sentence = loaded?.explained(text, { nameOf, withCodes }) ?? text;
    // The line with the request repeats the title, which says less than the sentence.
    return sentence === text || title === undefined ? sentence : sentence.replace(`: ${title}: `, ': ');
  };
};

const jsonWhole = (text: string, redactor: Redactor): string =>
  visibleJson(minify(cleanedJson(text, (string) => redactor.cleanAll(string))));

const cutMessage = (text: string, redactor: Redactor): string => cutText(redactor.cleanAll(text), BOUNDS.answer);

/** An answer as a JSON member on one line. JSON is kept complete; other text is cut and written as a string. */
const jsonMember = (text: string, redactor: Redactor): string =>
  isJson(text) ? jsonWhole(text, redactor) : visibleJson(JSON.stringify(cutMessage(text, redactor)));

/** An answer for people; only its beginning where it is too long to read. */
const jsonLine = (text: string, redactor: Redactor): string =>
  text.length > BOUNDS.answer ? visible(cutMessage(text, redactor)) : jsonWhole(text, redactor);

const cleanedPath = ({ path }: NonNullable<ErrorDetail['request']>, redactor: Redactor): string =>
  cleanedUrl(path, (text) => redactor.cleanAll(text));

const requestLine = ({ request, status, title }: ErrorDetail, redactor: Redactor): string | undefined => {
  if (request === undefined) return undefined;
  const answer = status === undefined ? '' : `: ${status}${title === undefined ? '' : ` ${title}`}`;
  return visible(`${request.method} ${cleanedPath(request, redactor)}${answer}`);
};

const stackLines = (thrown: unknown): string[] => {
  if (!(thrown instanceof Error)) return thrown === undefined ? [] : safeLines(`caused by ${String(thrown)}`);
  return [...safeLines(thrown.stack ?? String(thrown)), ...stackLines(thrown.cause)];
};

/** The indent of all lines of a message but the first. */
const ERROR_INDENT = '  ';

/**
 * Renders an error for people: the event and its reason, a line per violation with flag and property, the next step,
 * the request. Wrapped at words on a terminal. A run that the user ended, or that found work for a person, is no error:
 * its message is printed without `error:`.
 */
export const errorBlock = async (
  error: PayError,
  { color, stack = false, codes = false, io }: ErrorBlockOptions,
): Promise<string> => {
  const { stderr, env, redactor } = io;
  const styles = await stylesFor(color, speaksUtf8(env));
  const room = roomOn(stderr) - ERROR_INDENT.length;
  const indented = (text: string): string[] => proseLines(text, room, io).map((line) => ERROR_INDENT + line);
  const withLead = (lead: string, paint: Paint, text: string): string[] => {
    const [first = '', ...more] = proseLines(`${lead} ${text}`, room, io);
    return [paint(lead) + first.slice(lead.length), ...more.map((line) => ERROR_INDENT + line)];
  };
  const explain = await explainer(error, codes);
  const [first = '', ...more] = safeLines(explain(error.message));
  const { hint, answer, ledgerId } = error.detail;
  const request = requestLine(error.detail, redactor);
  const dimmed = [
    ...(ledgerId === undefined ? [] : indented(`in the ledger: ${visible(ledgerId)}`)),
    ...(request === undefined ? [] : indented(request)),
    ...(stack ? stackLines(error).map((line) => ERROR_INDENT + redactor.cleanAll(line)) : []),
  ];
  const block = [
    ...(error.kind === 'interrupted' || error.kind === 'attention'
      ? proseLines(first.charAt(0).toUpperCase() + first.slice(1), room, io)
      : withLead('error:', (text) => styles.bold(styles.alarm(text)), first)),
    ...more.flatMap(indented),
    ...(error.detail.violations ?? []).flatMap((one) => violationLines(one, explain)).flatMap(indented),
    ...(hint === undefined ? [] : safeLines(hint).flatMap((line) => withLead(styles.arrow, styles.bold, line))),
    ...dimmed.map(styles.dim),
    ...(answer === undefined ? [] : [jsonLine(answer, redactor)]),
  ];
  return block.map((line) => `${line}\n`).join('');
};

const violationJson = ({ propertyPath, title, option, suggestion, row, column }: Violation): object => ({
  property_path: propertyPath,
  title,
  option,
  did_you_mean: suggestion,
  row,
  column,
});

/** The error for programs: one line of JSON, without the members that the error lacks. */
export const errorLine = (
  { kind, message, detail }: PayError,
  exitCode: number,
  { redactor }: Pick<MessageIo, 'redactor'>,
): string => {
  const { hint, status, retryAt, code, title, violations = [], request, answer, activity, ledgerId } = detail;
  const error = {
    kind,
    exit_code: exitCode,
    message,
    hint,
    status,
    retry_at: retryAt === undefined ? undefined : utcAtom(retryAt),
    code,
    title,
    violations: violations.length === 0 ? undefined : violations.map(violationJson),
    request: request && { method: request.method, path: cleanedPath(request, redactor) },
    ledger_id: ledgerId,
  };
  const own = visibleJson(cleanedJson(JSON.stringify({ error }), (string) => redactor.cleanAll(string))).slice(0, -2);
  const texts = Object.entries({ answer, activity }).map(([name, text]) =>
    text === undefined ? '' : `,"${name}":${jsonMember(text, redactor)}`,
  );
  return `${own}${texts.join('')}}}\n`;
};
