import { lstatSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { reasonOf, usageError } from '../../core/error.ts';
import { homeFolder, makeFolder } from '../../core/files.ts';
import type { Env } from '../../core/io.ts';
import { madeHere } from '../../core/record.ts';
import type { Result, View } from '../../core/result.ts';
import { shellLine } from '../../core/shell.ts';
import type { Run } from '../run.ts';
import { madeByLine, SHELLS, type Shell, scriptFor } from './scripts-shared.ts';

const installView: View = { columns: [{ path: 'shell' }, { path: 'file', flexible: true }] };

const ownShell = ({ SHELL = '' }: Env): Shell => {
  const found = SHELLS.find((shell) => shell === basename(SHELL));
  if (found !== undefined) return found;
  throw usageError(SHELL === '' ? 'SHELL is not set' : `SHELL is ${SHELL}, which paycli has no completion for`, {
    hint: 'name the shell: paycli completion install bash',
  });
};

const folderIn = (env: Env, name: string, otherwise: string): string => {
  const given = env[name] ?? '';
  return isAbsolute(given) ? given : join(homeFolder(env['HOME']), otherwise);
};

/** Path where each shell looks for its script, and the remaining steps for the person. */
const SCRIPT_FILES: Readonly<
  Record<Exclude<Shell, 'powershell'>, (env: Env) => { file: string; left: readonly string[] }>
> = {
  bash: (env) => {
    const data = join(folderIn(env, 'XDG_DATA_HOME', '.local/share'), 'bash-completion');
    const own = env['BASH_COMPLETION_USER_DIR'] ?? '';
    const file = join(isAbsolute(own) ? own : data, 'completions', 'paycli');
    return {
      file,
      left: [`Open a new shell. Without the package bash-completion, add to ~/.bashrc: source '${file}'`],
    };
  },
  zsh: (env) => {
    const folder = join(folderIn(env, 'XDG_DATA_HOME', '.local/share'), 'zsh', 'site-functions');
    return {
      file: join(folder, '_paycli'),
      left: [
        `Add to ~/.zshrc, before compinit: fpath=('${folder}' $fpath)`,
        'Without compinit there, add behind it: autoload -Uz compinit && compinit',
        'Then open a new shell.',
      ],
    };
  },
  fish: (env) => ({
    file: join(folderIn(env, 'XDG_CONFIG_HOME', '.config'), 'fish', 'completions', 'paycli.fish'),
    left: ['Open a new shell.'],
  }),
};

/** Throws if the file exists and paycli did not write it. */
const refuseForeign = (file: string, shell: Shell): void => {
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (there === undefined) return;
  const isOurs = there.isFile() && readFileSync(file, 'utf8').split('\n', 2).includes(madeByLine(shell));
  if (isOurs) return;
  throw usageError(`${file} is there and was not made by paycli; nothing was changed`, {
    hint: `move it away, or keep the script elsewhere: ${shellLine(['paycli', 'completion', shell])}`,
  });
};

const writeScript = (file: string, text: string): void => {
  makeFolder(dirname(file), 0o777);
  const fresh = `${file}.new`;
  writeFileSync(fresh, text);
  renameSync(fresh, file);
};

/** Writes the script to the path where its shell looks for it. */
const install = (shell: Shell, env: Env): Result => {
  if (shell === 'powershell') {
    throw usageError('PowerShell has no folder for completions; nothing was written', {
      hint: 'add to $PROFILE: paycli completion powershell | Out-String | Invoke-Expression',
    });
  }
  const { file, left } = SCRIPT_FILES[shell](env);
  try {
    refuseForeign(file, shell);
    writeScript(file, scriptFor(shell));
  } catch (thrown) {
    if (!(thrown instanceof Error) || !('code' in thrown)) throw thrown;
    throw usageError(`${file} can't be written: ${reasonOf(thrown)}`, {
      hint: `print it and keep it elsewhere: ${shellLine(['paycli', 'completion', shell])}`,
    });
  }
  return { kind: 'record', record: madeHere({ shell, file }), view: installView, notice: left };
};

type Input =
  | { readonly install: true; readonly shell: Shell | undefined }
  | { readonly install: false; readonly shell: Shell };

export const printScript = async (input: Input, { io }: Run): Promise<Result> =>
  input.install
    ? install(input.shell ?? ownShell(io.env), io.env)
    : { kind: 'text', text: scriptFor(input.shell).trimEnd() };
