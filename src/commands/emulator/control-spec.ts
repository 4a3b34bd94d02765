/** The commands for the clock, the faults and the webhooks of the emulator. */
import { argument, defineCommand, flag, option, optional, rarely, repeated } from '../../cli/define.ts';
import { asDuration, asFile, asInteger, asOneOf, asText, checkIdOption } from '../../cli/options.ts';
import { SEEDED } from '../../core/data-files.ts';
import { usageError } from '../../core/error.ts';
import { EVENTS } from '../../core/webhook-event.ts';

export const dataOption = {
  ...option('--data <file>', "the data file (emulator.sqlite in paycli's data folder)", asFile),
  rare: true,
} as const;

export const clockInput = {
  by: optional('by', '+15m, +90s, +1h; or back', { type: 'duration', choices: ['back'] }, (text) =>
    text === 'back' ? text : asDuration(text.replace(/^\+/, '')),
  ),
  data: dataOption,
};

export const emulatorClockCommand = defineCommand({
  path: ['emulator', 'clock'],
  danger: 'write',
  summary: "show the emulator's clock, or move it forward",
  description:
    "Moves the emulator's time forward: accounts expire, and payments and refunds end. `back` returns to the real " +
    'time. It works whether or not the emulator is running, and for --local.',
  input: clockInput,
  examples: {
    'let a quarter of an hour pass': 'paycli emulator clock +15m',
    'set it back': 'paycli emulator clock back',
  },
  output: 'now, moved (in milliseconds)',
  exits: ['usage'],
  load: async () => ({ run: (await import('./emulator.ts')).moveEmulatorClock }),
});

export const faultsInput = {
  from: optional('file', 'the rules; they replace all others', { completes: 'file' }),
  clear: flag('--clear', 'remove all rules'),
  data: dataOption,
};

export const emulatorFaultsCommand = defineCommand({
  path: ['emulator', 'faults'],
  danger: 'write',
  summary: 'show, set or clear rules that make the emulator fail',
  description:
    'The file holds {"rules": […]}. Select requests by method, path (/v1/ugwo/*/activities, /v1/**), share (0.5: ' +
    'every second one) and times. Then give an effect: delay (5s), and one of status (with retry_after), reset, cut ' +
    '(after this many bytes) or bad_json. With "when": "after", the emulator executes the request before the status ' +
    'or the reset.\n\n' +
    'A rule with an event (ugwo.activity.*) changes deliveries to webhooks. Its effects: twice, late (10m by ' +
    '`emulator clock`), out_of_order (after the next one), signature (wrong or none), cut, slow (20s) or never.\n\n' +
    'Rules stay until you clear them. They also apply to --local.',
  input: faultsInput,
  examples: {
    'lose the answer of the next charge':
      `echo '{"rules": [{"method": "POST", "times": 1, "reset": true, "when": "after"}]}' > faults.json\n` +
      'paycli emulator faults faults.json',
    'deliver every event twice, and the first payment not at all':
      `echo '{"rules": [{"event": "ugwo.successful", "times": 1, "never": true}, {"event": "*", "twice": true}]}' > faults.json\n` +
      'paycli emulator faults faults.json',
    'remove the faults': 'paycli emulator faults --clear',
  },
  output: 'each rule as given, with seen (matching requests or deliveries) and fired (how often it took effect)',
  exits: ['usage'],
  read: (input) => {
    if (input.from !== undefined && input.clear) throw usageError("a file and --clear can't be used together");
    return input;
  },
  load: async () => ({ run: (await import('./emulator.ts')).setEmulatorFaults }),
});

const MOST_SHOWN = 10_000;
const ADD = 'paycli emulator webhook add http://127.0.0.1:4242/webhooks';
const WEBHOOK_OUTPUT = 'id, url, events, signed';

export const addInput = rarely(['allowRemote'], {
  url: argument('url', 'the receiver, http://127.0.0.1:PORT/PATH', { type: 'url' }),
  event: repeated('--event <pattern>', 'only these events, such as ugwo.activity.* (all)', asText, {
    choices: EVENTS,
  }),
  secretOut: option('--secret-out <file>', 'create a secret, and write it to this new file', asFile),
  secretFile: option('--secret-file <file>', 'sign with the secret in this file, wsk.…', asFile),
  unsigned: flag('--unsigned', 'send an empty signature'),
  allowRemote: flag('--allow-remote', 'let the URL name another machine'),
  data: dataOption,
});

const asNumericId = asInteger(1, Number.MAX_SAFE_INTEGER);

export const deliveriesInput = {
  replay: option('--replay <id>', 'send this one again: the same event under a new delivery id', asNumericId),
  max: option('--max <n>', 'stop after <n> records (50)', asInteger(1, MOST_SHOWN), { default: '50' }),
  data: dataOption,
};

export const emulatorWebhookCommands = [
  defineCommand({
    path: ['emulator', 'webhook', 'add'],
    danger: 'write',
    summary: 'send events of the emulator to a URL',
    description:
      'A running `emulator start` sends all later changes: by your scripts, --local, `emulator settle` or the clock. ' +
      "While none runs, events wait in the data file. If the receiver doesn't answer 2xx, the emulator tries twice " +
      'more, 30 minutes apart by `emulator clock`. The secret is for tests only, and is never printed.',
    input: addInput,
    examples: {
      'sign with a new secret': `${ADD} --secret-out secret.txt`,
      'send only events about charges': `${ADD} --event 'ugwo.activity.*' --unsigned`,
    },
    output: WEBHOOK_OUTPUT,
    exits: ['usage', 'auth'],
    read: (input) => {
      const { secretOut, secretFile, unsigned } = input;
      if ([secretOut, secretFile, unsigned].filter(Boolean).length === 1) return input;
      throw usageError('choose one of --secret-out, --secret-file and --unsigned', {
        hint: '--secret-out FILE makes a secret; give the same file to your receiver',
      });
    },
    load: async () => ({ run: (await import('./emulator.ts')).addEmulatorWebhook }),
  }),
  defineCommand({
    path: ['emulator', 'webhook', 'list'],
    danger: 'read',
    summary: "list the emulator's webhooks",
    input: { data: dataOption },
    examples: {
      'list them': 'paycli emulator webhook list',
    },
    output: WEBHOOK_OUTPUT,
    exits: ['usage'],
    load: async () => ({ run: (await import('./emulator.ts')).listEmulatorWebhooks }),
  }),
  defineCommand({
    path: ['emulator', 'webhook', 'remove'],
    danger: 'write',
    summary: 'send no more events to a URL',
    description: 'Also removes its deliveries, including those not sent yet.',
    input: {
      id: argument('id', 'the webhook, by its id in `emulator webhook list`', { type: 'integer' }, asNumericId),
      data: dataOption,
    },
    examples: {
      'add and remove one': `${ADD} --unsigned\npaycli emulator webhook remove 1`,
    },
    output: WEBHOOK_OUTPUT,
    exits: ['usage'],
    load: async () => ({ run: (await import('./emulator.ts')).removeEmulatorWebhook }),
  }),
  defineCommand({
    path: ['emulator', 'webhook', 'trigger'],
    danger: 'write',
    summary: 'send a made-up event',
    description:
      "The event is well-formed, but the emulator's data doesn't change, and it names no record unless --ugwo gives a " +
      'payment request. A receiver that reads the payment request sees that nothing changed.',
    input: {
      event: argument('event', EVENTS.join(', '), { choices: EVENTS }, asOneOf(EVENTS)),
      ugwo: option('--ugwo <ugwo>', 'about this payment request', asText, { completes: 'ugwo' }),
      data: dataOption,
    },
    examples: {
      'a payment arrives': `${ADD} --unsigned\npaycli emulator webhook trigger ugwo.successful`,
      'a payment request that was paid twice':
        'paycli emulator seed\n' +
        `${ADD} --unsigned\n` +
        `paycli emulator webhook trigger ugwo.activity.double_charge_detected --ugwo ${SEEDED.ugwo}`,
    },
    output: 'event, event_uid, about, webhooks (number of receivers)',
    exits: ['usage'],
    read: (input) => {
      const { event, ugwo } = input;
      checkIdOption('--ugwo', 'ugw', ugwo);
      if (ugwo !== undefined && event.startsWith('nzube.')) throw usageError(`${event} is not about --ugwo`);
      return input;
    },
    load: async () => ({ run: (await import('./emulator.ts')).triggerEmulatorEvent }),
  }),
  defineCommand({
    path: ['emulator', 'webhook', 'deliveries'],
    danger: 'write',
    summary: 'list deliveries, newest first, or send one again',
    description:
      'The states: waiting (for the first or the next try, or for `emulator start`), delivered, failed (after three ' +
      'tries) and dropped (by a rule of `emulator faults`). The emulator stores ten thousand.',
    input: deliveriesInput,
    examples: {
      'list them': 'paycli emulator webhook deliveries',
      'send one again':
        `${ADD} --unsigned\n` +
        'paycli emulator webhook trigger ugwo.created\n' +
        'paycli emulator webhook deliveries --replay 1',
    },
    output:
      'id, event, state, about, url, status (of the last answer), error, due (next try), at, event_uid, webhook, ' +
      'attempts ([{delivery_id, at, status, error, ms, fault}])',
    exits: ['usage'],
    load: async () => ({ run: (await import('./emulator.ts')).listEmulatorDeliveries }),
  }),
];
