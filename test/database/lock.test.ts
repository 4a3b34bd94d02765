import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { holdLock, isFileLocked } from '../../src/database/open.ts';
import { newFolder } from '../support/program.ts';
import { SOURCES } from './support.ts';

const newPath = (): string => join(newFolder('lock'), 'lock');

/** Another process that holds the lock until it is killed. */
const holder = async (path: string) => {
  const code = `import { holdLock } from ${JSON.stringify(join(SOURCES, 'database/open.ts'))};
    // Kept, or the garbage collection of an idle process closes it.
    globalThis.lock = holdLock(${JSON.stringify(path)});
    console.log(globalThis.lock === undefined ? 'none' : 'held'); setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, said: said.toString().trim() };
};

it('the lock is held by one process, visible to others, and released when its process ends in any way', async () => {
  const path = newPath();
  expect(isFileLocked(path)).toBe(false);
  const { child, said } = await holder(path);
  expect([said, isFileLocked(path), isFileLocked(path)]).toEqual(['held', true, true]);
  expect(holdLock(path)).toBeUndefined();
  child.kill('SIGKILL');
  await once(child, 'close');
  expect(isFileLocked(path)).toBe(false);
  const release = holdLock(path);
  expect(release).toBeDefined();
  expect((await holder(path)).said).toBe('none');
  release?.();
  expect(isFileLocked(path)).toBe(false);
  expect([statSync(path).size, statSync(path).mode & 0o777]).toEqual([0, 0o600]);
});
