import { existsSync, lstatSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { reasonOf, usageError } from '../../core/error.ts';
import { homeFolder, makeFolder, setMode, WRITABLE_BY_OTHERS } from '../../core/files.ts';
import { canAsk } from '../../core/input.ts';
import type { Env } from '../../core/io.ts';
import { madeHere } from '../../core/record.ts';
import { columnsNamed, type Result, type View } from '../../core/result.ts';
import { shellLine, shellQuote } from '../../core/shell.ts';
import type { Run } from '../run.ts';
import { madeByLine, SHELLS, type Shell, scriptFor } from './scripts-shared.ts';
import type { readCompletion } from './spec.ts';

const view: View = { columns: [{ path: 'shell' }, ...columnsNamed('file startup_file', { flexible: true })] };

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

const [BEGIN, END] = ['# >>> paycli completion >>>', '# <<< paycli completion <<<'];

/** The block in a start-up file, and the line break before it. */
const BLOCK = new RegExp(`(^|\\n)${BEGIN}\\n(?:(?!${BEGIN})[^\\n]*\\n)*?${END}(?:\\n|$)`);

/** The path where each shell looks for its script, and the block that loads it from a start-up file. */
const SHELL_FILES = {
  bash: (env: Env) => {
    const data = join(folderIn(env, 'XDG_DATA_HOME', '.local/share'), 'bash-completion');
    const own = env['BASH_COMPLETION_USER_DIR'] ?? '';
    const file = join(isAbsolute(own) ? own : data, 'completions', 'paycli');
    // The package bash-completion finds the script by itself.
    const block = [BEGIN, `[ -n "\${BASH_COMPLETION_VERSINFO-}" ] || source ${shellQuote(file)} 2> /dev/null`, END];
    return { file, startup: join(homeFolder(env['HOME']), '.bashrc'), block };
  },
  zsh: (env: Env) => {
    const folder = join(folderIn(env, 'XDG_DATA_HOME', '.local/share'), 'zsh', 'site-functions');
    const block = [
      BEGIN,
      `fpath=(${shellQuote(folder)} $fpath)`,
      '(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }',
      'autoload -Uz _paycli && compdef _paycli paycli',
      END,
    ];
    return { file: join(folder, '_paycli'), startup: join(folderIn(env, 'ZDOTDIR', ''), '.zshrc'), block };
  },
  fish: (env: Env) => ({
    file: join(folderIn(env, 'XDG_CONFIG_HOME', '.config'), 'fish', 'completions', 'paycli.fish'),
    startup: '',
    block: [],
  }),
};
type ShellFiles = ReturnType<(typeof SHELL_FILES)['bash']>;

const isOurs = (file: string, shell: Shell): boolean =>
  lstatSync(file, { throwIfNoEntry: false })?.isFile() === true &&
  readFileSync(file, 'utf8').split('\n', 2).includes(madeByLine(shell));

/**
 * Writes over a file: its mode, its owner and a link to it stay. Nothing is cut off before all is written. A new shell
 * runs what is written, so others can't change a new file or folder, whatever the umask is.
 */
const writeOver = (file: string, text: string): void => {
  makeFolder(dirname(file), 0o755);
  writeFileSync(file, text, { encoding: 'latin1', mode: 0o644, flag: existsSync(file) ? 'r+' : 'w' });
  truncateSync(file, text.length);
};

/** The text of a start-up file with this block; without a block if it is empty. */
const withBlock = (text: string, block: string): string => {
  const found = BLOCK.exec(text);
  if (found === null) return text === '' || block === '' ? text + block : `${text}\n${block}`;
  const [before, after] = [text.slice(0, found.index), text.slice(found.index + found[0].length)];
  if (block !== '') return `${before}${found[1]}${block}${after}`;
  // The lines before and behind the block stay two lines.
  return after === '' || /(?:^|\n)$/.test(before) ? before + after : `${before}\n${after}`;
};

/** Changes the block of a start-up file; undefined if it needs no change. */
const blockChange = (file: string, block: readonly string[]): (() => void) | undefined => {
  // One character for each byte, so that all other bytes stay.
  const text = existsSync(file) ? readFileSync(file, 'latin1') : '';
  const next = withBlock(text, Buffer.from(block.map((line) => `${line}\n`).join('')).toString('latin1'));
  return next === text ? undefined : () => writeOver(file, next);
};

/** Writes the script and, if that is confirmed, the block that loads it. */
const install = async (shell: Shell, { file, startup, block }: ShellFiles, run: Run): Promise<Result> => {
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined && !isOurs(file, shell)) {
    throw usageError(`${file} is there and was not made by paycli; nothing was changed`, {
      hint: `move it away, or keep the script elsewhere: ${shellLine(['paycli', 'completion', shell])}`,
    });
  }
  const change = blockChange(startup, block);
  const isLeft = change !== undefined && !run.globals.yes && !canAsk(run.io, run.globals);
  if (change && !isLeft) await run.ask([`${startup} will contain:`, ...block, 'Add this?'], 'refuse');
  writeOver(file, scriptFor(shell));
  setMode(file, statSync(file).mode & ~WRITABLE_BY_OTHERS);
  if (!isLeft) change?.();
  const record = madeHere({ shell, file, startup_file: isLeft || startup === '' ? null : startup });
  const notice = [...(isLeft ? [`Add to ${startup}:`, ...block] : []), 'Open a new shell.'];
  return { kind: 'record', record, view, notice };
};

/** Removes what `install` wrote. */
const uninstall = (shell: Shell, { file, startup }: ShellFiles): Result => {
  const [change, isThere] = [blockChange(startup, []), isOurs(file, shell)];
  change?.();
  if (isThere) rmSync(file);
  const record = madeHere({ shell, file: isThere ? file : null, startup_file: change ? startup : null });
  const removed = [...(isThere ? [file] : []), ...(change ? [`the lines in ${startup}`] : [])].join(' and ');
  return { kind: 'record', record, view, notice: removed === '' ? 'Nothing was there.' : `Removed ${removed}.` };
};

export const runCompletion = async (
  { verb, shell: given }: ReturnType<typeof readCompletion>,
  run: Run,
): Promise<Result> => {
  const shell = given ?? ownShell(run.io.env);
  if (verb === 'print') return { kind: 'text', text: scriptFor(shell).trimEnd() };
  if (shell === 'powershell') {
    throw usageError('PowerShell has no folder for completions; nothing was changed', {
      hint: 'its line in $PROFILE: paycli completion powershell | Out-String | Invoke-Expression',
    });
  }
  const files = SHELL_FILES[shell](run.io.env);
  try {
    return await (verb === 'install' ? install : uninstall)(shell, files, run);
  } catch (thrown) {
    if (!(thrown instanceof Error) || !('code' in thrown)) throw thrown;
    const lines = files.startup === '' ? [] : [`Its lines in ${files.startup}:`, ...files.block];
    const hint = `its script: ${shellLine(['paycli', 'completion', shell])}`;
    throw usageError([`completion can't be ${verb}ed: ${reasonOf(thrown)}`, ...lines].join('\n'), { hint });
  }
};
