import {
  argument,
  defineCommand,
  flag,
  type GivenOptions,
  type HowToRead,
  type InputOf,
  listed,
  option,
  optional,
  READ_EXITS,
  rarely,
  repeated,
  taking,
} from '../../cli/define.ts';
import {
  asFile,
  asInteger,
  asMoment,
  asOneOf,
  asStatus,
  asText,
  checkIdOption,
  PAGE_OPTIONS,
  refuseTypo,
  refuseUnknown,
} from '../../cli/options.ts';
import { usageError } from '../../core/error.ts';
import { statusArgument } from '../../core/status.ts';
import { EVENT_STATES, EVENTS, isWanted, KEEP_DAYS } from '../../core/webhook-event.ts';

const asCommand = taking({ type: 'command' }, asText);

const secretOptions = rarely(['secretCommand', 'sandboxSecretFile', 'sandboxSecretCommand'], {
  secretFile: repeated(
    '--secret-file <file>',
    "a file with the endpoint's secret, wsk.…; repeat it while you change secrets",
    asFile,
  ),
  secretCommand: repeated('--secret-command <command>', 'a command that prints the secret; no shell', asCommand),
  sandboxSecretFile: repeated(
    '--sandbox-secret-file <file>',
    "a file with the sandbox's secret, for events whose uid ends in _t",
    asFile,
  ),
  sandboxSecretCommand: repeated(
    '--sandbox-secret-command <command>',
    "a command that prints the sandbox's secret",
    asCommand,
  ),
});

const secretNames = (input: InputOf<typeof secretOptions>) => ({
  main: { files: input.secretFile, commands: input.secretCommand },
  sandbox: { files: input.sandboxSecretFile, commands: input.sandboxSecretCommand },
});

/** Throws if no known event matches a pattern. Otherwise an empty list would look like a valid answer. */
const refuseUnmatched = (pattern: string): void => {
  // Not all names of next actions that the service uses are documented.
  const isMatched =
    EVENTS.some((event) => isWanted(event, [pattern])) || pattern.startsWith('ugwo.activity.next_action.');
  if (!isMatched) refuseUnknown(pattern, EVENTS);
};

/** Throws if an event looks like a mistyped known one, or if a pattern matches no known event. */
const refuseTypos = (events: readonly string[]): void => {
  for (const event of events) event.includes('*') ? refuseUnmatched(event) : refuseTypo(event, EVENTS);
};

const EVENT_OUTPUT =
  'uid, event, state (kept, waiting, forwarded, failed), ugwo, activity, received_at, delivery_id, repeats, attempts, ' +
  'answer, answered_at, signature';

/** An event that was sent to a URL. */
const POSTED_OUTPUT = 'uid, event, to, answer (the status), ms (until the answer)';

/** The event uid used in a test and in the signature vector. */
const EXAMPLE_EVENT = 'evt.VCvr.7K2qPmRtV9xLnQ8sD1cYwHfE';

const eventOptions = rarely(['refused'], {
  event: repeated('--event <pattern>', 'only these events, such as ugwo.activity.*', asText, { choices: EVENTS }),
  ugwo: option('--ugwo <ugwo>', 'only events about this payment request', asText, { completes: 'ugwo' }),
  state: listed(
    '--state <a,b>',
    `only these states: ${EVENT_STATES.map(statusArgument).join(', ')}`,
    asStatus(EVENT_STATES),
  ),
  refused: flag('--refused', 'list deliveries that were refused for their signature instead'),
  ...PAGE_OPTIONS,
});

export type EventsInput = GivenOptions<typeof eventOptions>;

export const replayInput = rarely(['allowRemote'], {
  uid: argument('uid', 'the event, evt.…', { completes: 'event' }),
  to: option('--to <url>', 'send it to this URL (default: the last target of `webhook listen`)', asText, {
    type: 'url',
  }),
  allowRemote: flag('--allow-remote', 'let --to name another machine: by https, or in a private network'),
});

/** Test vector computed in the language of the service's own plugin. */
const VECTOR = {
  secret: 'wsk.test-secret',
  body:
    '{"uid":"evt.VCvr.7K2qPmRtV9xLnQ8sD1cYwHfE","event":"ugwo.successful","data":{"uid":"ugw.VCvr.7K2qPmRtV9xLnQ8sD1cYwHfE",' +
    '"status":["ugwo_successful","enum.ugwo_status.ugwo_successful"]}}',
  signature: 'a23609f4932fa46a927a6f56fca91380109e431ca725d77d3c63d90a0484255e',
};
const SECRET_FILE = `(umask 077; printf '${VECTOR.secret}' > secret.txt)`;

const verifyInput = {
  from: optional('file', 'the file with the body; - or nothing for standard input', { completes: 'file' }),
  ...secretOptions,
  signature: option('--signature <hex>', 'the value of X-Kwugwo-Signature', asText),
};

export const readVerify = ({ from = '-', signature, ...given }: InputOf<typeof verifyInput>) => {
  if (signature === undefined) throw usageError('--signature is required: the value of X-Kwugwo-Signature');
  return { secrets: secretNames(given), signature: signature.trim(), from };
};

const triggerInput = {
  event: optional('event', EVENTS.join(', '), { choices: EVENTS }),
  to: option('--to <url>', 'the receiver; https outside a private network', asText, { type: 'url' }),
  secretFile: option('--secret-file <file>', 'sign with the secret in this file, wsk.…', asFile),
  list: flag('--list', 'list the events instead'),
};

/** Undefined for a list of the events. */
export const readTrigger = ({ event, to, secretFile, list }: InputOf<typeof triggerInput>) => {
  if (list && (event ?? to) !== undefined) throw usageError("--list can't be used with an event or --to");
  if (list) return undefined;
  if (event === undefined) throw usageError('no event given', { hint: 'list the events with --list' });
  if (to === undefined) throw usageError('--to is required: the URL of the receiver');
  if (secretFile === undefined) throw usageError('--secret-file is required: it signs the event');
  return { event: asOneOf(EVENTS)(event), to, secretFile };
};

const listenInput = rarely(['host', 'execEnv', 'until', 'duplicates', 'keepDays', 'allowRemote'], {
  port: option('--port <n>', 'listen on this port; 0: any free port', asInteger(0, 65_535)),
  host: option('--host <address>', 'listen on this address (127.0.0.1)', asText, { default: '127.0.0.1' }),
  ...secretOptions,
  forwardTo: option('--forward-to <url>', 'forward each event to this URL, in order per payment request', asText, {
    type: 'url',
  }),
  only: repeated('--only <pattern>', 'print and forward only these events, such as ugwo.activity.*', asText, {
    choices: EVENTS,
  }),
  exec: option('--exec <command>', 'run this for each event, with its body on standard input; no shell', asCommand),
  execEnv: repeated('--exec-env <name>', 'pass this variable to --exec, besides PATH, HOME and the like', asText),
  until: option(
    '--until <what>',
    'end with exit code 0 after this many events, or after an event of this name',
    asText,
    { choices: EVENTS },
  ),
  duplicates: flag('--duplicates', 'also print and forward an event that comes again'),
  keepDays: option(
    '--keep-days <n>',
    `remove finished events after this many days, except their uids (${KEEP_DAYS})`,
    asInteger(1, 100_000),
    { default: String(KEEP_DAYS) },
  ),
  allowRemote: flag('--allow-remote', 'let --forward-to name another machine: by https, or in a private network'),
});

const readUntil = (text: string | undefined) => {
  if (text === undefined) return undefined;
  return /^\d+$/.test(text) ? { count: asInteger(1, 1_000_000_000)(text) } : { event: text };
};

const readListen = (input: InputOf<typeof listenInput>, { validate }: HowToRead) => {
  const { port, only, exec, execEnv, ...others } = input;
  const until = readUntil(input.until);
  if (validate) refuseTypos([...only, ...(until?.event === undefined ? [] : [until.event])]);
  if (execEnv.length > 0 && exec === undefined) throw usageError('--exec-env needs --exec');
  if (port === undefined) throw usageError('--port is required', { hint: 'choose one, such as --port 4400' });
  return { ...others, port, only, exec, execEnv, until, secrets: secretNames(input) };
};
export type ListenInput = ReturnType<typeof readListen>;

export const webhookCommands = [
  defineCommand({
    path: ['webhook', 'listen'],
    danger: 'write',
    endless: true,
    summary: 'receive events, store them, print them and forward them',
    description:
      'Answers 200 once an event is on the disk (webhooks.db in the data folder), and 401 if its signature is missing or ' +
      'wrong. Each event is printed once and runs --exec once. If the target is down, events wait. If the target refuses an ' +
      'event, paycli tries it again for three days, with growing pauses; 410 ends forwarding. Stop it with ' +
      'Ctrl-C: the next `webhook listen` forwards what is still queued. It opens no tunnel: use one of your own.\n\n' +
      'For an event about a charge in the ledger, it reads the payment request and records its status. It does not rely on ' +
      'the event itself. If the service confirms a double charge, the exit code is 3 ' +
      'when it ends.',
    input: listenInput,
    examples: {
      'print events': 'paycli webhook listen --port 4400 --secret-file secret.txt',
      'forward events to your own server':
        'paycli webhook listen --port 4400 --secret-file secret.txt --forward-to http://127.0.0.1:3000/webhooks',
      'run a program for each payment':
        "paycli webhook listen --port 4400 --secret-file secret.txt --only 'ugwo.*' --exec 'sort'",
    },
    output:
      'for each event: uid, event, ugwo, activity, received_at, delivery_id; json adds body, signature, and double_charge (confirmed, paid) if the service reports one',
    exits: ['usage', 'rejected', 'auth', 'ledger', 'interrupted'],
    read: readListen,
    load: async () => ({ run: (await import('./listen.ts')).listenForEvents }),
  }),
  defineCommand({
    path: ['webhook', 'verify'],
    danger: 'read',
    summary: 'check the signature of a delivery',
    description:
      "Reads the body byte for byte as it came. Don't parse and reformat the body first: its signature would change. The " +
      'signature is the value of the header X-Kwugwo-Signature.',
    input: verifyInput,
    examples: {
      'check a body': `${SECRET_FILE}\nprintf '%s' '${VECTOR.body}' > body.json\npaycli webhook verify --secret-file secret.txt --signature ${VECTOR.signature} body.json`,
      'a body that was changed (exit 3)': `${SECRET_FILE}\necho '{}' | paycli webhook verify --secret-file secret.txt --signature ${VECTOR.signature}`,
    },
    output: 'valid (true), uid, event, ugwo, activity',
    exits: ['usage', 'rejected', 'auth', 'interrupted'],
    read: readVerify,
    load: async () => ({ run: (await import('./listen.ts')).verifyDelivery }),
  }),
  defineCommand({
    path: ['webhook', 'trigger'],
    danger: 'write',
    summary: 'send a made-up event to a URL, signed as by the service',
    description:
      'Sends it once, without an emulator; exit 3 if the answer is not 2xx. Its record exists nowhere. ' +
      '`emulator webhook trigger` sends events about records of the emulator.',
    input: triggerInput,
    examples: {
      'list the events': 'paycli webhook trigger --list',
      'tell your own server of a payment': `${SECRET_FILE}\npaycli webhook trigger ugwo.successful --to http://127.0.0.1:3000/webhooks --secret-file secret.txt`,
    },
    output: `${POSTED_OUTPUT}; with --list: event`,
    exits: [...READ_EXITS, 'not_sent'],
    read: readTrigger,
    load: async () => ({ run: (await import('./events.ts')).sendMadeUpEvent }),
  }),
  defineCommand({
    path: ['webhook', 'events', 'list'],
    danger: 'read',
    summary: 'list received events, newest first',
    input: eventOptions,
    examples: {
      'list all events': 'paycli webhook events list',
      'list events that wait for their target': 'paycli webhook events list --state waiting',
      'list refused deliveries': 'paycli webhook events list --refused',
    },
    output:
      `${EVENT_OUTPUT}, ref, amount, currency (as in the body; empty if that has none); json: {"data":[…],"next_cursor":…}; ` +
      'with --refused: received_at, why, delivery_id, signature, size, body_start (the first 4 KiB)',
    exits: ['usage', 'ledger', 'read_failed', 'interrupted'],
    read: (_input, { validate }, given): EventsInput => {
      if (validate) checkIdOption('--ugwo', 'ugw', given.ugwo);
      if (validate) given.event?.forEach(refuseUnmatched);
      if (given.refused && (given.event ?? given.ugwo ?? given.state ?? given.cursor) !== undefined) {
        throw usageError("--refused can't be used with --event, --ugwo, --state or --cursor");
      }
      return given;
    },
    load: async () => ({ run: (await import('./events.ts')).listEvents }),
  }),
  defineCommand({
    path: ['webhook', 'events', 'show'],
    danger: 'read',
    summary: 'show an event with its headers and body',
    input: { uid: argument('uid', 'the event, evt.… (sha256:… if it has no uid)', { completes: 'event' }) },
    examples: { 'show an event': `paycli webhook events show ${EXAMPLE_EVENT}` },
    output: `${EVENT_OUTPUT}, headers, body (JSON; null if the body is not JSON, then body_base64)`,
    exits: ['usage', 'rejected', 'ledger'],
    load: async () => ({ run: (await import('./events.ts')).showEvent }),
  }),
  defineCommand({
    path: ['webhook', 'events', 'replay'],
    danger: 'write',
    summary: 'send an event again, byte for byte',
    description: 'Keeps the signature and the delivery id.',
    input: replayInput,
    examples: {
      'send it to your own server': `paycli webhook events replay ${EXAMPLE_EVENT} --to http://127.0.0.1:3000/webhooks`,
    },
    output: POSTED_OUTPUT,
    exits: [...READ_EXITS, 'not_sent', 'ledger'],
    load: async () => ({ run: (await import('./events.ts')).sendEventAgain }),
  }),
  defineCommand({
    path: ['webhook', 'prune'],
    danger: 'write',
    summary: 'remove old events',
    description:
      'Removes the refused deliveries, and the headers and bodies of the events, that came before --before: those of ' +
      '`webhook listen` and of each program of `watch --exec`. An event that still waits is never delivered then. ' +
      'Uids of events stay, so paycli recognizes an event that comes again. It asks first. It can run beside `webhook listen`, which ' +
      `removes finished events after ${KEEP_DAYS} days by itself (--keep-days).`,
    input: {
      before: option(
        '--before <time>',
        'events that came before: 90d, 2026-01-31 or a full timestamp',
        asMoment('first'),
      ),
    },
    examples: { 'keep the events of a month': 'paycli webhook prune --before 30d --yes' },
    output: 'before, pruned, waiting (those of them that were not delivered), refused (removed refused deliveries)',
    exits: ['usage', 'ledger', 'interrupted'],
    read: ({ before }) => {
      if (before === undefined) throw usageError('--before is required: it removes events older than that');
      return { before };
    },
    load: async () => ({ run: (await import('./events.ts')).pruneEvents }),
  }),
];
