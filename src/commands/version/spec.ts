import packageJson from '../../../package.json' with { type: 'json' };
import { defineCommand } from '../../cli/define.ts';
import { madeHere } from '../../core/record.ts';
import { isJsonFormat, type Result } from '../../core/result.ts';
import type { Run } from '../run.ts';

const { version } = packageJson;

const run = async (_input: unknown, { globals: { format } }: Pick<Run, 'globals'>): Promise<Result> =>
  isJsonFormat(format)
    ? { kind: 'record', record: madeHere({ version }), view: { columns: [{ path: 'version' }] } }
    : { kind: 'text', text: version };

export const versionCommand = defineCommand({
  path: ['version'],
  danger: 'read',
  summary: 'print the version of paycli',
  examples: { 'print the version': 'paycli version' },
  output: 'the version; json: {"version":"…"}',
  exits: ['usage'],
  load: async () => ({ run }),
});
