import { argument, defineCommand, optional } from '../../cli/define.ts';
import { asOneOf } from '../../cli/options.ts';
import { usageError } from '../../core/error.ts';
import { SHELLS } from './scripts-shared.ts';

const INSTALL = 'install';

export const completionCommand = defineCommand({
  path: ['completion'],
  summary: 'install or print completion for a shell',
  description:
    'The Tab key then completes commands, options and ids. The name of a shell prints its script. ' +
    '`completion install` writes the script to the folder of bash, zsh or fish, and prints the next step. It does not ' +
    'replace a file that paycli did not write. For PowerShell it prints the line ' +
    'to add to $PROFILE.',
  danger: 'write',
  args: [
    argument('what', `${SHELLS.join(', ')}, or ${INSTALL}`, { choices: [...SHELLS, INSTALL] }),
    optional('shell', `for ${INSTALL}: ${SHELLS.join(', ')} (default: $SHELL)`, { choices: SHELLS }),
  ],
  examples: {
    'install it for bash': 'paycli completion install bash',
    'save the script of zsh to a file': 'paycli completion zsh > _paycli',
  },
  output: 'a script; after install: shell, file',
  exits: ['usage'],
  read: ([what = '', shell]) => {
    const parse = asOneOf(SHELLS);
    if (what === INSTALL) return { install: true, shell: shell === undefined ? undefined : parse(shell) } as const;
    const printed = parse(what);
    if (shell !== undefined) throw usageError(`too many arguments for completion: ${shell}`);
    return { install: false, shell: printed } as const;
  },
  load: async () => ({ run: (await import('./completion.ts')).printScript }),
});
