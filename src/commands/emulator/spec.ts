import { argument, defineCommand, type InputOf, option, rarely } from '../../cli/define.ts';
import {
  AMOUNT_OPTIONS,
  asDuration,
  asFile,
  asInteger,
  asOneOf,
  asText,
  givenAmount,
  readId,
} from '../../cli/options.ts';
import { DIALECTS, ENDINGS, FIRST_RECORDS, SEEDED } from '../../core/data-files.ts';
import { usageError } from '../../core/error.ts';
import { canBeName } from '../../core/ids.ts';
import { dataOption, emulatorClockCommand, emulatorFaultsCommand, emulatorWebhookCommands } from './control-spec.ts';

const MOST_SEEDED = 10_000_000;

export const startInput = rarely(['host', 'dialect', 'faults'], {
  port: option('--port <n>', 'listen on this port (default: any free port)', asInteger(0, 65_535)),
  host: option('--host <address>', 'listen on this address, such as 0.0.0.0 in a container (127.0.0.1)', asText, {
    default: '127.0.0.1',
  }),
  data: dataOption,
  dialect: option(
    '--dialect <name>',
    'documented, or live: answers in the form of the public service (documented)',
    asOneOf(DIALECTS),
    { default: 'documented' },
  ),
  faults: option('--faults <file>', 'follow the fault rules of this file until it stops', asFile),
});

export const seedInput = {
  customers: option(
    '--customers <n>',
    `number of customers to add (${FIRST_RECORDS.customers})`,
    asInteger(0, MOST_SEEDED),
    { default: String(FIRST_RECORDS.customers) },
  ),
  ugwo: option('--ugwo <n>', `number of payment requests to add (${FIRST_RECORDS.ugwo})`, asInteger(0, MOST_SEEDED), {
    default: String(FIRST_RECORDS.ugwo),
  }),
  data: dataOption,
};

const settleInput = rarely(['amount', 'amount_minor'], {
  activity: argument(
    'activity',
    'the activity, act.…, or a ref or an e-mail address',
    { completes: 'activityOrRef' },
    (text) => (canBeName('ugw', text) ? text : readId('act', text, { validate: true })),
  ),
  as: option('--as <ending>', ENDINGS.join(', '), asOneOf(ENDINGS)),
  in: option('--in <duration>', "delay by the emulator's clock (default: now)", asDuration),
  ...AMOUNT_OPTIONS,
  data: dataOption,
});

const readSettle = (input: InputOf<typeof settleInput>) => {
  const { activity, as, data } = input;
  if (as === undefined) throw usageError(`--as is required: ${ENDINGS.join(', ')}`);
  const amount = givenAmount(input);
  if (amount !== undefined && as !== 'successful') throw usageError(`${amount.flag} is for --as successful`);
  return { activity, as, after: input.in, amount, data };
};
export type SettleInput = ReturnType<typeof readSettle>;

export const emulatorCommands = [
  defineCommand({
    path: ['emulator', 'start'],
    danger: 'write',
    summary: 'run the service on this machine, in the foreground',
    description:
      'Listens on 127.0.0.1, or on --host so that other machines can connect. Stop it with Ctrl-C. It shares its data ' +
      'file with --local, and adds sample records to an empty file.\n\n' +
      'metadata.emulate of a payment request decides how its charges end: fail or fail:MEDIUM (fails at once), ' +
      'successful:30s, failed:30s or expired:30s (30 s after the charge), successful:30s:250000 (the customer pays ' +
      'another amount), reversed:2m (2 minutes after the payment), 402 (the workspace has no balance), lost (the charge is ' +
      'made, the answer is lost), lost:unmade (the answer is lost and no charge is made). refund:failed or ' +
      'refund:failed:30s decide how a refund ends. unrouted or 402:create decide how the creation ends. Separate ' +
      'several with spaces.\n\n' +
      'It also serves the hosted page, /ugw.…?pk=PUBLIC_KEY&embed=1&embed_origin=ORIGIN, with a button for each medium; ' +
      'the console, with buttons that settle charges; and /openapi.json. ' +
      '/emulator/clock and /emulator/faults take control_token as the key.\n\n' +
      '--dialect live answers as the public service does: enums as pairs with translation keys, empty objects as [], ' +
      'amounts as text, lists with few fields, identifiers that end in _t, and errors as {message, errors}. Test your client with both.',
    input: startInput,
    examples: {
      'listen on any free port': 'paycli emulator start',
      'use another data file': 'paycli emulator start --data ./test.sqlite',
      'answer as the public service does': 'paycli emulator start --dialect live',
    },
    output:
      'origin, key, data, public_key, control_token, console (open it in a browser); printed at once, then it runs until you stop it',
    exits: ['usage'],
    load: async () => ({ run: (await import('./emulator.ts')).serveEmulator }),
  }),
  defineCommand({
    path: ['emulator', 'seed'],
    danger: 'write',
    summary: "add customers and payment requests to the emulator's data",
    description:
      'New records are newer than existing ones. Seeding a new file in the same way gives the same identifiers.',
    input: seedInput,
    examples: {
      'add the usual records': 'paycli emulator seed',
      'add a long list': 'paycli emulator seed --customers 0 --ugwo 5000',
    },
    output: 'customers, ugwo (numbers added), data',
    exits: ['usage', 'interrupted'],
    load: async () => ({ run: (await import('./emulator.ts')).seedEmulator }),
  }),
  defineCommand({
    path: ['emulator', 'settle'],
    danger: 'write',
    summary: 'make a charge in the emulator succeed, fail, expire or be reversed',
    description:
      'Works whether or not the emulator is running. An unpaid bank_transfer account expires by itself; an expired ' +
      'charge has the status failed. --as successful also pays an expired charge: a late transfer. --amount pays a part ' +
      'or too much. --as reversed is for a paid charge: the provider takes the money back.',
    input: settleInput,
    examples: {
      'the customer pays':
        `paycli activity get ${SEEDED.processing.ugwo} ${SEEDED.processing.activity} --local\n` +
        `paycli emulator settle ${SEEDED.processing.activity} --as successful`,
      'the customer pays a part':
        `paycli activity get ${SEEDED.processing.ugwo} ${SEEDED.processing.activity} --local\n` +
        `paycli emulator settle ${SEEDED.processing.activity} --as successful --amount 400.00`,
      'fail in half a minute, in another data file':
        'paycli emulator seed --data ./test.sqlite\n' +
        `paycli emulator settle ${SEEDED.processing.activity} --as failed --in 30s --data ./test.sqlite`,
    },
    output: 'the activity: uid, status, error, updated_at; with --in also due, the time when it ends',
    exits: ['usage'],
    read: readSettle,
    load: async () => ({ run: (await import('./emulator.ts')).settleEmulatorCharge }),
  }),
  emulatorClockCommand,
  emulatorFaultsCommand,
  ...emulatorWebhookCommands,
  defineCommand({
    path: ['emulator', 'reset'],
    danger: 'write',
    summary: "remove every record from the emulator's data",
    description: 'The key stays, and identifiers are never reused. Asks first; a script needs --yes.',
    input: { data: dataOption },
    examples: {
      'start over without being asked': 'paycli emulator reset --yes',
      'empty another data file': 'paycli emulator reset --yes --data ./test.sqlite',
    },
    output: 'data',
    exits: ['usage', 'interrupted'],
    load: async () => ({ run: (await import('./emulator.ts')).resetEmulator }),
  }),
];
