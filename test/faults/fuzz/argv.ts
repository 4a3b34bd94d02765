import fc from 'fast-check';
import { GLOBAL_OPTIONS } from '../../../src/cli/globals.ts';
import { parseArgv } from '../../../src/cli/program.ts';
import { runProgram } from '../../../src/cli/run.ts';
import { NOUNS } from '../../../src/commands/all.ts';
import { operations } from '../../../src/contract/operations.ts';
import { EXIT_CODES } from '../../../src/core/error.ts';
import type { Attempt } from '../../client/scripted.ts';
import { SPECS } from '../../support/specs.ts';
import { newWorld, shut } from './argv-world.ts';
import { mutatedText, TOKENS } from './mutate.ts';
import { ONYE, UGWO } from './seeds.ts';
import { must, target } from './target.ts';

const ACT = 'act.AbCd.0a1b2c3d4e5f6g7h8i9j0k1l';
const FORMATS = ['table', 'tsv', 'json', 'ndjson', 'csv'];
const GLOBALS = [
  ...['--profile', '--local', '--base-url', '-o', '--output', '--json', '--columns', '--raw-csv', '--color', '-q'],
  ...['--quiet', '--timeout', '--no-input', '-y', '--yes', '--dry-run', '--as-curl', '--no-validate', '--debug'],
  ...['-h', '--help', '-V', '--version', '--'],
];
const VALUES = [
  ...[
    UGWO,
    ONYE,
    ACT,
    'chg-000000000001',
    'bank_transfer',
    'ussd',
    'mobile_money',
    'gtb',
    '+233241234567',
    '10m',
    '1s',
  ],
  ...['2026-11-20T13:10:00Z', 'a=b', 'a:={"b":1.50}', 'a.b=c', '{"tier":"gold"}', '@x', '-', '5', '50/s', 'uid,status'],
  ...['https://api.example', 'Ada', 'ada@example.com', 'accepted', 'not_created', 'x.csv', ...FORMATS],
];
/** Valid command lines. */
const LINES: readonly (readonly string[])[] = [
  ['ugwo', 'charge', UGWO, '--medium', 'ussd', '--provider', 'gtb'],
  ['ugwo', 'charge', UGWO, '--medium', 'ussd', '--provider', 'gtb', '--as-curl'],
  ['onye', 'update', ONYE, '--first-name', 'Ada', '--dry-run'],
  ['ugwo', 'charge', UGWO, '--medium', 'bank_transfer', '--expires-in', '10m', '-o', 'json'],
  ['ugwo', 'charge', UGWO, '--medium', 'mobile_money', '--provider', 'mtn', '--phone', '+233241234567', '--wait'],
  ['ugwo', 'charge', '--from', 'x.csv', '--yes'],
  ['ugwo', 'get', UGWO, '--columns', 'uid,status'],
  ['ugwo', 'list', '--max', '5', '--json'],
  ['activity', 'get', UGWO, ACT],
  ['activity', 'wait', UGWO, ACT, '--wait-timeout', '1s'],
  ['onye', 'update', ONYE, '--first-name', 'Ada', '--meta', 'a=b'],
  ['onye', 'get', ONYE, '-o', 'tsv'],
];

const flagsOf = (flags: string): string[] => flags.split(/[ ,|]+/).filter((word) => word.startsWith('-'));
const FLAGS = [
  ...GLOBALS,
  ...SPECS.flatMap(({ options }) => Object.values(options).flatMap(({ flags }) => flagsOf(flags))),
];

const word = fc.oneof(
  fc.constantFrom(...FLAGS),
  fc.constantFrom(...VALUES),
  fc.constantFrom(...TOKENS),
  mutatedText([...VALUES, ...FLAGS], 2),
);
const line = fc.constantFrom<readonly string[]>(
  ...LINES,
  ...SPECS.map(({ path, args }) => [...path, ...args.map(() => UGWO)]),
);

/** A command line with words inserted, replaced and removed. */
const argv = fc
  .tuple(line, fc.array(fc.tuple(fc.nat(12), fc.nat(1), fc.array(word, { maxLength: 2 })), { maxLength: 3 }))
  .map(([words, edits]) =>
    edits.reduce<string[]>((now, [at, gone, put]) => now.toSpliced(at % (now.length + 1), gone, ...put), [...words]),
  );

const STEERS = /(?!\r?\n|\t)[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;
const CODES: readonly number[] = [0, ...Object.values(EXIT_CODES)];

const WRITES = [
  {
    method: 'POST',
    path: /^\/v1\/ugwo\/[^/?]+\/activities$/,
    command: 'ugwo charge',
    judge: operations['ugwo.charge'].body,
  },
  { method: 'PATCH', path: /^\/v1\/onye\/[^/?]+$/, command: 'onye update', judge: operations['onye.update'].body },
];
const NOW = Date.UTC(2026, 10, 20, 13);
const OPTIONS = { nouns: NOUNS, version: '0.0.0', width: 80, env: {} };

const SHOWS = ['--dry-run', '--as-curl'];
const SWITCHES = [...Object.values(GLOBAL_OPTIONS), ...SPECS.flatMap(({ options }) => Object.values(options))]
  .filter(({ parse }) => !parse)
  .flatMap(({ flags }) => flagsOf(flags));

/** Whether an option that only shows something is given, and is not the value of the option before it. */
const isShown = (words: readonly string[]): boolean => {
  const at = words.findIndex((one) => SHOWS.includes(one));
  const before = words[at - 1] ?? '';
  return at !== -1 && !words.slice(0, at).includes('--') && (!before.startsWith('-') || SWITCHES.includes(before));
};

/** Every write was requested by a command for it, is sent once, and fulfills the contract. */
const holdsSent = (sent: readonly Attempt[], words: readonly string[]): void => {
  const writes = sent.filter(({ method }) => method !== 'GET');
  must(writes.length <= 1, () => `${writes.length} writes`);
  for (const { method, path, body } of writes) {
    const parsed = parseArgv(words, SPECS, OPTIONS);
    const write = WRITES.find((one) => one.method === method && one.path.test(path));
    if (parsed.kind !== 'run' || write === undefined) throw new Error(`sent ${method} ${path}`);
    const { spec, globals } = parsed;
    must(spec.path.join(' ') === write.command && !isShown(words), () => `sent ${method} ${path}`);
    const judged = write.judge(NOW).safeParse(JSON.parse(body ?? 'null'));
    must(judged.success || !globals.validate, () => `sent ${body}`);
  }
};

/** Commands that start servers or programs, or ask about this machine: their handlers are left out. */
const LEFT_OUT = ['emulator', 'webhook', 'doctor', 'mcp', 'login'];
const REACHED = SPECS.map((spec) =>
  LEFT_OUT.includes(spec.path[0] ?? '') ? { ...spec, load: async () => ({ run: async () => shut() }) } : spec,
);

/** One error, as text or as a line of JSON. */
const isOneError = (stderr: string): boolean =>
  stderr.startsWith('{')
    ? /^[^\n]*\n$/.test(stderr) && JSON.parse(stderr).error.exit_code === EXIT_CODES.usage
    : stderr.split('\n').filter((one) => one.startsWith('error:')).length === 1;

/**
 * Any words end with a documented code; wrong usage prints one error and changes nothing; there is never an internal
 * error.
 */
export const argvWords = target(
  'argv',
  () => argv,
  async (words) => {
    const { io, sent, open } = newWorld();
    const code = await runProgram(words, io, {
      ...OPTIONS,
      allSpecs: async () => REACHED,
      specsFor: async () => REACHED,
      open,
      defaults: async () => undefined,
    });
    const [out, err] = [io.stdout.text, io.stderr.text];
    must(CODES.includes(code) && code !== EXIT_CODES.internal, () => `ended with ${code}: ${err}`);
    must(!STEERS.test(out + err), () => `it steers: ${JSON.stringify(out + err)}`);
    holdsSent(sent, words);
    if (code !== EXIT_CODES.usage) return;
    must(out === '', () => `printed ${out}`);
    must(isOneError(err), () => `said ${err}`);
    must(
      sent.every(({ method }) => method === 'GET'),
      () => 'sent something',
    );
  },
);
