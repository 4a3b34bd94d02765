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
  summary: "show the emulator's clock, or move it on",
  description:
    'Accounts expire, and payments and refunds end, as if so much time had passed; `back` sets it to the real time again. ' +
    'Works whether or not the emulator is running, and for --local.',
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
    'OpenAPI 3.1, in JSON: what paycli sends and how it reads answers. A running emulator serves it at /openapi.json, ' +
    'and the package holds it as paycli/openapi.json.',
  examples: {
    'keep it in a file': 'paycli emulator openapi > openapi.json',
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
  summary: 'show, set or clear the rules by which the emulator misbehaves',
  description:
    'The file holds {"rules": […]}. Which requests: method, path (/v1/ugwo/*/activities, /v1/**), share (0.5: every second ' +
    'one), times. What becomes of them: delay (5s), then one of status (with retry_after), reset, cut (behind so many ' +
    'bytes) or bad_json; "when": "after" lets the request be executed before a status or a reset. A rule with an event ' +
    '(ugwo.activity.*) is about what is sent to webhooks, and has one of twice, late (10m by `emulator clock`), ' +
    'out_of_order (behind the next one), signature (wrong or none), cut, slow (20s) and never. Rules stay until they are ' +
    'cleared, and hold for --local, too.',
  args: [optional('file', 'the rules, in place of those there are', { completes: 'file' })],
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
    'behave again': 'paycli emulator faults --clear',
  },
  output: 'each rule as it was given, with seen and fired: how often it met a request or a delivery, and was heeded',
  exits: ['usage'],
  read: ([from], given) => {
    if (from !== undefined && given.clear) throw usageError("a file and --clear can't be used together");
    return { from, clear: given.clear ?? false, data: given.data };
  },
  load: async () => ({ run: (await import('./emulator.ts')).faults }),
});
