/**
 * Runs the tests of paycli on Windows: elsewhere with Wine and Node for Windows, which it downloads into the cache.
 * Arguments go to vitest in place of test/windows: black-box tests run there, too. PAYCLI_PROGRAM names a standalone
 * program for Windows to test instead; it can't be stopped by Ctrl-C under Wine, so fewer tests run.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fromNpm } from './from-npm.ts';
import { NODE_FOR_WINE } from './pinned.ts';
import { endWine, openWine, type Wine } from './windows/wine.ts';

const vitest = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')));

const standalone = process.env['PAYCLI_PROGRAM'];
const ALL =
  standalone === undefined ? ['test/windows'] : ['main-job', 'files'].map((name) => `test/windows/${name}.test.ts`);

/** A start takes ten times as long under Wine. */
const LIMIT_MS = 300_000;

const runTests = async (env: Readonly<Record<string, string>>): Promise<void> => {
  const named = process.argv.slice(2);
  const args = ['run', `--testTimeout=${LIMIT_MS}`, ...(named.length > 0 ? named : ALL)];
  const child = spawn(process.execPath, [vitest, ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...env, PAYCLI_TEST_WINDOWS: '1' },
  });
  const [code] = await once(child, 'close');
  process.exitCode = (code as number | null) ?? 1;
};

/** Starts the starter under Wine; resolves to its port. It ends with this process. */
const startStarter = async ({ loader, env }: Wine): Promise<string> => {
  const node = await fromNpm(NODE_FOR_WINE);
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const words = [
    node,
    resolve('scripts/windows/starter.cjs'),
    String(port),
    ...(standalone === undefined ? [] : [standalone]),
  ];
  const child = spawn(loader, words, { env, stdio: 'ignore' });
  child.on('close', (code) => server.emit('error', new Error(`Node for Windows ended under Wine with ${code}`)));
  const [socket] = (await once(server, 'connection')) as [Socket];
  server.on('error', () => undefined).close();
  const [text] = (await once(socket, 'data')) as [Buffer];
  socket.unref().pipe(process.stderr);
  return text.toString().trim();
};

const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

const testUnderWine = async (wine: Wine): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'paycli-windows-'));
  try {
    const words = [process.execPath, resolve('scripts/windows/client.ts'), await startStarter(wine)];
    const program = join(folder, 'paycli');
    // Options of Node are for the program, not for its client.
    const script = `#!/bin/sh\nexport PROGRAM_NODE_OPTIONS="$NODE_OPTIONS"\nunset NODE_OPTIONS\nexec ${words.map(quote).join(' ')} "$@"\n`;
    writeFileSync(program, script, { mode: 0o755 });
    await runTests({ PAYCLI_PROGRAM: program });
  } finally {
    await endWine(wine);
    rmSync(folder, { recursive: true, force: true });
  }
};

try {
  const wine = process.platform === 'win32' ? undefined : await openWine();
  if (standalone === undefined)
    execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit', shell: wine === undefined });
  await (wine === undefined ? runTests({}) : testUnderWine(wine));
} catch (thrown) {
  process.stderr.write(`${(thrown as Error).message}\n`);
  process.exitCode = 1;
}
