import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PayError } from '../../../src/core/error.ts';
import { parseAddress } from '../../../src/ledger/postgres/url.ts';
import { newFolder } from '../../support/program.ts';
import { CA_FILE } from '../../support/tls.ts';

const refused = (text: string): PayError => {
  try {
    parseAddress(text);
  } catch (thrown) {
    if (thrown instanceof PayError) return thrown;
    throw thrown;
  }
  throw new Error(`${text} was not refused`);
};

const PLAIN = { port: 5432, user: 'ada', database: 'pay', tls: undefined };

describe('addressOf', () => {
  it.each([
    ['postgres://ada@127.0.0.1/pay', { ...PLAIN, host: '127.0.0.1' }],
    ['postgresql://ada@localhost:5433/pay', { ...PLAIN, host: '127.0.0.1', port: 5433 }],
    ['postgres://ada@LOCALHOST/pay', { ...PLAIN, host: '127.0.0.1' }],
    ['postgres://ada@[::1]/pay', { ...PLAIN, host: '::1' }],
    ['postgres://ada@[::1]/pay?sslmode=disable', { ...PLAIN, host: '::1' }],
    ['postgres://ada@x/pay?host=/run/postgresql', { ...PLAIN, host: '/run/postgresql' }],
    ['postgres://ada@x:5433/pay?host=/run/postgresql', { ...PLAIN, host: '/run/postgresql', port: 5433 }],
    ['postgres:///pay?host=/run/postgresql&user=ada&port=5433', { ...PLAIN, host: '/run/postgresql', port: 5433 }],
    ['postgres://ada@/pay?host=/run/postgresql', { ...PLAIN, host: '/run/postgresql' }],
    ['postgres://ada@/pay?host=%2Frun%2Fpostgresql&port=5433', { ...PLAIN, host: '/run/postgresql', port: 5433 }],
    ['postgres://a+b@/p+y?host=/run/c++', { ...PLAIN, host: '/run/c++', user: 'a+b', database: 'p+y' }],
    ['postgres://o%27hara%40x@127.0.0.1/p%20y', { ...PLAIN, host: '127.0.0.1', user: "o'hara@x", database: 'p y' }],
    ['postgres://ada@db.example/pay', { ...PLAIN, host: 'db.example', tls: {} }],
    ['postgres://ada@10.0.0.5/pay?sslmode=require', { ...PLAIN, host: '10.0.0.5', tls: {} }],
    ['postgres://ada@127.0.0.1/pay?sslmode=verify-full', { ...PLAIN, host: '127.0.0.1', tls: {} }],
    ['postgres://ada@localhost/pay?host=db.example', { ...PLAIN, host: 'db.example', tls: {} }],
    ['postgres://ada@127.0.0.1.example/pay', { ...PLAIN, host: '127.0.0.1.example', tls: {} }],
  ])('reads %s', (text, address) => {
    expect(parseAddress(text)).toMatchObject(address);
  });

  it('has a name without secrets', () => {
    const { name } = parseAddress('postgres://ada@db.example/pay?sslmode=verify-full');
    expect(name).toBe('postgres://db.example:5432/pay');
  });

  it.each([
    '',
    'pay',
    'mysql://ada@db.example/pay',
    'postgres://db.example/pay',
    'postgres://ada@db.example',
    'postgres://ada@/pay',
  ])('rejects %j', (text) => {
    expect(refused(text)).toMatchObject({
      kind: 'usage',
      detail: { hint: 'use postgres://USER@HOST[:PORT]/DATABASE' },
    });
  });

  it.each(['a%20b', '127.0.0.1%2f.example', 'x%40127.0.0.1', 'localhost%3f', '127.0.0.1%23'])(
    'rejects the host %s',
    (host) => {
      expect(refused(`postgres://ada@${host}/pay`).message).toBe("the ledger's address has no host in it");
    },
  );

  it.each(['x', '-1', '123456', '70000', '1e3', ''])('rejects the port %j', (port) => {
    const text = `postgres:///pay?host=/run/postgresql&user=ada&port=${port}`;
    if (port === '') expect(parseAddress(text).port).toBe(5432);
    else expect(refused(text).message).toContain('port that is no number');
  });

  it.each(['disable', 'allow', 'prefer', 'no-verify', 'x'])('for another machine rejects sslmode=%s', (mode) => {
    const error = refused(`postgres://ada@db.example/pay?sslmode=${mode}`);
    expect(error).toMatchObject({
      kind: 'auth',
      message:
        "the ledger's address has an sslmode that doesn't verify the server's certificate, which is always verified",
    });
  });

  it('for this machine allows plain text, but no unverified TLS', () => {
    expect(parseAddress('postgres://ada@127.0.0.1/pay?sslmode=disable').tls).toBeUndefined();
    expect(refused('postgres://ada@127.0.0.1/pay?sslmode=prefer').kind).toBe('auth');
  });

  it('for this machine uses TLS if a certificate is given', () => {
    const { tls } = parseAddress(`postgres://ada@127.0.0.1/pay?sslrootcert=${encodeURIComponent(CA_FILE)}`);
    expect(tls?.ca).toMatch(/^-----BEGIN CERTIFICATE/);
    expect(refused('postgres://ada@127.0.0.1/pay?sslrootcert=/no/such/file')).toMatchObject({
      kind: 'auth',
      detail: { hint: 'fix sslrootcert, sslcert or sslkey' },
    });
  });

  it.each(['sslrootcert', 'sslcert', 'sslkey'])('rejects a relative path in %s', (name) => {
    expect(refused(`postgres://ada@db.example/pay?${name}=ca.pem`)).toMatchObject({
      kind: 'auth',
      message: "the ledger's address names a file by a relative path",
    });
  });

  it.runIf(process.getuid?.() === 0)('rejects a file that another user put there', () => {
    const pipe = join(newFolder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    chownSync(pipe, 12_345, 12_345);
    const { message } = refused(`postgres://ada@db.example/pay?sslrootcert=${encodeURIComponent(pipe)}`);
    expect(message).toContain('is a named pipe of another user');
  });

  it.runIf(process.getuid !== undefined)('rejects a key file that others can read', () => {
    const key = join(newFolder(), "ada's.key");
    writeFileSync(key, 'KEY');
    const text = `postgres://ada@db.example/pay?sslkey=${encodeURIComponent(key)}`;
    const root = process.getuid?.() === 0;
    for (const mode of [0o604, 0o660, ...(root ? [] : [0o640])]) {
      chmodSync(key, mode);
      expect(refused(text)).toMatchObject({
        kind: 'auth',
        message: `the ledger's address names a private key that is open to other users: ${key}`,
        detail: { hint: `run: chmod 600 '${key.replace("'", "'\\''")}'` },
      });
    }
    for (const mode of [0o600, 0o400, ...(root ? [0o640] : [])]) {
      chmodSync(key, mode);
      expect(parseAddress(text).tls?.key).toBe('KEY');
    }
  });

  it('never repeats a password, wherever it is', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9]{0,3}[!-~]{6,12}$/), fc.boolean(), (secret, encode) => {
        const written = encode ? encodeURIComponent(secret) : secret;
        for (const text of [
          `postgres://ada:${written}@db.example/pay`,
          `postgres://ada@db.example/pay?password=${written}`,
          `postgres://ada:${written}@/pay?host=/run/postgresql`,
        ]) {
          const { message, detail } = refused(text);
          const parts = secret.split(/[?&#/:@]/).filter((part) => part.length > 5);
          for (const part of parts) expect(`${message} ${detail.hint}`).not.toContain(part);
        }
      }),
    );
  });

  it.each([
    ['postgres://ada:hunter22@db.example/pay', 'auth'],
    ['postgres://ada:@db.example/hunter22', 'auth'],
    ['postgres://ada:@h/hunter22@db.example/pay', 'usage'],
    ['postgres://ada:5?hunter22@db.example/pay', 'usage'],
    ['postgres://ada@db.example/pay?password=hunter22', 'usage'],
    ['postgres://ada:a?b&hunter22@db.example/pay', 'usage'],
    ['postgres://ada:5?b&hunter22', 'usage'],
    ['postgres://ada:5?sslmode=hunter22', 'usage'],
    ['postgres://db.example/pay?user=ada&sslmode=hunter22', 'auth'],
    ['postgres://ada%3Ahunter22@db.example/pay', 'auth'],
    ['postgres://ada:5/hunter22@db.example/pay?user=ada', 'usage'],
    ['postgres://ada:hunter22@/pay?host=/x', 'usage'],
  ])('rejects %s without repeating it', (text, kind) => {
    const error = refused(text);
    expect(error.kind).toBe(kind);
    expect(`${error.message} ${error.detail.hint}`).not.toContain('hunter22');
  });
});
