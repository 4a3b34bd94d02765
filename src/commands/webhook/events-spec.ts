import { argument, defineCommand, flag, option, READ_EXITS, repeated } from '../../cli/define.ts';
import { checkIdOption } from '../../cli/id-argument.ts';
import { momentIn, PAGE_OPTIONS } from '../../cli/list-options.ts';
import { asOneOf, asText, refuseTypo, refuseUnknown } from '../../cli/options.ts';
import { usageError } from '../../core/error.ts';
import type { EventState } from '../../core/event.ts';
import { EVENT_STATES, EVENTS, isWanted, KEEP_DAYS } from '../../core/event.ts';

/** Where the secrets of an endpoint come from, as they were named. */
export interface SecretNames {
  readonly main: { readonly files: readonly string[]; readonly commands: readonly string[] };
  readonly sandbox: { readonly files: readonly string[]; readonly commands: readonly string[] };
}

export const secretOptions = {
  secretFile: repeated(
    '--secret-file <file>',
    "a file that holds the endpoint's secret, wsk.…; twice while a new one takes over",
    asText,
    { completes: 'file' },
  ),
  secretCommand: repeated('--secret-command <command>', 'a command that prints it; no shell', asText, {
    type: 'command',
  }),
  sandboxSecretFile: repeated('--sandbox-secret-file <file>', 'the same for events of the sandbox (…_t)', asText, {
    completes: 'file',
  }),
  sandboxSecretCommand: repeated('--sandbox-secret-command <command>', 'the same', asText, { type: 'command' }),
} as const;

export const namesOf = (given: {
  readonly secretFile?: readonly string[];
  readonly secretCommand?: readonly string[];
  readonly sandboxSecretFile?: readonly string[];
  readonly sandboxSecretCommand?: readonly string[];
}): SecretNames => ({
  main: { files: given.secretFile ?? [], commands: given.secretCommand ?? [] },
  sandbox: { files: given.sandboxSecretFile ?? [], commands: given.sandboxSecretCommand ?? [] },
});

/** Events that exist, too, by names that are not known. */
const NEXT_ACTION = 'ugwo.activity.next_action.';

/** Throws where no known event matches a pattern: nothing would be found, which looks like an answer. */
const refuseUnmatched = (pattern: string): void => {
  const isMatched = EVENTS.some((event) => isWanted(event, [pattern])) || pattern.startsWith(NEXT_ACTION);
  if (!isMatched) refuseUnknown(pattern, EVENTS);
};

/** Throws for an event that is probably another one, mistyped. */
export const refuseTypos = (events: readonly string[] = []): void => {
  for (const event of events) event.includes('*') ? refuseUnmatched(event) : refuseTypo(event, EVENTS);
};

const SHOWN =
  'uid, event, state (kept, waiting, forwarded, failed), ugwo, activity, received_at, delivery_id, repeats, attempts, ' +
  'answer, answered_at, signature';

/** An event that a test, and the signature's vector, have. */
const EVENT = 'evt.VCvr.7K2qPmRtV9xLnQ8sD1cYwHfE';

export interface ListInput {
  readonly events: readonly string[];
  readonly ugwo: string | undefined;
  readonly states: readonly EventState[] | undefined;
  /** Those that were turned away instead. */
  readonly refused: boolean;
  readonly max: number | undefined;
  readonly cursor: string | undefined;
}

const list = defineCommand({
  path: ['webhook', 'events', 'list'],
  danger: 'read',
  summary: 'list the events that were received, newest first',
  options: {
    event: repeated('--event <pattern>', 'only these events, such as ugwo.activity.*', asText, { choices: EVENTS }),
    ugwo: option('--ugwo <ugwo>', 'only events about this payment request', asText, { completes: 'ugwo' }),
    state: repeated('--state <state>', `only these states: ${EVENT_STATES.join(', ')}`, asOneOf(EVENT_STATES)),
    refused: flag('--refused', 'list deliveries that were turned away for their signature instead'),
    ...PAGE_OPTIONS,
  } as const,
  examples: {
    'list all events': 'paycli webhook events list',
    'list what waits for its target': 'paycli webhook events list --state waiting',
    'list what was turned away': 'paycli webhook events list --refused',
  },
  output:
    `${SHOWN}; json: {"data":[…],"next_cursor":…}; ` +
    'with --refused: received_at, why, delivery_id, signature, size, body_start (the first 4 KiB)',
  exits: ['usage', 'ledger', 'read_failed', 'interrupted'],
  read: (_args, given, { validate }) => {
    if (validate) checkIdOption('--ugwo', 'ugw', given.ugwo);
    if (validate) given.event?.forEach(refuseUnmatched);
    const { event: events = [], ugwo, state: states, refused = false, max, cursor } = given;
    if (refused && (events.length > 0 || ugwo !== undefined || states !== undefined || cursor !== undefined)) {
      throw usageError("--refused can't be used with --event, --ugwo, --state or --cursor");
    }
    return { events, ugwo, states, refused, max, cursor };
  },
  load: async () => ({ run: (await import('./events.ts')).list }),
});

const show = defineCommand({
  path: ['webhook', 'events', 'show'],
  danger: 'read',
  summary: 'show an event with its headers and body',
  args: [argument('uid', 'the event, evt.… (sha256:… where it has no uid)')],
  examples: {
    'show an event': `paycli webhook events show ${EVENT}`,
  },
  output: `${SHOWN}, headers, body (JSON; null where it is none, then body_base64)`,
  exits: ['usage', 'rejected', 'ledger'],
  read: (args) => ({ uid: args[0] ?? '' }),
  load: async () => ({ run: (await import('./events.ts')).show }),
});

export interface ReplayInput {
  readonly uid: string;
  readonly to: string | undefined;
  readonly allowRemote: boolean;
  readonly edit: boolean;
  readonly secrets: SecretNames;
}

const replay = defineCommand({
  path: ['webhook', 'events', 'replay'],
  danger: 'write',
  summary: 'send an event once more, byte for byte',
  description:
    'With the signature and the delivery id that it came with. --edit opens the body in $VISUAL or $EDITOR first, and signs ' +
    'what it has become with the secret.',
  args: [argument('uid', 'the event, evt.…')],
  options: {
    to: option('--to <url>', 'send it here (where `webhook listen` last forwarded to)', asText, { type: 'url' }),
    edit: flag('--edit', 'change the body first, on a terminal'),
    ...secretOptions,
    allowRemote: flag('--allow-remote', 'let --to name another machine'),
  } as const,
  examples: {
    'send it to your own server': `paycli webhook events replay ${EVENT} --to http://127.0.0.1:3000/webhooks`,
  },
  output: 'uid, event, to, answer (the status)',
  exits: [...READ_EXITS, 'not_sent', 'ledger'],
  read: ([uid = ''], given) => ({
    uid,
    to: given.to,
    allowRemote: given.allowRemote ?? false,
    edit: given.edit ?? false,
    secrets: namesOf(given),
  }),
  load: async () => ({ run: (await import('./events.ts')).replay }),
});

const prune = defineCommand({
  path: ['webhook', 'prune'],
  danger: 'write',
  summary: 'remove old events that are done with, but keep what stops them being told twice',
  description:
    'Removes what came before --before and was told and forwarded, kept or given up. What still waits for its target stays. The ' +
    'uids stay, so an event that comes again is known. It asks first, and may run while `webhook listen` does, which by itself ' +
    `removes what is older than ${KEEP_DAYS} days (--keep-days).`,
  options: {
    before: option('--before <time>', 'what came before: 90d, 2026-01-31 or a full timestamp', asText, {
      type: 'time',
    }),
  } as const,
  examples: { 'keep the events of a month': 'paycli webhook prune --before 30d --yes' },
  output: 'before, pruned, waiting (left, since their target has not taken them)',
  exits: ['usage', 'ledger', 'interrupted'],
  read: (_args, given) => {
    if (given.before === undefined) throw usageError('--before is required: prune what is older than that');
    try {
      return { before: momentIn('local', 'first', given.before) };
    } catch (thrown) {
      throw usageError(`--before: ${(thrown as Error).message}`);
    }
  },
  load: async () => ({ run: (await import('./events.ts')).prune }),
});

export const eventCommands = [list, show, replay, prune];
