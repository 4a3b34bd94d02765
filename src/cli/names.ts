import { textAt } from '../core/charge.ts';
import { usageError } from '../core/error.ts';
import { targetFlags } from '../core/input.ts';
import { idNamed, recordLine } from '../core/names.ts';
import type { Named } from '../core/record.ts';
import { shellLine } from '../core/shell.ts';
import type { CommandSpec } from './define.ts';
import type { Names } from './program.ts';
import type { OwnRun } from './run.ts';

type Called = Pick<CommandSpec, 'path' | 'danger' | 'confirms'>;

/** The command that shows the record that is probably meant, or the way to it. */
const nextCommand = (name: string, record: unknown, { isWhole }: Named, { prefix }: Names, { path }: Called) => {
  if (record !== undefined) return `give its id: ${shellLine(['paycli', ...path, textAt(record, 'uid')])}`;
  const list = prefix === 'ugw' ? ['ugwo', 'list', '--ref', name] : ['onye', 'list', '--email', name];
  // The whole list has no such ref, but the text may be a part of one, or something else.
  return `find it with: ${shellLine(['paycli', ...(isWhole && prefix === 'ugw' ? ['find', name, '--service'] : list)])}`;
};

/** Reads the input again with ids in place of names. Before a write, tells which records are meant, and asks. */
export const readNamed = async (names: Names, spec: Called, run: OwnRun): Promise<unknown> => {
  const named = await run.named(names.prefix, names.texts);
  const ids = new Map<string, string>();
  for (const name of names.texts) {
    const records = named.found.get(name) ?? [];
    const meant = idNamed(names.prefix, name, named);
    if ('problem' in meant) {
      const command = nextCommand(name, records[0]?.value, named, names, spec);
      throw usageError(meant.problem, {
        violations: records.map(({ value }) => ({ propertyPath: '', title: recordLine(value) })),
        hint: [command, shellLine(targetFlags(run.globals))].filter(Boolean).join(' '),
      });
    }
    ids.set(name, meant.id);
    if (spec.danger !== 'read') await run.say(`${name} is ${recordLine(records[0]?.value)}`);
  }
  const asks = spec.danger !== 'read' && spec.confirms !== true && !run.globals.dryRun;
  run.state.hasShown = true;
  if (asks) await run.ask(['Is this the one?'], 'go ahead');
  return names.read(ids);
};
