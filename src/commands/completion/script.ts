import type { Tree } from '../../cli/tree.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { type Model, modelOf } from './model.ts';
import { powershellScript } from './powershell.ts';
import type { Shell } from './shells-shared.ts';
import { zshScript } from './zsh.ts';

const SCRIPTS: Readonly<Record<Shell, (model: Model) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
};

/** Builds the completion script of a shell. */
export const scriptFor = (shell: Shell, tree: Tree): string => SCRIPTS[shell](modelOf(tree));
