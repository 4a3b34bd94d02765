/**
 * Runs one suite in its own process, on the unchanged or sabotaged program, and reports the result to its parent.
 * Arguments: the suite, `short` or `full`, a folder, the name of the sabotage.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Sabotage, sabotaged } from '../sabotage.ts';
import { SABOTAGES } from './sabotages.ts';

const [suite = '', size = 'short', folder = '', named] = process.argv.slice(2);

/** Applies the change when the file is loaded. */
const put = (sabotage: Sabotage): void => {
  const path = resolve(sabotage.file);
  const { href } = pathToFileURL(path);
  registerHooks({
    load: (url, context, next) => {
      const loaded = next(url, context);
      return url === href ? { ...loaded, source: sabotaged(sabotage, readFileSync(path, 'utf8')) } : loaded;
    },
  });
};

const found = SABOTAGES.find(({ sabotage }) => sabotage.name === named);
if (found !== undefined) put(found.sabotage);
// Imported late, so that the sabotage applies.
const { CATCHERS } = await import('./suites.ts');
const run = CATCHERS[suite];
if (run === undefined) throw new Error(`there is no suite ${suite}`);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const result = await run({ short: size === 'short', folder, say });
if (process.send === undefined) say(JSON.stringify(result, undefined, 2));
else process.send(result);
