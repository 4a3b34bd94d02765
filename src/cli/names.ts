import { textAt } from '../core/charge.ts';
import { usageError } from '../core/error.ts';
import type { NamedPrefix } from '../core/ids.ts';
import { targetFlags } from '../core/input.ts';
import { idNamed, recordLine } from '../core/names.ts';
import { shellLine, textLine } from '../core/shell.ts';
import type { CommandSpec } from './define.ts';
import type { Names } from './program.ts';
import type { OwnRun } from './run.ts';

type Called = Pick<CommandSpec, 'path' | 'danger' | 'confirms'>;

/**
 * The command that may find a record whose name was not found. If the whole list has no such name, the text may be part
 * of another one, or something else.
 */
const findCommand = (prefix: NamedPrefix, name: string, isWhole: boolean, flags: readonly string[]): string => {
  if (prefix === 'ony') return shellLine(['paycli', 'onye', 'list', ...(isWhole ? [] : ['--email', name]), ...flags]);
  return isWhole
    ? textLine(['paycli', 'find'], name, ['--service', ...flags])
    : shellLine(['paycli', 'ugwo', 'list', '--ref', name, ...flags]);
};

/** Reads the input again with ids in place of names. Before a write, tells which records are meant, and asks. */
export const readNamed = async (names: Names, spec: Called, run: OwnRun): Promise<unknown> => {
  const named = await run.named(names.prefix, names.texts);
  const [ids, flags] = [new Map<string, string>(), targetFlags(run.globals)];
  for (const name of names.texts) {
    const records = named.found.get(name) ?? [];
    const meant = idNamed(names.prefix, name, named);
    if ('problem' in meant) {
      throw usageError(meant.problem, {
        violations: records.map(({ value }) => ({ propertyPath: '', title: recordLine(value) })),
        hint:
          records[0] === undefined
            ? `find it with: ${findCommand(names.prefix, name, named.isWhole, flags)}`
            : `give its id: ${shellLine(['paycli', ...spec.path, textAt(records[0].value, 'uid'), ...flags])}`,
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
