import { describe, expect, it } from 'vitest';
import { scene } from '../support/scene.ts';
import { json, ONYE_ID, problem, reset } from '../support/service.ts';

const CUSTOMER = {
  uid: ONYE_ID,
  email: 'ada@example.com',
  first_name: 'Ada',
  last_name: 'Obi',
  meta: { tier: 'vip' },
  status: 'active',
  created_at: '2026-11-20T10:00:00+00:00',
};
const UPDATE = ['onye', 'update', ONYE_ID];
const PATCH = `PATCH /v1/onye/${ONYE_ID}`;

describe('onye update', () => {
  it('sends only the given fields and prints the customer', () =>
    scene({
      built: true,
      service: [json(200, CUSTOMER)],
      argv: [...UPDATE, '--email', 'ada@example.com'],
      stdout: new RegExp(`^uid\t${ONYE_ID}\nemail\tada@example\\.com\n`),
      requests: [`${PATCH} {"email":"ada@example.com"}`],
    }));

  it('prints no metadata note with --quiet', () =>
    scene({ service: [json(200, CUSTOMER)], argv: [...UPDATE, '--meta', 'tier=vip', '-q'] }));

  it('reads --data from standard input', () =>
    scene({
      service: [json(200, CUSTOMER)],
      argv: [...UPDATE, '--data', '-'],
      stdin: '{"ref": "C-2"}\n',
      requests: [`${PATCH} {"ref":"C-2"}`],
    }));

  it('lets the service validate with --no-validate', () =>
    scene({
      service: [problem(422, 'Validation Failed', [{ propertyPath: 'email', title: 'not valid' }])],
      argv: [...UPDATE, '--email', 'ada', '--no-validate', '--json'],
      exit: 3,
      error: {
        kind: 'rejected',
        exit_code: 3,
        status: 422,
        title: 'Validation Failed',
        violations: [{ property_path: 'email', title: 'not valid', option: '--email' }],
        request: { method: 'PATCH', path: `/v1/onye/${ONYE_ID}` },
      },
    }));

  it('names --data for a rejected field of it', () =>
    scene({
      service: [problem(422, 'Validation Failed', [{ propertyPath: 'locale', title: 'unknown' }])],
      argv: [...UPDATE, '--data', '{"locale":"xx"}'],
      exit: 3,
      stderr: ['--data (locale): unknown'],
    }));

  it('sends once and exits with 6 if the connection is reset', () =>
    scene({
      service: [reset],
      argv: [...UPDATE, '--email', 'a@b.c', '--json'],
      exit: 6,
      error: {
        kind: 'unknown',
        exit_code: 6,
        message: expect.stringContaining('update may have been applied'),
      },
    }));
});
