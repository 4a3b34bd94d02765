import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/** The program that npm installs. */
export const NODE_PROGRAM: readonly [file: string, ...args: string[]] = [process.execPath, resolve('bin/paycli.js')];

const other = process.env['PAYCLI_PROGRAM'];
if (other !== undefined && !existsSync(other)) throw new Error(`PAYCLI_PROGRAM: there is no ${other}; build it first`);

/** The command of the built program: Node's, or the standalone file in PAYCLI_PROGRAM. */
export const PROGRAM = other === undefined ? NODE_PROGRAM : ([resolve(other)] as const);

/** True if `inProcess` runs the source in this process, beside whatever program. */
export const IS_HERE = other === undefined || process.env['PAYCLI_TEST_IN_PROCESS'] !== undefined;

/** The runtime of the built program: Node, or Bun for a standalone program. Under Wine, Node for Windows. */
export const RUNTIME: 'node' | 'bun' =
  other === undefined || process.env['PAYCLI_TEST_WINDOWS'] !== undefined ? 'node' : 'bun';
