import { resolve } from 'node:path';
import { build, type Plugin } from 'rolldown';

/** A change of the program that breaks a promise: a test must detect it, or it proves nothing. */
export interface Sabotage {
  readonly name: string;
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
}

const SYNCHRONOUS = "const synchronous = survives === 'power loss' ? 'FULL' : 'NORMAL';";

export const NORMAL: Sabotage = {
  name: 'synchronous=NORMAL',
  file: 'src/database/connect.ts',
  from: SYNCHRONOUS,
  to: "const synchronous = 'NORMAL';",
};

export const OFF: Sabotage = {
  name: 'synchronous=OFF',
  file: 'src/database/connect.ts',
  from: SYNCHRONOUS,
  to: "const synchronous = 'OFF';",
};

export const SENT_FIRST: Sabotage = {
  name: 'the intent after the send',
  file: 'src/charge/charge.ts',
  from: 'const how = { ...rules.how, again, retry: row?.retry === true };',
  to: `const how = { ...rules.how, again, retry: row?.retry === true };
    const sent = await rules.send(() => false).then((value) => ({ value }), (thrown: unknown) => ({ thrown }));
    rules.send = async () => { if ('thrown' in sent) throw sent.thrown; return sent.value; };`,
};

export const EMERGENCY_UNSYNCED: Sabotage = {
  name: 'the emergency line not synced',
  file: 'src/ledger/local/emergency.ts',
  from: 'end);\n      fsyncSync(descriptor);',
  to: 'end);',
};

export const FOLDER_UNSYNCED: Sabotage = {
  name: 'folders not synced',
  file: 'src/database/file.ts',
  from: "withFile(folder, 'r', fsyncSync)",
  to: "withFile(folder, 'r', () => undefined)",
};

export const ASKED_ONCE: Sabotage = {
  name: 'overdue asked only before the connection',
  file: 'src/client/body.ts',
  from: 'else if (mayStart?.() === false)',
  to: 'else if (false)',
};

export const ACKNOWLEDGED_FIRST: Sabotage = {
  name: 'the answer before the commit',
  file: 'src/webhook/listen.ts',
  from: 'const found = await queue.keep(delivery,',
  to: "const found = { kind: 'new', uid: '' }; void queue.keep(delivery,",
};

/** The changed source of a file. */
export const sabotaged = ({ name, file, from, to }: Sabotage, source: string): string => {
  const found = source.split(from).length - 1;
  if (found !== 1) throw new Error(`the sabotage "${name}" finds its line ${found} times in ${file}, not once`);
  return source.replace(from, () => to);
};

const plugin = (sabotage: Sabotage, done: () => void): Plugin => {
  const path = resolve(sabotage.file);
  return {
    name: 'sabotage',
    transform: {
      order: 'pre',
      handler: (source, id) => {
        if (id !== path) return undefined;
        done();
        return sabotaged(sabotage, source);
      },
    },
  };
};

/** Bundles a driver, unchanged or sabotaged, into one file. */
export const bundleDriver = async (file: string, sabotage?: Sabotage, driver = 'driver.ts'): Promise<void> => {
  let changed = 0;
  await build({
    input: resolve('test/faults', driver),
    platform: 'node',
    logLevel: 'silent',
    plugins: sabotage === undefined ? [] : [plugin(sabotage, () => (changed += 1))],
    output: { file, format: 'esm', codeSplitting: false },
  });
  if (sabotage !== undefined && changed !== 1)
    throw new Error(`the sabotage "${sabotage.name}" touched ${changed} files`);
};
