/** Has the OpenAPI document, which must have been built, judged by a linter that is not ours; ends with its exit code. */
import { spawnSync } from 'node:child_process';
import { fromNpm } from './from-npm.ts';
import { REDOCLY } from './pinned.ts';

const run = spawnSync(
  process.execPath,
  // Strict: warnings also fail.
  [await fromNpm(REDOCLY), 'lint', 'dist/openapi.json', '--extends=recommended-strict', '--format=stylish'],
  { stdio: 'inherit', env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
);
process.exitCode = run.status ?? 1;
