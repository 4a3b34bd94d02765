import {
  type ChargeField,
  type ChargeFields,
  FIELD_PARSERS,
  findFaults,
  findUncheckedFaults,
  MEDIUM_COLUMNS,
  MEDIUM_FIELD_NAMES,
  MEDIUM_FIELDS,
  MEDIUM_NAMES,
  mediumNamed,
} from '../../charge/mediums.ts';
import { BULK_OPTIONS, type BulkInput, fileFlag, readBulk } from '../../cli/bulk-options.ts';
import {
  defineCommand,
  flag,
  type GivenOptions,
  type HowToRead,
  ONCE_EXITS,
  type OptionSpec,
  option,
  optional,
  type Parse,
  type Question,
  rarely,
  repeated,
  taking,
} from '../../cli/define.ts';
import { asPair, asText, asWaitTimeout, readId, readShare, SHARE_OPTIONS, WAIT_DEFAULT_MS } from '../../cli/options.ts';
import { SEEDED } from '../../core/data-files.ts';
import { EXIT_CODES, usageError } from '../../core/error.ts';
import { canBeName, isId } from '../../core/ids.ts';
import { asFlag, type Pair, readSourceName, refuseSharedStdin } from '../../core/input.ts';
import { pick } from '../../core/json.ts';
import type { PlannedCharge } from '../run.ts';

/** Exit codes of rows, the most serious first. A fault of the file (2) or of paycli (1) ends the run before any row. */
const knownCodes = Object.values(EXIT_CODES);
const ROW_EXITS = [...knownCodes.slice(knownCodes.indexOf(EXIT_CODES.usage) + 1), 0];

const fieldOptions = new Map<string, OptionSpec>();
for (const { name, form = 'text', takes, help, hint, default: value, bank, rare } of MEDIUM_FIELDS) {
  const parser = FIELD_PARSERS[form];
  const parse: Parse<ChargeFields[string]> =
    parser === undefined
      ? asText
      : taking({ type: form === 'time' ? 'time' : 'duration' }, (text) => {
          const read = parser.read(text);
          if (read !== undefined) return read;
          throw usageError(`"${text}" is not ${parser.wanted}`, hint === undefined ? {} : { hint });
        });
  fieldOptions.set(name, {
    ...option(`--${name.replaceAll('_', '-')} <${takes}>`, help, parse),
    ...(value !== undefined && { default: value }),
    ...(bank && { completes: 'bank' }),
    ...(rare && { rare }),
  });
}

const chargeInput = rarely(['param', 'remaining', 'waitTimeout', 'noPreflight'], {
  ugwo: optional('ugwo', 'the payment request, ugw.… or its ref; or --from', { completes: 'ugwo' }),
  medium: option('--medium <medium>', MEDIUM_NAMES.join(', '), asText, { choices: MEDIUM_NAMES }),
  ...Object.fromEntries(fieldOptions),
  param: repeated('--param <k=v>', 'any other key of the charge; k:=json sets a JSON value', asPair),
  wait: flag('--wait', 'wait until the payment (or each) is paid or failed'),
  waitTimeout: option('--wait-timeout <duration>', 'with --wait: maximum wait (15m)', asWaitTimeout, {
    default: '15m',
  }),
  again: flag('--again', 'charge although an earlier charge can still be paid'),
  remaining: flag('--remaining', 'charge what is missing of a payment request that is paid in part, and nothing else'),
  noPreflight: flag('--no-preflight', "don't check the payment request before charging it"),
  reuse: flag(
    '--reuse',
    'print the earlier activity if it is paid or can still be paid, and charge nothing; otherwise charge',
  ),
  ...SHARE_OPTIONS,
  shareWith: option('--share-with <program>', 'pipe that message to this program, for each charge', asText),
  ...BULK_OPTIONS,
});
type ChargeGiven = GivenOptions<typeof chargeInput>;

/** Reaction to an earlier charge that can still be paid or was paid. `remaining`: only the rest is charged. */
export type Earlier = 'refuse' | 'again' | 'remaining';

/** Options of a charge, and of each charge of a file. */
interface ChargeOptions extends Readonly<ReturnType<typeof readCommon>> {
  readonly fields: ChargeFields;
  readonly earlier: Earlier | 'reuse';
}

export interface OneCharge extends ChargeOptions {
  readonly kind: 'one';
  readonly ugwo: string;
  /** The ref by which it was found; undefined if its id was given. */
  readonly name: string | undefined;
  /** The plan that the charge carries out. No option gives it. */
  readonly plan?: PlannedCharge;
}

/** A file of charges. Options give the values for which the file has no column. */
export interface FileOfCharges extends ChargeOptions {
  readonly kind: 'file';
  readonly bulk: BulkInput;
  readonly earlier: Earlier;
}

export type ChargeInput = OneCharge | FileOfCharges;

const fieldsGiven = (given: ChargeGiven): ChargeFields => pick(given as ChargeFields, MEDIUM_FIELD_NAMES);

const readChargeFields = (given: ChargeGiven, validate: boolean): ChargeFields => {
  const fields = fieldsGiven(given);
  const [fault] = (validate ? findFaults : findUncheckedFaults)(fields, given.param !== undefined, asFlag);
  if (fault !== undefined) throw usageError(fault.what);
  return fields;
};

const readEarlier = (given: ChargeGiven): OneCharge['earlier'] => {
  const [first = 'refuse', second] = (['again', 'reuse', 'remaining'] as const).filter((name) => given[name] === true);
  if (second !== undefined) throw usageError(`--${first} and --${second} can't be used together`);
  if (first === 'remaining' && given.noPreflight === true) {
    throw usageError("--remaining and --no-preflight can't be used together", {
      hint: 'what is missing is read from the payment request',
    });
  }
  return first;
};

/** `look`: read each payment request before its charge. `wait`: milliseconds for the payments once all are sent. */
const readCommon = ({ param = [], noPreflight, wait, waitTimeout, ...given }: ChargeGiven) => {
  if (wait !== true && waitTimeout !== undefined) throw usageError('--wait-timeout needs --wait');
  if (given.share === true && wait === true) {
    throw usageError("--share and --wait can't be used together", {
      hint: 'wait afterwards, with: paycli activity wait',
    });
  }
  return {
    params: param as readonly Pair[],
    look: noPreflight !== true,
    wait: wait === true ? (waitTimeout ?? WAIT_DEFAULT_MS) : undefined,
    shareWith: given.shareWith,
    passOn: readShare(given, given.shareWith),
  };
};

const refuseUnreadRef = (_prefix: string, ref: string): never => {
  throw usageError(`--no-preflight needs the id of the payment request, not its ref "${ref}"`, {
    hint: 'leave out --no-preflight, or give the id, ugw.…',
  });
};

const readOneCharge = (ugwo: string | undefined, given: ChargeGiven, how: HowToRead): OneCharge => {
  const hint = 'or charge many from a file: --from charges.csv';
  if (ugwo === undefined) throw usageError("missing required argument 'ugwo': a payment request, ugw.…", { hint });
  const id = readId('ugw', ugwo, given.noPreflight ? { ...how, named: refuseUnreadRef } : how);
  return {
    kind: 'one',
    ugwo: id,
    name: id === ugwo ? undefined : ugwo,
    fields: readChargeFields(given, how.validate),
    earlier: readEarlier(given),
    ...readCommon(given),
  };
};

const readChargeFile = (bulk: BulkInput, given: ChargeGiven): FileOfCharges => {
  const single = (['share', 'copy'] as const).find((name) => given[name] === true);
  if (single !== undefined) throw usageError(`--${single} and ${fileFlag(given)} can't be used together`);
  refuseSharedStdin([bulk.from, given.shareTemplate ?? ''].map(readSourceName));
  const earlier = readEarlier(given);
  if (earlier === 'reuse') throw usageError(`--reuse and ${fileFlag(given)} can't be used together`);
  return { kind: 'file', bulk, fields: fieldsGiven(given), earlier, ...readCommon(given) };
};

const fieldQuestion = ({ name, question, bank }: ChargeField): Question => ({
  option: name,
  title: question ?? name,
  // The service decides which codes it accepts.
  ...(bank && { choices: async () => (await import('../../core/banks.ts')).BANK_CODES, open: true }),
});

const REQUEST_QUESTION = {
  title: 'Which payment request (the newest unpaid ones)',
  records: async () => (await import('./choose.ts')).unpaidRequests,
  open: true,
};

/** Asks among the mediums of the payment request, or among all if it may not be read. */
const mediumQuestion = (ugwo: string, look: boolean): Question => ({
  option: 'medium',
  title: 'Which medium',
  choices: async () => MEDIUM_NAMES,
  ...(look ? { records: async () => (await import('./choose.ts')).mediumsOf(ugwo) } : {}),
});

/** The next question for a required value that is missing; undefined if there is none. */
const missingFieldIn = ([ugwo]: readonly string[], given: ChargeGiven): Question | undefined => {
  const { medium, from, template, noPreflight } = given;
  if (from !== undefined || template) return undefined;
  if (ugwo === undefined) return REQUEST_QUESTION;
  if (!canBeName('ugw', ugwo) && !isId('ugw', ugwo)) return undefined;
  if (medium === undefined) return mediumQuestion(ugwo, noPreflight !== true);
  const fields = fieldsGiven(given);
  const missing = mediumNamed(medium)?.fields.find(({ name, needs }) => needs && fields[name] === undefined);
  return missing && fieldQuestion(missing);
};

export const chargeCommand = defineCommand({
  path: ['ugwo', 'charge'],
  danger: 'money',
  summary: 'charge a payment request, or a file of payment requests',
  description:
    'Creates an activity: one attempt to charge the payment request. paycli sends it once and records it in the ' +
    'ledger. If the answer is lost, the exit code is 6 and the charge may exist. Then `paycli ledger sync` ' +
    'finds out, and until then paycli sends no other charge for that payment request.\n\n' +
    'paycli reads the payment request first. It refuses (exit 9) if the request is paid, refunded or cancelled, ' +
    'or if the customer can still pay an earlier charge, from any client: --again charges all the same, and a terminal ' +
    'asks if the earlier one is by another medium. --remaining charges the rest of a request that is paid in part.\n\n' +
    'A ref is looked for in the ledger, then among the newest 2,000 payment requests (100,000 for the refs of a file); the service accepts each ref once. ' +
    'paycli shows whose id it is before it sends anything, and a terminal asks (--yes answers). --dry-run and --as-curl ' +
    'look it up, too; --no-preflight refuses it.\n\n' +
    '--dry-run reads the payment request and the ledger, writes nothing, and ends with the exit code that the charge ' +
    'would start with. For a file it reports the total, and the rows that would be refused. With --no-preflight it ' +
    'reads neither and needs no key.\n\n' +
    'With --from, each row of a file is one charge. Columns, in any case, also with blanks: ugwo (an id or a ref), medium, ' +
    `${MEDIUM_COLUMNS.join(', ')}, ` +
    'param.k (param.k: for JSON). Options apply to fields without a column. The columns ' +
    'amount, amount_minor, currency, ref and customer are compared with the payment request before anything is sent ' +
    '(exit 2 if one differs) and again before the charge (then exit 9); `7000` in amount is 7,000.00. Other columns ' +
    'are copied to the report. The whole file is checked before anything is sent. Run the same command ' +
    'again to continue where it stopped: no row is charged twice. The exit code is that of the most serious row, in ' +
    `the order ${ROW_EXITS.join(', ')}.\n\n` +
    '--share-with runs a program without a shell once for each charge that the customer can pay, with the message ' +
    'alone on its standard input, and PAYCLI_UGWO, PAYCLI_REF and PAYCLI_EMAIL in its environment (a ref or an ' +
    'address that could be read as something else is left out), but no key. If it fails, the charge stays and the exit code is ' +
    '14; the same file, or the same command with --reuse, shares what is left. A message that may be sent already, ' +
    "since paycli or the program was killed, is not shared again. The report's column shared is yes, no, unknown, or " +
    'sharing (another run does it). With --from, at most four times --concurrency programs run at once.',
  input: chargeInput,
  examples: {
    'get an account number to transfer to': `paycli ugwo charge ${SEEDED.ugwo} --medium bank_transfer`,
    'get an account that expires in ten minutes': `paycli ugwo charge ${SEEDED.ugwo} --medium bank_transfer --expires-in 10m`,
    'get a code to dial': `paycli ugwo charge ${SEEDED.ugwo} --medium ussd --provider gtb`,
    'print a message to send to the customer in place of the activity': `paycli ugwo charge ${SEEDED.ugwo} --medium bank_transfer --share`,
    'send the message with a program of your own': `paycli ugwo charge ${SEEDED.ugwo} --medium bank_transfer --share-with 'tee message.txt'`,
    'for a script that may run twice: the customer gets one account': `paycli ugwo charge ${SEEDED.ugwo} --medium bank_transfer --reuse -o json`,
    'wait for the payment, at most five seconds (exit 12: not paid yet)': `paycli ugwo charge ${SEEDED.ugwo} --medium ussd --provider gtb --wait --wait-timeout 5s`,
    'charge payment requests from a spreadsheet, with a report':
      `printf 'ugwo,medium\\n${SEEDED.ugwo},bank_transfer\\n' > charges.csv\n` +
      'paycli ugwo charge --from charges.csv --concurrency 16 --report result.csv',
    'read rows from another program, at most 50 per second': `printf 'ugwo\\n${SEEDED.ugwo}\\n' | paycli ugwo charge --from - --medium bank_transfer --rate 50/s --yes`,
    'show the request, send nothing': `paycli ugwo charge ${SEEDED.ugwo} --medium ussd --provider gtb --as-curl`,
  },
  output:
    'the activity (with --wait in a pipe: printed at the end of the wait; to get the account at once, charge without --wait ' +
    'and then run `paycli activity wait`): uid, status, psp, psp_external_id, next_action (what the customer must do), error, created_at. With --from ' +
    'a summary: job, command, file, rows, a count for each state, not_started, skipped, planned (with --dry-run: rows, amounts), report, ' +
    'payments (with --wait: the lines of `paycli ledger sync`). A row of the report is as its charge was made; the same command again writes it as it is by then',
  exits: [...ONCE_EXITS, 'charge_failed', 'underpaid', 'pending', 'attention'],
  previews: true,
  read: ({ ugwo }, how, given) => {
    const [own] = given.param?.find(([name]) => MEDIUM_FIELD_NAMES.includes(name)) ?? [];
    // Only the option of a field checks its value.
    if (how.validate && own !== undefined) throw usageError(`--param ${own}: use ${asFlag(own)}`);
    const bulk = readBulk(given, ugwo, 'a payment request');
    return bulk === undefined ? readOneCharge(ugwo, given, how) : readChargeFile(bulk, given);
  },
  asks: missingFieldIn,
  load: async () => ({
    run: (await import('./charge.ts')).chargeRequests,
    view: (await import('./charge.ts')).chargedView,
  }),
});
