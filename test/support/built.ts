import { resolve } from 'node:path';

/** The program that npm installs. */
export const NODE_PROGRAM: readonly [file: string, ...args: string[]] = [process.execPath, resolve('bin/paycli.js')];

const other = process.env['PAYCLI_PROGRAM'];

/** The command of the built program: Node's, or the standalone file in PAYCLI_PROGRAM. */
export const PROGRAM = other === undefined ? NODE_PROGRAM : ([resolve(other)] as const);

/** True if the built program and this process run the same source on the same Node. */
export const IS_HERE = other === undefined;

/** The runtime of the built program: Node, or Bun for a standalone program. Under Wine, Node for Windows. */
export const RUNTIME: 'node' | 'bun' = IS_HERE || process.env['PAYCLI_TEST_WINDOWS'] !== undefined ? 'node' : 'bun';
