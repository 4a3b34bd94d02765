import { argument, defineCommand, flag, ONCE_EXITS, option, repeated, taking } from '../../cli/define.ts';
import { asOneOf, asPair } from '../../cli/options.ts';
import { isChargePath, pathProblem } from '../../core/api-path.ts';
import { SEEDED } from '../../core/data-files.ts';
import { usageError } from '../../core/error.ts';
import { type Pair, parsePair, type Source } from '../../core/input.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof METHODS)[number];

export interface ApiInput {
  readonly method: Method;
  /** Path with its query, as given. */
  readonly path: string;
  readonly fields: readonly Pair[];
  readonly input: Source | undefined;
  readonly paginate: boolean;
  readonly again: boolean;
}

/** `k=json` and `k:=json` mean the same here. */
const asJsonPair = taking({ type: 'pair' }, (text): Pair => parsePair(text.replace(/^([^=:]+)=/, '$1:=')));

const asInput = taking({ type: 'json', completes: 'file' }, (text): Source => {
  if (text === '') throw usageError('the name of the file is empty');
  return text === '-' ? { kind: 'stdin' } : { kind: 'file', path: text };
});

const readMethod = (text: string): Method => asOneOf(METHODS)(text.toUpperCase());

const readPath = (given: string, method: Method): string => {
  // On Windows, Git Bash prefixes a word that starts with a slash with its own folder. So `v1/…` is accepted without
  // the slash.
  const text = /^v\d+\//.test(given) ? `/${given}` : given;
  const problem = pathProblem(text);
  if (problem !== undefined) throw usageError(`"${text}" ${problem}`);
  if (method === 'GET' || !isChargePath(text)) return text;
  throw usageError('charges are not made by this command; nothing was sent', {
    hint: 'use `paycli ugwo charge`, which never charges twice',
  });
};

export const apiCommand = defineCommand({
  path: ['api'],
  danger: 'money',
  summary: 'send a request to any path of the service',
  description:
    'With the key of the profile, to its origin alone, and judged as all else: a GET is repeated until it is answered, a ' +
    'PATCH, PUT or DELETE only where nothing was applied. A POST goes into the ledger before it is sent: while nobody knows ' +
    'what became of it, the same one is not sent again. DELETE and refunds ask first; a script needs --yes.\n\n' +
    'Fields go into the body, those of GET and DELETE into the query.',
  args: [
    argument('method', 'GET, POST, PUT, PATCH or DELETE', { choices: METHODS }),
    argument('path', 'path of the service, /v1/… or v1/…'),
  ],
  options: {
    field: repeated('-f, --field <k=v>', 'a field as text; k:=json sets a value that is not text', asPair),
    jsonField: repeated('-F, --json-field <k=json>', 'a field as JSON', asJsonPair),
    input: option('--input <file|->', 'the body as a JSON object; fields override it', asInput),
    paginate: flag('--paginate', 'with GET: follow next_cursor to the end of a list'),
    again: flag('--again', 'with a refund: once more, although a refund of this activity was made'),
  },
  examples: {
    'read a payment request': `paycli api GET /v1/ugwo/${SEEDED.paid.ugwo}`,
    'all customers, one a line': 'paycli api GET /v1/onye -f limit=100 --paginate -o ndjson',
    'create a customer with a field that paycli has no option for': `paycli api POST /v1/onye -f email=ada@example.com -f locale=en_NG -F 'tags=["vip"]'`,
  },
  output:
    'the answer; a list as {"data":[…],"next_cursor":…}. tsv, csv and table show the fields that the first records have',
  exits: ONCE_EXITS,
  format: 'json',
  previews: true,
  read: ([word = '', text = ''], given): ApiInput => {
    const method = readMethod(word);
    const path = readPath(text, method);
    const { input, paginate = false, again = false } = given;
    if (paginate && method !== 'GET') throw usageError('--paginate is for GET');
    if (input !== undefined && (method === 'GET' || method === 'DELETE')) {
      throw usageError(`--input: a ${method} has no body`, { hint: 'give fields with -f; they go into the query' });
    }
    return { method, path, fields: [...(given.field ?? []), ...(given.jsonField ?? [])], input, paginate, again };
  },
  load: () => import('./send.ts'),
});
