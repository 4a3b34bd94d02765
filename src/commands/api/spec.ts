import {
  argument,
  defineCommand,
  flag,
  type InputOf,
  ONCE_EXITS,
  option,
  rarely,
  repeated,
  taking,
} from '../../cli/define.ts';
import { asOneOf } from '../../cli/options.ts';
import { isChargePath, pathProblem } from '../../core/api-path.ts';
import { SEEDED } from '../../core/data-files.ts';
import { usageError } from '../../core/error.ts';
import { refuseSharedStdin, type Source } from '../../core/input.ts';
import { parseExact } from '../../core/json.ts';
import { shellLine } from '../../core/shell.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof METHODS)[number];

/** A field with its name as typed; a source is read before it is sent. */
export interface Field {
  readonly name: string;
  readonly option: '--raw-field' | '--field';
  readonly value: { readonly known: unknown } | { readonly source: Source };
}

const splitField = (text: string): readonly [name: string, value: string] => {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw usageError(`"${text}" is not key=value`);
};

const asRawField = taking({ type: 'pair' }, (text): Field => {
  const [name, known] = splitField(text);
  return { name, option: '--raw-field', value: { known } };
});

const fileOf = (text: string): Source => {
  if (text === '') throw usageError('the name of the file is empty');
  return text === '-' ? { kind: 'stdin' } : { kind: 'file', path: text };
};

/** Texts that stand for another JSON value than a text. Other spellings of a number, such as 0803, stay text. */
const NOT_TEXT = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?)$/;

const asTypedField = taking({ type: 'pair' }, (text): Field => {
  const [name, given] = splitField(text);
  if (given.startsWith('@')) return { name, option: '--field', value: { source: fileOf(given.slice(1)) } };
  return { name, option: '--field', value: { known: NOT_TEXT.test(given) ? parseExact(given) : given } };
});

/** Headers that paycli sets, those that control the connection, and those that replace the method or the path. */
const REFUSED_HEADERS = [
  /^(?:accept|accept-encoding|cache-control|content-.*|host|user-agent)$/,
  /^(?:connection|expect|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/,
  /^(?:x-(?:http-)?method(?:-override)?|x-original-url|x-rewrite-url)$/,
];

const asHeader = taking({ type: 'pair' }, (text): readonly [name: string, value: string] => {
  const [, name = '', value = ''] = /^([\w!#$%&'*+.^`|~-]+):\s*([\t -~]*)$/.exec(text) ?? [];
  if (name === '') throw usageError(`"${text}" is not a header such as 'Name: value'`);
  const lower = name.toLowerCase();
  if (lower === 'authorization') {
    throw usageError('Authorization is never taken from an option: other users can see it', {
      hint: 'paycli sends the key of the profile; choose another one with --profile',
    });
  }
  if (REFUSED_HEADERS.some((some) => some.test(lower))) {
    throw usageError(`the header ${name} can't be set`, {
      hint: 'paycli decides how the request is sent; leave it out',
    });
  }
  return [lower, value.trimEnd()];
});

const readPath = (given: string, method: Method): string => {
  // On Windows, Git Bash prefixes a word that starts with a slash with its own folder. So `v1/…` is accepted without
  // the slash.
  const text = /^v\d+\//.test(given) ? `/${given}` : given;
  const problem = pathProblem(text);
  if (problem !== undefined) throw usageError(`"${text}" ${problem}`);
  if (method === 'GET' || !isChargePath(text)) return text;
  throw usageError('`api` makes no charges; nothing was sent', {
    hint: 'use `paycli ugwo charge`, which never charges twice',
  });
};

const apiInput = rarely(['header', 'again'], {
  path: argument('path', 'path of the service, /v1/… or v1/…'),
  method: option(
    '-X, --method <method>',
    `${METHODS.join(', ')} (GET; POST with fields or --input)`,
    taking({ choices: METHODS }, (text: string): Method => asOneOf(METHODS)(text.toUpperCase())),
  ),
  rawField: repeated('-f, --raw-field <k=v>', 'a field as text', asRawField),
  field: repeated(
    '-F, --field <k=v>',
    'a field; true, false, null and numbers are JSON values, @file is the text of a file, @- of standard input',
    asTypedField,
  ),
  header: repeated('-H, --header <name: value>', 'another header', asHeader),
  input: option(
    '--input <file|->',
    'the body as a JSON object; fields override it',
    taking({ type: 'json', completes: 'file' }, fileOf),
  ),
  include: flag('-i, --include', 'print the status line and the headers of the answer before it'),
  paginate: flag('--paginate', 'with GET: follow next_cursor to the end of a list'),
  again: flag('--again', 'with a refund: once more, although this activity has a refund'),
});

/** Throws if the method comes first, where the path belongs. */
const refuseMethod = (word: string, path = '/v1/…'): void => {
  const method = METHODS.find((one) => one === word.toUpperCase());
  if (method === undefined) return;
  throw usageError('the path comes first, and the method is an option', {
    hint: `write ${shellLine([path, '-X', method])} in place of ${shellLine([word, path])}`,
  });
};

const readApi = (given: InputOf<typeof apiInput>, _how: unknown, _given: unknown, words: readonly string[]) => {
  refuseMethod(given.path, words[1]);
  const { input, include, paginate, again, rawField, field, header } = given;
  const fields = [...rawField, ...field];
  const method = given.method ?? (fields.length > 0 || input !== undefined ? 'POST' : 'GET');
  const path = readPath(given.path, method);
  if (paginate && method !== 'GET') {
    throw usageError('--paginate is for GET', { hint: 'with -X GET, fields go into the query' });
  }
  if (paginate && include) {
    throw usageError('--include shows the headers of one answer, --paginate joins several: leave one out');
  }
  if (input !== undefined && (method === 'GET' || method === 'DELETE')) {
    throw usageError(`--input: a ${method} has no body`, { hint: 'give fields with -f; they go into the query' });
  }
  refuseSharedStdin([input, ...fields.map(({ value }) => ('source' in value ? value.source : undefined))]);
  return { method, path, fields, headers: Object.fromEntries(header), input, include, paginate, again };
};
export type ApiInput = ReturnType<typeof readApi>;

export const apiCommand = defineCommand({
  path: ['api'],
  danger: 'money',
  summary: 'send a request to any path of the service',
  description:
    "Sends a request with the profile's key to the profile's origin. Without -X it is a GET, or a POST if there are fields or " +
    '--input. paycli repeats a GET, and a PATCH, PUT or DELETE only if it was not applied. It records a POST in the ledger first: ' +
    'while its result is unknown, paycli refuses the same POST. DELETE and refunds ask first; a script needs --yes.\n\n' +
    'Fields go into the body; those of GET and DELETE go into the query. `a[b]=c` sets a member of an object, and `a[]=b` adds to ' +
    'a list. -H never sets Authorization.',
  input: apiInput,
  examples: {
    'read a payment request': `paycli api /v1/ugwo/${SEEDED.paid.ugwo}`,
    'all customers, one a line': 'paycli api /v1/onye -X GET -f limit=100 --paginate -o ndjson',
    'create a customer with a field that paycli has no option for':
      "paycli api /v1/onye -f email=ada@example.com -f locale=en_NG -f 'tags[]=vip'",
  },
  output:
    'the answer; a list as {"data":[…],"next_cursor":…}. tsv, csv and table show the fields that the first records have',
  exits: ONCE_EXITS,
  format: 'json',
  previews: true,
  read: readApi,
  load: async () => ({ run: (await import('./send.ts')).callApi }),
});
