import { defineCommand, flag } from '../../cli/define.ts';

export const versionCommand = defineCommand({
  path: ['version'],
  danger: 'read',
  summary: 'print the version of paycli, and look for a newer one',
  description:
    "With --check, asks npm's registry once for the newest version. It uses npm's setting (npm_config_registry, else " +
    '`npm config get registry`) and sends no key. No other command looks for updates.',
  options: { check: flag('--check', "ask npm's registry whether a newer version exists") },
  examples: { 'print the version': 'paycli version' },
  output: 'the version; json: {"version":"…"}; with --check: version, latest, newer, registry',
  exits: ['usage', 'rejected', 'auth', 'read_failed'],
  read: (_args, { check }) => ({ check: check === true }),
  load: () => import('./version.ts'),
});
