import { defineCommand, flag, option, optional, repeated } from '../../cli/define.ts';
import { asInteger, asText } from '../../cli/options.ts';
import { usageError } from '../../core/error.ts';
import { EVENTS, KEEP_DAYS } from '../../core/event.ts';
import type { SecretNames } from './events-spec.ts';
import { eventCommands, namesOf, refuseTypos, secretOptions } from './events-spec.ts';

/** The vector that was made with the language of the service's own plugin. */
const VECTOR = {
  secret: 'wsk.test-secret',
  body:
    '{"uid":"evt.VCvr.7K2qPmRtV9xLnQ8sD1cYwHfE","event":"ugwo.successful","data":{"uid":"ugw.VCvr.7K2qPmRtV9xLnQ8sD1cYwHfE",' +
    '"status":["ugwo_successful","enum.ugwo_status.ugwo_successful"]}}',
  signature: 'a23609f4932fa46a927a6f56fca91380109e431ca725d77d3c63d90a0484255e',
};
const SECRET_FILE = `(umask 077; printf '${VECTOR.secret}' > secret.txt)`;

export interface VerifyInput {
  readonly secrets: SecretNames;
  readonly signature: string;
  /** A file, or `-`. */
  readonly from: string;
}

const verify = defineCommand({
  path: ['webhook', 'verify'],
  danger: 'read',
  summary: 'check the signature of a delivery',
  description:
    'Reads the body as it came, byte for byte: a body that was parsed and printed again has another signature. The ' +
    'signature is that of the header X-Kwugwo-Signature.',
  args: [optional('file', 'the body; - or nothing for standard input', { completes: 'file' })],
  options: {
    ...secretOptions,
    signature: option('--signature <hex>', 'what X-Kwugwo-Signature says', asText),
  } as const,
  examples: {
    'check a body': `${SECRET_FILE}\nprintf '%s' '${VECTOR.body}' > body.json\npaycli webhook verify --secret-file secret.txt --signature ${VECTOR.signature} body.json`,
    'a body that was changed (exit 3)': `${SECRET_FILE}\necho '{}' | paycli webhook verify --secret-file secret.txt --signature ${VECTOR.signature}`,
  },
  output: 'valid (true), uid, event, ugwo, activity',
  exits: ['usage', 'rejected', 'auth', 'interrupted'],
  read: ([from = '-'], given) => {
    if (given.signature === undefined) throw usageError('--signature is required: what X-Kwugwo-Signature says');
    return { secrets: namesOf(given), signature: given.signature.trim(), from };
  },
  load: () => import('./verify.ts'),
});

export interface ListenInput {
  readonly secrets: SecretNames;
  readonly port: number;
  readonly host: string;
  readonly forwardTo: string | undefined;
  readonly allowRemote: boolean;
  readonly only: readonly string[];
  readonly exec: string | undefined;
  readonly execEnv: readonly string[];
  readonly until: { readonly count: number } | { readonly event: string } | undefined;
  readonly duplicates: boolean;
  readonly keepDays: number;
}

const untilOf = (text: string | undefined): ListenInput['until'] => {
  if (text === undefined) return undefined;
  return /^\d+$/.test(text) ? { count: asInteger(1, 1_000_000_000)(text) } : { event: text };
};

const listen = defineCommand({
  path: ['webhook', 'listen'],
  danger: 'write',
  endless: true,
  summary: 'take deliveries, keep them, print them and send them on',
  description:
    'Answers a delivery with 200 only once it is on the disk, in webhooks.db in the data folder, and one whose signature is ' +
    'missing or wrong with 401. An event is printed, run and forwarded once for good, by its uid. A target that is away is ' +
    'waited for; what it refuses is tried again for three days, more and more seldom; 410 ends forwarding. Stop it with ' +
    'Ctrl-C: what is in the queue is forwarded when it runs again. It opens no tunnel: it says how to point one at its port. ' +
    'For an event about a payment request that was charged from here it reads that payment request, once for many events, ' +
    'and records its status; what the event itself says is not relied on. A double charge that the service confirms ends ' +
    'it with exit code 3, whenever it ends.',
  options: {
    port: option('--port <n>', 'listen on this port; 0 takes any free one', asInteger(0, 65_535)),
    host: option('--host <address>', 'listen on this address (127.0.0.1)', asText, { default: '127.0.0.1' }),
    ...secretOptions,
    forwardTo: option('--forward-to <url>', 'send each event on to this URL, in order per payment request', asText, {
      type: 'url',
    }),
    only: repeated('--only <pattern>', 'print and forward only these events, such as ugwo.activity.*', asText, {
      choices: EVENTS,
    }),
    exec: option('--exec <command>', 'run this for each event, with its body on standard input; no shell', asText, {
      type: 'command',
    }),
    execEnv: repeated(
      '--exec-env <name>',
      'let --exec have this variable, too, besides PATH, HOME and the like',
      asText,
    ),
    until: option('--until <what>', 'end after so many events, or after this one, with exit code 0', asText, {
      choices: EVENTS,
    }),
    duplicates: flag('--duplicates', 'print and forward an event that comes again, too'),
    keepDays: option(
      '--keep-days <n>',
      `remove what is done with after so many days, but for the uid (${KEEP_DAYS})`,
      asInteger(1, 100_000),
      { default: String(KEEP_DAYS) },
    ),
    allowRemote: flag('--allow-remote', 'let --forward-to name another machine'),
  },
  examples: {
    'print what comes': 'paycli webhook listen --port 4400 --secret-file secret.txt',
    'send it on to your own server':
      'paycli webhook listen --port 4400 --secret-file secret.txt --forward-to http://127.0.0.1:3000/webhooks',
    'hand each payment to a program':
      "paycli webhook listen --port 4400 --secret-file secret.txt --only 'ugwo.*' --exec 'sort'",
  },
  output:
    'for each event: uid, event, ugwo, activity, received_at, delivery_id; json: body, signature too, and double_charge (confirmed, paid) where one is reported',
  exits: ['usage', 'rejected', 'auth', 'ledger', 'interrupted'],
  read: (_args, given, { validate }) => {
    if (validate)
      refuseTypos([
        ...(given.only ?? []),
        ...(given.until === undefined || /^\d+$/.test(given.until) ? [] : [given.until]),
      ]);
    if (given.execEnv !== undefined && given.exec === undefined) throw usageError('--exec-env needs --exec');
    if (given.port === undefined) throw usageError('--port is required', { hint: 'choose one, such as --port 4400' });
    return {
      secrets: namesOf(given),
      port: given.port,
      host: given.host ?? '127.0.0.1',
      forwardTo: given.forwardTo,
      allowRemote: given.allowRemote ?? false,
      only: given.only ?? [],
      exec: given.exec,
      execEnv: given.execEnv ?? [],
      until: untilOf(given.until),
      duplicates: given.duplicates ?? false,
      keepDays: given.keepDays ?? KEEP_DAYS,
    };
  },
  load: () => import('./listen.ts'),
});

/** The noun `webhook`. */
export const webhookCommands = [listen, verify, ...eventCommands];
