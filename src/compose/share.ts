import type { Run } from '../commands/run.ts';
import type { ShareProgram } from '../commands/ugwo/charge-spec.ts';
import { usageError } from '../core/error.ts';
import { isTimeZone } from '../core/settings.ts';
import { readInputBytes } from './run.ts';

const MOST_TEMPLATE_BYTES = 64 * 1024;

/** Opens the writer of messages to customers. Throws if an option is not valid. */
export const openMessages = async ({ shareTemplate: file, shareZone: zone }: ShareProgram, run: Run) => {
  const { shareMessage, Template } = await import('../output/share.ts');
  if (zone !== undefined && !isTimeZone(zone)) {
    throw usageError(`--share-zone: "${zone}" is not a time zone, such as Africa/Lagos`);
  }
  const template =
    file === undefined ? undefined : new Template(await readInputBytes(run, file, MOST_TEMPLATE_BYTES), file);
  return {
    template,
    write: (step: Parameters<typeof shareMessage>[0]) => shareMessage({ ...step, zone, template }),
  };
};
