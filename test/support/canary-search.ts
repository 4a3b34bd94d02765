import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { CANARY } from './canary.ts';
import { foldersGoTo } from './memory.ts';

/** The key in its possible forms: as is, in a URL, and inside base64 text at each of the three alignments. */
const formsOf = (key: string): string[] => {
  const shifted = [0, 1, 2].map((shift) => {
    const whole = Buffer.from(`${'x'.repeat(shift)}${key}`).toString('base64');
    // The first and last characters also contain bits of the neighbors.
    return whole.slice(shift === 0 ? 0 : 4, -4);
  });
  return [key, encodeURIComponent(key), ...shifted];
};

/** The result of `read`, or `nothing` if a running program has deleted the source. */
const orNothing = <T>(read: () => T, nothing: T): T => {
  try {
    return read();
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return nothing;
    throw thrown;
  }
};

const filesUnder = (folder: string): string[] =>
  orNothing(() => readdirSync(folder, { withFileTypes: true }), []).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesUnder(path);
    return entry.isFile() ? [path] : [];
  });

/** The profile file may hold the key. A process that is killed while it replaces the file leaves a temporary copy. */
const STORE = /^config\.json(?:\.tmp-\w+)?$/;

/** Files in a folder that contain the key, except the profile file. */
export const holding = (folder: string, key: string): string[] =>
  filesUnder(folder)
    .filter((file) => !STORE.test(basename(file)))
    .filter((file) => {
      const bytes = orNothing(() => readFileSync(file), Buffer.alloc(0));
      return formsOf(key).some((form) => bytes.includes(form));
    })
    .map((file) => relative(folder, file));

/** One folder for everything that a run writes; afterwards the search that fails the run. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(foldersGoTo(), 'paycli-test-'));
  // Some tests temporarily act as another user, who needs access.
  chmodSync(folder, 0o711);
  process.env['PAYCLI_TEST_RUN'] = folder;
  process.env['TMPDIR'] = folder;
  // A test process mostly costs its start: the code that one has compiled, the next one reuses.
  process.env['NODE_COMPILE_CACHE'] = join(folder, 'compiled');
  return () => {
    const found = holding(folder, CANARY);
    if (found.length > 0) throw new Error(`the secret key was written to ${found.join(', ')} in ${folder}`);
    rmSync(folder, { recursive: true, force: true });
  };
}
