import { describe, expect, it } from 'vitest';
import { ledgerTargetOf } from '../../src/ledger/entry.ts';

const ORIGIN = 'https://api.example';

describe('the place of a charge', () => {
  it.each([
    ['sk.AbCd.0123456789', 'AbCd'],
    ['pk.AbCd.0123456789', 'AbCd'],
    ['sk.AbCdE.0123456789', undefined],
    ['a-key-of-another-shape', undefined],
  ])('for the key %s has the workspace %s', (key, workspace) => {
    expect(ledgerTargetOf(ORIGIN, key, 'default')).toEqual({
      service: ORIGIN,
      origin: ORIGIN,
      workspace,
      profile: 'default',
    });
  });

  it('for an emulator follows from its key, whatever its port', () => {
    const [first, second] = ['http://127.0.0.1:1', 'http://127.0.0.1:2'];
    const key = 'sk.Lcal.0123456789';
    expect(ledgerTargetOf(first, key, 'local').service).toBe(ledgerTargetOf(second, key, 'local').service);
    expect(ledgerTargetOf(first, key, 'local').origin).toBe(first);
    expect(ledgerTargetOf(first, 'sk.Lcal.9876543210', 'local').service).not.toBe(
      ledgerTargetOf(first, key, 'local').service,
    );
  });

  it.each(['sk.AbCd.very-secret-part', 'sk.Lcal.very-secret-part', 'very-secret-part'])(
    'never holds the key %s',
    (key) => {
      expect(JSON.stringify(ledgerTargetOf(ORIGIN, key, undefined))).not.toContain('very-secret-part');
    },
  );
});

it.each(['localhost', '127.0.0.2', '[::1]'])('knows this machine by one name, also as %s, each port apart', (host) => {
  const key = 'sk.AbCd.0123456789';
  expect(ledgerTargetOf(`http://${host}:4010`, key, undefined).service).toBe('http://127.0.0.1:4010');
  expect(ledgerTargetOf(`http://${host}:4011`, key, undefined).service).toBe('http://127.0.0.1:4011');
  expect(ledgerTargetOf(`http://${host}:4010`, key, undefined).origin).toBe(`http://${host}:4010`);
  expect(ledgerTargetOf('https://localhost.example', key, undefined).service).toBe('https://localhost.example');
});
