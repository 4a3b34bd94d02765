import { argument, defineCommand, type InputOf, optional } from '../../cli/define.ts';
import { asOneOf } from '../../cli/options.ts';
import { usageError } from '../../core/error.ts';
import { SHELLS } from './scripts-shared.ts';

const VERBS = ['install', 'uninstall'] as const;

const completionInput = {
  what: argument('what', [...SHELLS, ...VERBS].join(', '), { choices: [...SHELLS, ...VERBS] }),
  shell: optional('shell', `for ${VERBS.join(' and ')}: ${SHELLS.join(', ')} (default: $SHELL)`, { choices: SHELLS }),
};

export const readCompletion = ({ what, shell }: InputOf<typeof completionInput>) => {
  const parse = asOneOf(SHELLS);
  const verb = VERBS.find((one) => one === what);
  if (verb !== undefined) return { verb, shell: shell === undefined ? undefined : parse(shell) };
  if (shell === undefined) return { verb: 'print' as const, shell: parse(what) };
  throw usageError(`too many arguments for completion: ${shell}`);
};

export const completionCommand = defineCommand({
  path: ['completion'],
  summary: 'install or print completion for a shell',
  description:
    'The Tab key then completes commands, options and ids. The name of a shell prints its script. ' +
    '`completion install` writes the script to the folder of bash, zsh or fish. It shows the lines that load it from ' +
    '~/.bashrc or ~/.zshrc, and adds them after a yes (--yes). It does not replace a file that paycli did not write. ' +
    '`completion uninstall` removes the script and these lines. For PowerShell it prints the line for $PROFILE.',
  danger: 'write',
  input: completionInput,
  examples: {
    'install it for bash': 'paycli completion install bash',
    'save the script of zsh to a file': 'paycli completion zsh > _paycli',
  },
  output: 'a script; for install and uninstall: shell, file, startup_file',
  exits: ['usage'],
  read: readCompletion,
  load: async () => ({ run: (await import('./completion.ts')).runCompletion }),
});
