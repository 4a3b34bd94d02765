/** The command-line tools of others: brought from npm once, as the lock file beside their names has them. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from './programs.ts';

const LISTED = join(import.meta.dirname, '..', 'others');
const LOCK = 'package-lock.json';
const digest = createHash('sha256')
  .update(readFileSync(join(LISTED, LOCK)))
  .digest('hex');
const INSTALLED = resolve('node_modules/.cache/paycli', `others-${digest.slice(0, 12)}`);

const SCRIPTS = { stripe: '@stripe/cli/bin/shim.js', resend: 'resend-cli/dist/cli.cjs' } as const;

/** The words that start one of them, or what is missing for it; asks npm only where it is not there yet. */
export const otherTool = (name: keyof typeof SCRIPTS): { readonly command: Command } | { readonly missing: string } => {
  const script = join(INSTALLED, 'node_modules', SCRIPTS[name]);
  if (!existsSync(script)) {
    mkdirSync(INSTALLED, { recursive: true });
    for (const file of ['package.json', LOCK]) copyFileSync(join(LISTED, file), join(INSTALLED, file));
    // None of their install scripts runs. Not `npm ci`: a registry may lack other machines' programs, which the lock names.
    const install = ['install', '--prefix', INSTALLED, '--ignore-scripts', '--no-audit', '--no-fund'];
    spawnSync('npm', install, { cwd: INSTALLED, stdio: 'ignore' });
  }
  return existsSync(script)
    ? { command: [process.execPath, script] }
    : { missing: `${name} is missing: npm did not bring \`scripts/bench/others\`` };
};
