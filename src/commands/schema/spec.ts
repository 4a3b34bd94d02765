import { defineCommand, flag, several } from '../../cli/define.ts';
import { usageError } from '../../core/error.ts';

export const schemaCommand = defineCommand({
  path: ['schema'],
  summary: 'print the commands and their output schemas as JSON',
  description:
    'For programs and agents that call paycli. For each command: its danger (read, write or money), its options, ' +
    'its exit codes, and the JSON Schema (2020-12) of what it prints with -o json and of one line with -o ndjson. ' +
    '`error` is the schema of the error line on stderr.\n\n' +
    '--openapi prints the contract of the service instead, as OpenAPI 3.1: what paycli sends and how it reads answers. A ' +
    'running emulator serves it at /openapi.json, and the npm package has it as paycli/openapi.json.',
  danger: 'read',
  input: {
    words: several('command', 'only this command, or those of this noun'),
    openapi: flag('--openapi', 'print the contract of the service instead'),
  },
  examples: {
    'all commands': 'paycli schema > schema.json',
    'one command': 'paycli schema ugwo charge',
    'the contract of the service': 'paycli schema --openapi > openapi.json',
  },
  output: 'the commands, or the OpenAPI document, as JSON',
  exits: ['usage'],
  read: (input) => {
    if (input.openapi && input.words.length > 0) throw usageError("--openapi can't be used with a command");
    return input;
  },
  load: async () => ({ run: (await import('./print.ts')).printSchema }),
});
