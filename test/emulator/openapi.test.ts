import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openapi } from '../../scripts/openapi.ts';
import { paycli } from '../support/program.ts';
import { sendRaw, startEmulator } from './support.ts';

describe('the OpenAPI document', () => {
  it('is served to local clients but not to web pages', async () => {
    const { origin } = await startEmulator();
    const served = await sendRaw(origin, { path: '/openapi.json' });
    expect(served).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    expect(served.json).toEqual(JSON.parse(JSON.stringify(openapi())));
    const page = { origin: 'https://evil.example' };
    expect((await sendRaw(origin, { path: '/openapi.json', headers: page })).status).toBe(403);
    expect((await sendRaw(origin, { method: 'POST', path: '/openapi.json' })).status).toBe(401);
  });

  it('is printed by `schema --openapi` as packaged', async () => {
    const { code, stdout, stderr } = await paycli(['schema', '--openapi']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(readFileSync('dist/openapi.json', 'utf8'));
    expect(await paycli(['schema', '--openapi', 'ugwo'])).toMatchObject({ code: 2, stdout: '' });
  });
});
