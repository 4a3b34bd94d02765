/**
 * JSON as text. A parsed object can't give back what the service wrote: numbers are rounded to doubles and keys that
 * look like integers move to the front. So records are validated as values and printed from their own text.
 * Every function here but `depthOf` expects text that JSON.parse has accepted.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The index after the string that opens at `start`. */
const endOfString = (text: string, start: number): number => {
  let quote = start;
  for (;;) {
    quote = text.indexOf('"', quote + 1);
    if (quote === -1) return text.length;
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
  }
};

type Visit = (mark: string, index: number, end: number) => void;

/** Calls `visit` for each bracket, comma, colon and string (as `"`), in order; blanks, numbers and words pass by. */
const scan = (text: string, visit: Visit): void => {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      const end = endOfString(text, index);
      visit('"', index, end);
      index = end - 1;
    } else if (code === 0x7b || code === 0x7d || code === 0x5b || code === 0x5d || code === 0x2c || code === 0x3a) {
      visit(text.charAt(index), index, index + 1);
    }
  }
};

/** How deep arrays and objects are nested; safe on text of any kind, so that it can be asked before parsing. */
export const depthOf = (text: string): number => {
  let depth = 0;
  let deepest = 0;
  scan(text, (mark) => {
    if (mark === '{' || mark === '[') deepest = Math.max(deepest, ++depth);
    else if (mark === '}' || mark === ']') depth -= 1;
  });
  return deepest;
};

/**
 * The texts of the elements of the array that the object `text` holds under `field`, each as it was written.
 * Of a repeated field the last counts, as it does for JSON.parse.
 */
export const elementsOf = (text: string, field: string): string[] => {
  let elements: string[] = [];
  let depth = 0;
  let key = '';
  let named = false;
  let inside = false;
  let start = 0;
  const close = (end: number): void => {
    const element = text.slice(start, end).trim();
    if (element !== '') elements.push(element);
    start = end + 1;
  };
  scan(text, (mark, index, end) => {
    if (mark === '"') {
      if (depth === 1) key = text.slice(index, end);
    } else if (mark === ':') {
      if (depth !== 1) return;
      named = JSON.parse(key) === field;
      if (named) elements = [];
    } else if (mark === '{' || mark === '[') {
      depth += 1;
      if (depth === 2 && mark === '[' && named) {
        inside = true;
        start = index + 1;
      }
    } else if (mark === '}' || mark === ']') {
      if (depth === 2 && inside) {
        close(index);
        inside = false;
      }
      depth -= 1;
    } else if (mark === ',' && depth === 2 && inside) {
      close(index);
    }
  });
  return elements;
};

const BLANKS = /[\t\n\r ]+/g;

/** The same text without blanks between its tokens. */
export const minify = (text: string): string => {
  let out = '';
  let from = 0;
  scan(text, (mark, index, end) => {
    if (mark !== '"') return;
    out += text.slice(from, index).replace(BLANKS, '') + text.slice(index, end);
    from = end;
  });
  return out + text.slice(from).replace(BLANKS, '');
};

/** The same text, one member a line, two blanks a level; empty objects and arrays stay on one line. */
export const indent = (text: string): string => {
  const dense = minify(text);
  let out = '';
  let from = 0;
  let depth = 0;
  const line = (): string => `\n${'  '.repeat(depth)}`;
  scan(dense, (mark, index, end) => {
    out += dense.slice(from, index);
    from = end;
    if (mark === '{' || mark === '[') {
      depth += 1;
      const empty = dense.charAt(end) === '}' || dense.charAt(end) === ']';
      out += empty ? mark : mark + line();
    } else if (mark === '}' || mark === ']') {
      depth -= 1;
      const previous = dense.charAt(index - 1);
      out += previous === '{' || previous === '[' ? mark : line() + mark;
    } else if (mark === ',') {
      out += mark + line();
    } else if (mark === ':') {
      out += ': ';
    } else {
      out += dense.slice(index, end);
    }
  });
  return out + dense.slice(from);
};

/** A number that a double can't hold; its text is the number. */
export class NumberText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

/** Begins like a number that is long, has a fraction or an exponent, or is minus zero; a date in a string does not. */
const MAYBE_INEXACT = /(?:^|[:,[\s])-?(?:\d{16}|\d+[.eE])|(?:^|[:,[\s])-0/;

/** Whether parsing the text may lose digits; a time with a fraction looks alike: slower then, not wrong. */
export const mayBeInexact = (text: string): boolean => MAYBE_INEXACT.test(text);

/** As JSON.parse, but a number whose text a double would not give back is a NumberText. */
export const parseExact = (text: string): unknown => {
  if (!mayBeInexact(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== undefined && context.source !== String(value)
      ? new NumberText(context.source)
      : value,
  );
};

/** JSON of a value that may hold NumberTexts. */
export const printExact = (value: unknown): string => {
  if (value instanceof NumberText) return value.text;
  if (Array.isArray(value)) return `[${value.map(printExact).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${printExact(member)}`).join(',')}}`;
};
