import { resolve } from 'node:path';

/** The program that npm installs. */
export const NODE_PROGRAM: readonly [file: string, ...args: string[]] = [process.execPath, resolve('bin/paycli.js')];

const other = process.env['PAYCLI_PROGRAM'];

/** The words that start the built program: Node's, or the standalone file that PAYCLI_PROGRAM names. */
export const PROGRAM = other === undefined ? NODE_PROGRAM : ([resolve(other)] as const);

/** True if the built program and this process run the same source on the same Node. */
export const IS_HERE = other === undefined;

/** What the built program runs on: Node, or the Bun that a standalone program is made of. Under Wine, Node for Windows. */
export const RUNTIME: 'node' | 'bun' = IS_HERE || process.env['PAYCLI_TEST_WINDOWS'] !== undefined ? 'node' : 'bun';
