import { defineCommand, flag, option, optional } from '../../cli/define.ts';
import { asDuration, asFile } from '../../cli/options.ts';
import { usageError } from '../../core/error.ts';

export const dataOption = option('--data <file>', "the data file (emulator.sqlite in paycli's data folder)", asFile);

export interface ClockInput {
  /** Milliseconds; undefined only shows the clock. */
  readonly by: number | 'back' | undefined;
  readonly data: string | undefined;
}

export const clock = defineCommand({
  path: ['emulator', 'clock'],
  danger: 'write',
  summary: "show the emulator's clock, or move it forward",
  description:
    "Moves the emulator's time forward: accounts expire, and payments and refunds end. `back` returns to the real " +
    'time. It works whether or not the emulator is running, and for --local.',
  args: [optional('by', '+15m, +90s, +1h; or back', { type: 'duration', choices: ['back'] })],
  options: { data: dataOption } as const,
  examples: {
    'let a quarter of an hour pass': 'paycli emulator clock +15m',
    'set it back': 'paycli emulator clock back',
  },
  output: 'now, moved (in milliseconds)',
  exits: ['usage'],
  read: ([by], given): ClockInput => ({
    by: by === 'back' ? 'back' : by === undefined ? undefined : asDuration(by.replace(/^\+/, '')),
    data: given.data,
  }),
  load: async () => ({ run: (await import('./emulator.ts')).moveClock }),
});

export const openapi = defineCommand({
  path: ['emulator', 'openapi'],
  danger: 'read',
  summary: 'print the contract of the service as an OpenAPI document',
  description:
    'OpenAPI 3.1 in JSON: what paycli sends and how it reads answers. A running emulator serves it at ' +
    '/openapi.json, and the npm package has it as paycli/openapi.json.',
  examples: {
    'save it to a file': 'paycli emulator openapi > openapi.json',
  },
  output: 'the document',
  exits: ['usage'],
  load: async () => ({ run: (await import('./emulator.ts')).openapi }),
});

export interface FaultsInput {
  /** A file; undefined only shows the rules. */
  readonly from: string | undefined;
  readonly clear: boolean;
  readonly data: string | undefined;
}

export const faults = defineCommand({
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
  args: [optional('file', 'the rules; they replace all others', { completes: 'file' })],
  options: {
    clear: flag('--clear', 'remove all rules'),
    data: dataOption,
  },
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
  read: ([from], given) => {
    if (from !== undefined && given.clear) throw usageError("a file and --clear can't be used together");
    return { from, clear: given.clear ?? false, data: given.data };
  },
  load: async () => ({ run: (await import('./emulator.ts')).faults }),
});
