import { MEDIUM_NAMES } from '../../charge/mediums.ts';
import { argument, defineCommand } from '../../cli/define.ts';
import { usageError } from '../../core/error.ts';
import { asSetting, SETTINGS, settingProblem } from '../../core/settings.ts';

const SETTING_OUTPUT = 'setting, value, from (profile NAME, a variable, built-in)';
const SETTING_NAME = argument('setting', 'the name of the setting', { choices: SETTINGS }, asSetting);

export const configCommands = [
  defineCommand({
    path: ['config', 'list'],
    summary: 'list the settings of the profile, and where each comes from',
    danger: 'read',
    examples: {
      'list the settings': 'paycli config list',
    },
    output: `a list; each ${SETTING_OUTPUT}`,
    exits: ['usage', 'auth'],
    load: async () => ({ run: (await import('./settings.ts')).listSettings }),
  }),
  defineCommand({
    path: ['config', 'get'],
    summary: 'show one setting',
    danger: 'read',
    input: { name: SETTING_NAME },
    examples: {
      'show the output format': 'paycli config get output',
    },
    output: SETTING_OUTPUT,
    exits: ['usage', 'auth'],
    load: async () => ({ run: (await import('./settings.ts')).getSetting }),
  }),
  defineCommand({
    path: ['config', 'set'],
    summary: 'set a default for the profile',
    description:
      'Defaults apply on a terminal only. Scripts, pipes and files get the built-in behaviour. Options, and variables ' +
      'such as NO_COLOR, override a default. --local has no defaults.',
    danger: 'write',
    input: { name: SETTING_NAME, value: argument('value', 'the value of the setting, such as ussd for medium') },
    examples: {
      'print JSON on a terminal': 'paycli config set output json',
      'choose the columns of a list': 'paycli config set columns.ugwo.list ref,amount,status',
      'show times and days of another place': 'paycli config set time_zone Africa/Lagos',
      'charge by USSD unless another medium is named': 'paycli config set medium ussd --profile shop',
    },
    output: SETTING_OUTPUT,
    exits: ['usage', 'auth'],
    read: (input) => {
      const { name, value } = input;
      const problem = settingProblem(name, value, MEDIUM_NAMES);
      if (problem !== undefined) throw usageError(`${name}: "${value}" ${problem}`);
      return { name, value: name === 'currency' ? value.toUpperCase() : value };
    },
    load: async () => ({ run: (await import('./settings.ts')).setSetting }),
  }),
  defineCommand({
    path: ['config', 'unset'],
    summary: 'remove a default of the profile',
    danger: 'write',
    input: { name: SETTING_NAME },
    examples: {
      'go back to tables': 'paycli config unset output',
    },
    output: SETTING_OUTPUT,
    exits: ['usage', 'auth'],
    load: async () => ({ run: (await import('./settings.ts')).setSetting }),
  }),
];
