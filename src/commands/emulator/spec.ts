import { argument, defineCommand, option } from '../../cli/define.ts';
import { asDuration, asInteger, asOneOf, asText } from '../../cli/options.ts';
import { usageError } from '../../core/error.ts';
import { idProblem } from '../../core/ids.ts';
import { DIALECTS, type Dialect, ENDINGS, type Ending, FIRST_RECORDS, SEEDED } from '../../core/local.ts';

const MOST_RECORDS = 10_000_000;

const dataOption = option('--data <file>', "the data file (emulator.sqlite in paycli's data folder)", asText);

export interface StartInput {
  /** 0 takes any free port. */
  readonly port: number;
  readonly data: string | undefined;
  readonly dialect: Dialect;
  readonly seed: { readonly customers: number; readonly ugwo: number };
}

const startOptions = {
  port: option('--port <n>', 'listen on this port (any free one)', asInteger(0, 65_535)),
  data: dataOption,
  dialect: option(
    '--dialect <name>',
    'documented, or live: answers as the public service writes them (documented)',
    asOneOf(DIALECTS),
  ),
} as const;

const start = defineCommand({
  path: ['emulator', 'start'],
  summary: 'run the service on this machine, in the foreground',
  description:
    'Listens on 127.0.0.1 only; stop it with Ctrl-C. Its state is kept in the data file, which --local uses too; an empty ' +
    'file is filled first. metadata.emulate of a payment request decides what a charge does: fail or fail:<medium> (it ' +
    'fails at once), successful:30s, failed:30s or expired:30s (30 s after the charge), lost (the charge is made, but the ' +
    'answer is lost), lost:unmade (the answer is lost and no charge is made). --dialect live writes enums as pairs with ' +
    'translation keys, empty objects as [], amounts as text, identifiers ending in _t, and errors as {message, errors}, ' +
    'so that you can test your client with that, too.',
  args: [],
  options: startOptions,
  examples: [
    { about: 'listen on any free port', line: 'paycli emulator start' },
    { about: 'use another data file', line: 'paycli emulator start --data ./test.sqlite' },
    { about: 'answer as the public service does', line: 'paycli emulator start --dialect live' },
  ],
  output: 'origin, key, data; printed at once, then it runs until you stop it',
  exits: ['usage'],
  read: (_args, given) => ({
    port: given.port ?? 0,
    data: given.data,
    dialect: given.dialect ?? 'documented',
    seed: FIRST_RECORDS,
  }),
  load: () => import('./start.ts'),
});

export interface SeedInput {
  readonly customers: number;
  readonly ugwo: number;
  readonly data: string | undefined;
}

const seedOptions = {
  customers: option(
    '--customers <n>',
    `number of customers to add (${FIRST_RECORDS.customers})`,
    asInteger(0, MOST_RECORDS),
  ),
  ugwo: option('--ugwo <n>', `number of payment requests to add (${FIRST_RECORDS.ugwo})`, asInteger(0, MOST_RECORDS)),
  data: dataOption,
} as const;

const seed = defineCommand({
  path: ['emulator', 'seed'],
  summary: "add customers and payment requests to the emulator's data",
  description:
    'New records are newer than existing ones. Seeding a new file in the same way gives the same identifiers.',
  args: [],
  options: seedOptions,
  examples: [
    { about: 'add the usual records', line: 'paycli emulator seed' },
    { about: 'add a long list', line: 'paycli emulator seed --customers 0 --ugwo 5000' },
  ],
  output: 'customers, ugwo (numbers added), data',
  exits: ['usage'],
  read: (_args, given) => ({
    customers: given.customers ?? FIRST_RECORDS.customers,
    ugwo: given.ugwo ?? FIRST_RECORDS.ugwo,
    data: given.data,
  }),
  load: () => import('./seed.ts'),
});

export interface ResetInput {
  readonly data: string | undefined;
}

const resetOptions = { data: dataOption } as const;

const reset = defineCommand({
  path: ['emulator', 'reset'],
  summary: "remove every record from the emulator's data",
  description: 'The key stays, and no identifier is used again. Asks first; a script needs --yes.',
  args: [],
  options: resetOptions,
  examples: [
    { about: 'start over without being asked', line: 'paycli emulator reset --yes' },
    { about: 'empty another data file', line: 'paycli emulator reset --yes --data ./test.sqlite' },
  ],
  output: 'data',
  exits: ['usage', 'interrupted'],
  read: (_args, given) => ({ data: given.data }),
  load: () => import('./reset.ts'),
});

export interface SettleInput {
  readonly activity: string;
  readonly as: Ending;
  /** Milliseconds; undefined for at once. */
  readonly after: number | undefined;
  readonly data: string | undefined;
}

const settleOptions = {
  as: option('--as <ending>', ENDINGS.join(', '), asOneOf(ENDINGS)),
  in: option('--in <duration>', "delay by the emulator's clock (default: now)", asDuration),
  data: dataOption,
} as const;

const settle = defineCommand({
  path: ['emulator', 'settle'],
  summary: 'make an open charge in the emulator succeed, fail or expire',
  description:
    'Works whether or not the emulator is running. An unpaid bank_transfer account expires by itself; the status of an ' +
    'expired charge is failed.',
  args: [argument('activity', 'the activity, act.…')],
  options: settleOptions,
  examples: [
    {
      about: 'the customer pays',
      line:
        `paycli activity get ${SEEDED.processing.ugwo} ${SEEDED.processing.activity} --local\n` +
        `paycli emulator settle ${SEEDED.processing.activity} --as successful`,
    },
    {
      about: 'fail in half a minute, in another data file',
      line:
        'paycli emulator seed --data ./test.sqlite\n' +
        `paycli emulator settle ${SEEDED.processing.activity} --as failed --in 30s --data ./test.sqlite`,
    },
  ],
  output: 'the activity: uid, status, error, updated_at; with --in also due, the time when it ends',
  exits: ['usage'],
  read: (args, given) => {
    const activity = args[0] ?? '';
    const problem = idProblem('act', activity);
    if (problem !== undefined) throw usageError(`"${activity}" ${problem}`);
    if (given.as === undefined) throw usageError(`--as is required: ${ENDINGS.join(', ')}`);
    return { activity, as: given.as, after: given.in, data: given.data };
  },
  load: () => import('./settle.ts'),
});

/** The noun `emulator`. */
export const emulatorCommands = [start, seed, settle, reset];
