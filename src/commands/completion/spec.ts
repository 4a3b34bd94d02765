import { defineCommand, optional } from '../../cli/define.ts';
import { asOneOf } from '../../cli/options.ts';
import { SHELLS, type Shell, scriptFor } from './scripts-shared.ts';

const NAMES: Readonly<Record<Shell, string>> = { bash: 'bash', zsh: 'zsh', fish: 'fish', powershell: 'PowerShell' };

const print = (shell: Shell) =>
  defineCommand({
    path: ['completion', shell],
    summary: `print the script that completes commands in ${NAMES[shell]}`,
    danger: 'read',
    examples: {
      'save it to a file': `paycli completion ${shell} > paycli.${shell}`,
    },
    output: 'a script',
    exits: ['usage'],
    read: () => ({ shell }),
    load: async () => ({ run: async () => ({ kind: 'text', text: scriptFor(shell).trimEnd() }) }),
  });

const install = defineCommand({
  path: ['completion', 'install'],
  summary: 'install completion: the Tab key completes commands, options and ids',
  description:
    'Writes the completion script to the folder of bash, zsh or fish, and prints the next step. It does not replace ' +
    'a file that paycli did not write. For PowerShell it prints the line to add to $PROFILE.',
  danger: 'write',
  args: [optional('shell', `${SHELLS.join(', ')} (default: $SHELL)`, { choices: SHELLS })],
  examples: {
    'for bash': 'paycli completion install bash',
  },
  output: 'shell, file',
  exits: ['usage'],
  read: ([word]) => ({ shell: word === undefined ? undefined : asOneOf(SHELLS)(word) }),
  load: () => import('./install.ts'),
});

export const completionCommands = [install, ...SHELLS.map(print)];
