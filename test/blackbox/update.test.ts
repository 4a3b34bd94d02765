import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { errorOf, newFolder, paycli } from '../support/program.ts';
import { json, ONYE_ID, problem, reset, serve } from '../support/service.ts';

const CUSTOMER = {
  uid: ONYE_ID,
  email: 'ada@example.com',
  first_name: 'Ada',
  last_name: 'Obi',
  meta: { tier: 'vip' },
  status: 'active',
  created_at: '2026-11-20T10:00:00+00:00',
};

describe('onye update', () => {
  it('sends only the given fields and prints the customer', async () => {
    const service = await serve([json(200, CUSTOMER)]);
    const ended = await paycli(['onye', 'update', ONYE_ID, '--email', 'ada@example.com'], { service });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout.split('\n').slice(0, 2)).toEqual([`uid\t${ONYE_ID}`, 'email\tada@example.com']);
    expect(service.seen).toMatchObject([
      { method: 'PATCH', url: `/v1/onye/${ONYE_ID}`, body: '{"email":"ada@example.com"}' },
    ]);
  });

  it('sends every option under its API name', async () => {
    const service = await serve([json(200, CUSTOMER)]);
    const file = join(newFolder(), 'address.json');
    writeFileSync(file, '{"city": "Enugu", "country": "NG"}');
    await inProcess(
      [
        'onye',
        'update',
        ONYE_ID,
        '--ref',
        'C-1',
        '--first-name',
        'Ada',
        '--last-name',
        '',
        '--billing-address',
        `@${file}`,
        '--meta',
        'tier=vip',
        '--meta',
        'visits:=3',
        '--meta',
        'a=b=c',
      ],
      { service },
    );
    expect(JSON.parse(service.seen[0]?.body ?? '')).toEqual({
      ref: 'C-1',
      first_name: 'Ada',
      last_name: '',
      billing_address: { city: 'Enugu', country: 'NG' },
      meta: { tier: 'vip', visits: 3, a: 'b=c' },
    });
  });

  it('prints no metadata note with --quiet', async () => {
    const service = await serve([json(200, CUSTOMER)]);
    const quiet = await inProcess(['onye', 'update', ONYE_ID, '--meta', 'tier=vip', '-q'], { service });
    expect(quiet.stderr).toBe('');
  });

  it('reads --data from standard input', async () => {
    const service = await serve([json(200, CUSTOMER)]);
    await inProcess(['onye', 'update', ONYE_ID, '--data', '-'], { service, stdin: '{"ref": "C-2"}\n' });
    expect(service.seen[0]?.body).toBe('{"ref":"C-2"}');
  });

  it.each([
    ['nothing to change', [ONYE_ID], /nothing to change/],
    ['an invalid e-mail address', [ONYE_ID, '--email', 'ada'], /--email.*not a valid e-mail address/s],
    ['a missing file', [ONYE_ID, '--data', '@/nowhere.json'], /nowhere\.json can't be read/],
  ])('rejects %s with exit code 2 and sends nothing', async (_what, args, message) => {
    const service = await serve([]);
    const ended = await paycli(['onye', 'update', ...args], { service });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(message);
    expect(service.connections()).toBe(0);
  });

  it('lets the service validate with --no-validate', async () => {
    const service = await serve([problem(422, 'Validation Failed', [{ propertyPath: 'email', title: 'not valid' }])]);
    const ended = await inProcess(['onye', 'update', ONYE_ID, '--email', 'ada', '--no-validate', '--json'], {
      service,
    });
    expect(ended).toMatchObject({ code: 3, stdout: '' });
    expect(errorOf(ended)).toMatchObject({
      kind: 'rejected',
      exit_code: 3,
      status: 422,
      title: 'Validation Failed',
      violations: [{ property_path: 'email', title: 'not valid', option: '--email' }],
      request: { method: 'PATCH', path: `/v1/onye/${ONYE_ID}` },
    });
  });

  it('names --data for a rejected field of it', async () => {
    const service = await serve([problem(422, 'Validation Failed', [{ propertyPath: 'locale', title: 'unknown' }])]);
    const ended = await inProcess(['onye', 'update', ONYE_ID, '--data', '{"locale":"xx"}'], { service });
    expect(ended.stderr).toContain('--data (locale): unknown');
  });

  it('sends once and exits with 6 if the connection is reset', async () => {
    const service = await serve([reset]);
    const ended = await paycli(['onye', 'update', ONYE_ID, '--email', 'a@b.c', '--json'], { service });
    expect(ended).toMatchObject({ code: 6, stdout: '' });
    expect(errorOf(ended)).toMatchObject({
      kind: 'unknown',
      exit_code: 6,
      message: expect.stringContaining('update may have been applied'),
    });
  });
});
