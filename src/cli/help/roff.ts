/** What roff would take for something else than the character that it is. */
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
};

const HIGH = /[^\n -~]/gu;

/** A text as roff prints it, character for character. */
const literal = (text: string): string =>
  text
    .replaceAll(/[\\'`^~-]/g, (sign) => ESCAPES[sign] ?? sign)
    .replaceAll(HIGH, (sign) => `\\[u${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`);

/** A line of text, which is no request even where it begins as one. */
export const textLine = (text: string): string => {
  const line = literal(text);
  return line.startsWith('.') ? `\\&${line}` : line;
};

/** The words of a macro's line, none of which is a macro or a mark of its own. */
export const words = (text: string): string =>
  text
    .split(' ')
    .map((word) => `\\&${literal(word).replaceAll('"', '\\(dq')}`)
    .join(' ');

/** A sentence a line, as roff wants it. */
const sentences = (text: string): string[] => text.split(/(?<=[.?!]\)?) /).map(textLine);

/** Paragraphs, parted by empty lines. */
export const paragraphs = (text: string): string[] =>
  text.split(/\n+/).flatMap((part, index) => [...(index === 0 ? [] : ['.Pp']), ...sentences(part)]);

/** Lines that are shown as they are. */
export const display = (lines: readonly string[]): string[] => [
  '.Bd -literal -offset indent',
  ...lines.map(textLine),
  '.Ed',
];

/** Terms and what they mean. */
export const tagged = (rows: readonly (readonly [term: string, meaning: string])[]): string[] =>
  rows.length === 0
    ? []
    : ['.Bl -tag -width Ds', ...rows.flatMap(([term, meaning]) => [`.It ${term}`, ...paragraphs(meaning)]), '.El'];
