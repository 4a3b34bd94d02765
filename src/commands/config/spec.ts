import { argument, defineCommand } from '../../cli/define.ts';
import { usageError } from '../../core/error.ts';
import { asSetting, SETTINGS, settingProblem } from '../../core/settings.ts';

/** What is asked of the settings. */
export type ConfigInput =
  | { readonly what: 'list' }
  | { readonly what: 'get' | 'unset'; readonly name: string }
  | { readonly what: 'set'; readonly name: string; readonly value: string };

const OUTPUT = 'setting, value, from (profile NAME, a variable, built-in)';
const NAME = argument('setting', 'its name', { choices: SETTINGS });
const load = () => import('./change.ts');

const list = defineCommand({
  path: ['config', 'list'],
  summary: 'list the settings of the profile, and where each comes from',
  danger: 'read',
  args: [],
  options: {},
  examples: [{ about: 'list the settings', line: 'paycli config list' }],
  output: `a list; each ${OUTPUT}`,
  exits: ['usage', 'auth'],
  read: (): ConfigInput => ({ what: 'list' }),
  load,
});

const get = defineCommand({
  path: ['config', 'get'],
  summary: 'show one setting',
  danger: 'read',
  args: [NAME],
  options: {},
  examples: [{ about: 'show the output format', line: 'paycli config get output' }],
  output: OUTPUT,
  exits: ['usage', 'auth'],
  read: ([name = '']): ConfigInput => ({ what: 'get', name: asSetting(name) }),
  load,
});

const readSet = ([name = '', value = '']: readonly string[]): ConfigInput => {
  const problem = settingProblem(asSetting(name), value);
  if (problem !== undefined) throw usageError(`${name}: "${value}" ${problem}`);
  return { what: 'set', name, value };
};

const set = defineCommand({
  path: ['config', 'set'],
  summary: 'set a default for the profile',
  description:
    'Defaults hold on a terminal only: a script, a pipe or a file always gets what paycli gives without them. A flag goes before a ' +
    'default, and so do NO_COLOR and the like. --local has none.',
  danger: 'write',
  args: [NAME, argument('value', 'its value')],
  options: {},
  examples: [
    { about: 'print JSON on a terminal', line: 'paycli config set output json' },
    { about: 'choose the columns of a list', line: 'paycli config set columns.ugwo.list ref,amount,status' },
    { about: 'charge by USSD unless another medium is named', line: 'paycli config set medium ussd --profile shop' },
  ],
  output: OUTPUT,
  exits: ['usage', 'auth'],
  read: readSet,
  load,
});

const unset = defineCommand({
  path: ['config', 'unset'],
  summary: 'remove a default of the profile',
  danger: 'write',
  args: [NAME],
  options: {},
  examples: [{ about: 'go back to tables', line: 'paycli config unset output' }],
  output: OUTPUT,
  exits: ['usage', 'auth'],
  read: ([name = '']): ConfigInput => ({ what: 'unset', name: asSetting(name) }),
  load,
});

/** Defaults of a profile. */
export const configCommands = [list, get, set, unset];
