import type { CommandSpec } from '../../cli/define.ts';
import { defineCommand, option } from '../../cli/define.ts';
import { asInteger, asText } from '../../cli/options.ts';
import { FIRST_RECORDS } from '../../core/local.ts';

const MOST_RECORDS = 10_000_000;

const dataOption = option('--data <file>', "the data file (emulator.sqlite in paycli's data folder)", asText);

export interface StartInput {
  /** 0 takes any free port. */
  readonly port: number;
  readonly data: string | undefined;
  readonly seed: { readonly customers: number; readonly ugwo: number };
}

const startOptions = {
  port: option('--port <n>', 'listen on this port (any free one)', asInteger(0, 65_535)),
  data: dataOption,
} as const;

const start = defineCommand<StartInput, typeof startOptions>({
  path: ['emulator', 'start'],
  summary: 'run the service on this machine, in the foreground',
  description:
    'Listens on 127.0.0.1 only and stops with Ctrl-C. Its state is kept in the data file, which --local uses too; an empty ' +
    'file is filled first. A payment request whose metadata has emulate=fail, or emulate=fail:<medium>, gives failed charges.',
  args: [],
  options: startOptions,
  examples: [
    { about: 'on any free port', line: 'paycli emulator start' },
    { about: 'on a port and a data file of its own', line: 'paycli emulator start --port 8765 --data ./test.sqlite' },
  ],
  output: 'origin, key, data; shown at once, then it runs until it is stopped',
  exits: ['usage'],
  read: (_args, given) => ({ port: given.port ?? 0, data: given.data, seed: FIRST_RECORDS }),
  load: () => import('./start.ts'),
});

export interface SeedInput {
  readonly customers: number;
  readonly ugwo: number;
  readonly data: string | undefined;
}

const seedOptions = {
  customers: option('--customers <n>', `so many customers (${FIRST_RECORDS.customers})`, asInteger(0, MOST_RECORDS)),
  ugwo: option('--ugwo <n>', `so many payment requests (${FIRST_RECORDS.ugwo})`, asInteger(0, MOST_RECORDS)),
  data: dataOption,
} as const;

const seed = defineCommand<SeedInput, typeof seedOptions>({
  path: ['emulator', 'seed'],
  summary: "add customers and payment requests to the emulator's data",
  description:
    'What is added is newer than what is there. The same seeding of an empty file gives the same identifiers.',
  args: [],
  options: seedOptions,
  examples: [
    { about: 'the usual starting set', line: 'paycli emulator seed' },
    { about: 'a long list to walk through', line: 'paycli emulator seed --customers 0 --ugwo 5000' },
  ],
  output: 'customers, ugwo (how many were added), data',
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

const reset = defineCommand<ResetInput, typeof resetOptions>({
  path: ['emulator', 'reset'],
  summary: "remove every record from the emulator's data",
  description: 'The key stays. Asks first on a terminal; elsewhere it needs --yes.',
  args: [],
  options: resetOptions,
  examples: [
    { about: 'start over', line: 'paycli emulator reset' },
    { about: 'in a script', line: 'paycli emulator reset --yes --data ./test.sqlite' },
  ],
  output: 'data',
  exits: ['usage', 'interrupted'],
  read: (_args, given) => ({ data: given.data }),
  load: () => import('./reset.ts'),
});

/** The noun `emulator`. */
export const emulatorCommands: readonly CommandSpec[] = [start, seed, reset];
