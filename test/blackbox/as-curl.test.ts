import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { environment, newFolder } from '../support/program.ts';
import { ACTIVITY, json, serve, UGWO_ID } from '../support/service.ts';

/** A key (not the canary) with characters that shells and curl config files treat specially. */
const KEY = `sk.AbCd.from"the\\shell$HOME%s\`x\`'!`;
const NOTE = `it's "5" $HOME \`x\` \\ é 漢 %s !! \\n\n\tend`;
const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer', '--param', `note=${NOTE}`, '--as-curl'];
const BODY = { type: 'charge', data: { note: NOTE, medium: 'bank_transfer' } };

const pathOf = (program: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path));

/** Prints curl's arguments, then its standard input. Needs no program but the shell. */
const CURL = `curl() { printf '%s\\0' "$@"; while IFS= read -r line; do printf '%s\\0' "<$line"; done; }`;

describe.each(['sh', 'dash', 'bash', 'zsh'])('the output of --as-curl in %s', (name) => {
  const shell = pathOf(name) ?? '';

  it.skipIf(shell === '')('passes the key to curl through a pipe, using shell builtins only', async () => {
    const service = await serve([]);
    const ended = await inProcess(CHARGE, { service });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    const env = { PAYCLI_SECRET_KEY: KEY, PATH: newFolder('no-programs') };
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    const shown = spawnSync(shell, ['-c', `${CURL}\n${ended.stdout}`], { env, encoding: 'utf8', stdio: [...stdio] });
    expect(shown.stderr).toBe('');
    const words = shown.stdout.split('\0').slice(0, -1);
    expect(words.filter((word) => word.includes(KEY))).toEqual([`<oauth2-bearer = ${KEY}`]);
    expect(words).toEqual([
      ...['--config', '-', '--fail-with-body', '--request', 'POST', `${service.origin}/v1/ugwo/${UGWO_ID}/activities`],
      ...['--header', 'Content-Type: application/json', '--data-raw', JSON.stringify(BODY)],
      `<oauth2-bearer = ${KEY}`,
    ]);
  });

  it.skipIf(shell === '' || pathOf('curl') === undefined)('makes curl send the same request as paycli', async () => {
    const service = await serve([json(201, ACTIVITY)]);
    const { stdout } = await inProcess(CHARGE, { service });
    const env = { ...environment({}), PAYCLI_SECRET_KEY: KEY };
    const code = await new Promise((done) =>
      execFile(shell, ['-c', stdout], { env }, (error) => done(error?.code ?? 0)),
    );
    expect(code).toBe(0);
    expect(service.seen).toMatchObject([{ method: 'POST', url: `/v1/ugwo/${UGWO_ID}/activities` }]);
    expect(service.seen[0]?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
    });
    expect(JSON.parse(service.seen[0]?.body ?? '')).toEqual(BODY);
  });
});
