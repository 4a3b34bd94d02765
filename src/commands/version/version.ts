import packageJson from '../../../package.json' with { type: 'json' };
import { madeHere } from '../../core/record.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';

const { version } = packageJson;

const partsOf = (text: string): number[] => (text.split(/[-+]/)[0] ?? '').split('.').map(Number);

/** True if a release is newer than the running version. A release is newer than its own previews. */
const isNewer = (latest: string): boolean => {
  const [theirs, ours] = [partsOf(latest), partsOf(version)];
  const at = theirs.findIndex((part, index) => part !== ours[index]);
  return at === -1 ? version.includes('-') && !latest.includes('-') : Number(theirs[at]) > Number(ours[at]);
};

/** Compares the running version with the newest one in npm's registry. */
const compared = async (deps: Deps): Promise<Result> => {
  const { latest, registry } = await deps.newestVersion();
  const newer = isNewer(latest);
  return {
    kind: 'record',
    record: madeHere({ version, latest, newer, registry }),
    view: { columns: [{ path: 'version' }, { path: 'latest' }, { path: 'newer' }, { path: 'registry' }] },
    notice: newer
      ? `paycli ${latest} is available. Update it in the way that you installed it.`
      : 'No newer version is available.',
  };
};

/** Prints the version, alone as text. */
export const run = async ({ check }: { readonly check: boolean }, deps: Deps): Promise<Result> => {
  if (check) return compared(deps);
  const { format } = deps.globals;
  return format === 'json' || format === 'ndjson'
    ? { kind: 'record', record: madeHere({ version }), view: { columns: [{ path: 'version' }] } }
    : { kind: 'text', text: version };
};
