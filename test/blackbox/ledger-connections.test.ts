import { appendFileSync, chmodSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import type { Cluster } from '../support/postgres/kinds.ts';
import { ownCluster } from '../support/postgres.ts';
import type { Ended } from '../support/program.ts';
import { errorOf, newFolder, paycli } from '../support/program.ts';
import { CA_FILE } from '../support/tls.ts';

const PASSWORD = "sesame:open\\'$HOME";

interface Given {
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

/** Lists a shared ledger as JSON with --debug; in a process of its own if Node has to trust another authority. */
const listed = (url: string, { env = {}, args = [] }: Given = {}): Promise<Ended> =>
  ('NODE_EXTRA_CA_CERTS' in env ? paycli : inProcess)(['ledger', 'list', '--json', '--debug', ...args], {
    env: { PAYCLI_LEDGER: url, ...env },
  });

const address = (cluster: Cluster, database: string, settings: Readonly<Record<string, string>> = {}, user?: string) =>
  `${cluster.url(database, user === undefined ? {} : { user })}?${new URLSearchParams(settings)}`;

const fileWith = (text: string, mode = 0o600): string => {
  const path = join(newFolder(), 'file');
  writeFileSync(path, text, { mode });
  return path;
};

/** A private copy of a key fixture. */
const ownKey = (name: string): string => {
  const path = join(newFolder(), name);
  copyFileSync(resolve('test/fixtures/tls', name), path);
  chmodSync(path, 0o600);
  return path;
};

const withLedger = async (cluster: Cluster): Promise<string> => {
  const database = await cluster.createDatabase();
  const env = { PAYCLI_LEDGER: cluster.url(database, { over: 'socket' }) };
  expect(await inProcess(['ledger', 'init', '--operator', 'operator'], { env })).toMatchObject({ code: 0 });
  return database;
};

const said = ({ stdout, stderr }: Ended): string => stdout + stderr;

// Windows lacks the needed users and file modes.
describe.skipIf(process.platform === 'win32')('the connection to a shared ledger', () => {
  // Modes that verify: test/ledger/postgres/url.
  it.each(['disable', 'no-verify'])('with sslmode=%s is refused to other machines', async (mode) => {
    const ended = await listed(`postgres://ada@db.invalid/pay?sslmode=${mode}`);
    expect(ended.code).toBe(4);
    expect(errorOf(ended)).toMatchObject({
      message:
        "the ledger's address has an sslmode that doesn't verify the server's certificate, which is always verified",
    });
  });

  it.each([
    ['good', { sslmode: 'require' }, /self.signed certificate in certificate chain/],
    ['wrong-host', { sslrootcert: CA_FILE }, /does not match certificate/],
    ['expired', { sslrootcert: CA_FILE }, /certificate has expired/],
  ])('is refused if the certificate is %s (%j)', async (tls, settings: Record<string, string>, why) => {
    const cluster = await ownCluster({ tls });
    const ended = await listed(address(cluster, 'postgres', settings));
    expect(ended.code).toBe(10);
    const { message, hint } = errorOf(ended);
    expect(message).toMatch(why);
    expect(hint).toContain('sslrootcert=FILE');
    expect(cluster.log()).not.toContain('connection authorized');
  });

  it('is refused if the server has no TLS', async () => {
    const cluster = await ownCluster();
    const ended = await listed(address(cluster, 'postgres', { sslmode: 'verify-full' }));
    expect(ended.code).toBe(10);
    expect(errorOf(ended)['message']).toContain('does not support SSL');
  });

  it('uses a client certificate with a private key file', async () => {
    const cluster = await ownCluster({ tls: 'good', loopback: 'cert' });
    await cluster.sql('CREATE ROLE operator LOGIN');
    const database = await withLedger(cluster);
    const own = { sslcert: resolve('test/fixtures/tls/operator.pem'), sslkey: ownKey('operator.key') };
    const trusted = { env: { NODE_EXTRA_CA_CERTS: CA_FILE } };
    const secure = { ...own, sslmode: 'verify-full' };
    expect(await listed(address(cluster, database, secure, 'operator'), trusted)).toMatchObject({ code: 0 });
    const named = { env: { SSL_CERT_FILE: CA_FILE } };
    expect(await listed(address(cluster, database, secure, 'operator'), named)).toMatchObject({ code: 0 });
    const other = await listed(address(cluster, database, secure, 'postgres'), trusted);
    expect(errorOf(other)).toMatchObject({ exit_code: 10, code: '28000' });
    chmodSync(own.sslkey, 0o644);
    const open = await listed(address(cluster, database, secure, 'operator'), trusted);
    expect(errorOf(open)).toMatchObject({
      exit_code: 4,
      message: `the ledger's address names a private key that is open to other users: ${own.sslkey}`,
    });
  });
});

describe.skipIf(process.platform === 'win32')('the password of a shared ledger', () => {
  const openDoor = async () => {
    const cluster = await ownCluster({ tls: 'good', loopback: 'scram-sha-256' });
    await cluster.sql(`CREATE ROLE operator LOGIN PASSWORD '${PASSWORD.replaceAll("'", "''")}'`);
    const database = await withLedger(cluster);
    return { cluster, url: address(cluster, database, { sslrootcert: CA_FILE }, 'operator') };
  };
  const escaped = PASSWORD.replaceAll(/[\\:]/g, '\\$&');

  it('is read from a private file, ~/.pgpass or a command, and never printed', async () => {
    const { url } = await openDoor();
    const home = newFolder();
    writeFileSync(join(home, '.pgpass'), `*:*:*:operator:${escaped}\n`, { mode: 0o600 });
    const wrong = fileWith('*:*:*:*:wrong-password\n');
    const file = fileWith(`*:*:*:postgres:no\n# ours\n127.0.0.1:*:*:operator:${escaped}\n`);
    const printed = fileWith(`${PASSWORD}\n`);
    const good: Record<string, string>[] = [
      { PGPASSFILE: file },
      { HOME: home },
      { PAYCLI_LEDGER_PASSWORD_COMMAND: `cat ${printed}`, PGPASSFILE: wrong },
    ];
    for (const env of good) {
      const ended = await listed(url, { env });
      expect(ended).toMatchObject({ code: 0 });
      expect(said(ended)).not.toContain(PASSWORD);
    }
    const refused = await listed(url, { env: { PGPASSFILE: wrong } });
    expect(errorOf(refused)).toMatchObject({
      exit_code: 10,
      code: '28P01',
      hint: 'check the user and its password: PGPASSFILE, or PAYCLI_LEDGER_PASSWORD_COMMAND',
    });
    expect(said(refused)).not.toContain('wrong-password');
    const open = fileWith('*:*:*:*:password-in-file\n', 0o644);
    expect(errorOf(await listed(url, { env: { PGPASSFILE: open } }))).toMatchObject({
      exit_code: 4,
      message: `the password file ${open} is open to other users, so it was not used`,
    });
    const unread = await listed(url, { env: { PGPASSWORD: PASSWORD } });
    expect(errorOf(unread)).toMatchObject({ exit_code: 4, message: expect.stringMatching(/^PGPASSWORD is set, but/) });
    expect(said(unread)).not.toContain(PASSWORD);
    const none = await listed(url);
    expect(errorOf(none)).toMatchObject({
      exit_code: 4,
      message: expect.stringMatching(/^the ledger postgres:\S+ asks for a password, and none is known$/),
    });
  });

  it.each([
    ['password', 'scram-sha-256', 'in clear text'],
    ['md5', 'md5', 'as MD5'],
    // A server that stores no MD5 hash asks for SCRAM.
    ['md5', 'scram-sha-256', undefined],
    ['scram-sha-256', 'scram-sha-256', undefined],
  ])('is sent without TLS only by SCRAM, if the server asks by %s and stores %s', async (loopback, keeps, how) => {
    const cluster = await ownCluster({ loopback, settings: { password_encryption: keeps } });
    await cluster.sql(`CREATE ROLE operator LOGIN PASSWORD '${PASSWORD.replaceAll("'", "''")}'`);
    const url = address(cluster, await withLedger(cluster), {}, 'operator');
    const ended = await listed(url, { env: { PGPASSFILE: fileWith(`*:*:*:operator:${escaped}\n`) } });
    if (how === undefined) expect(ended).toMatchObject({ code: 0 });
    else {
      expect(errorOf(ended)).toMatchObject({
        exit_code: 4,
        message: expect.stringMatching(
          `^the ledger postgres:\\S+ asks for the password ${how} over a connection without TLS$`,
        ),
      });
    }
    expect(said(ended)).not.toContain(PASSWORD);
  });

  it('is read from the command at each connection', async () => {
    const { cluster, url } = await openDoor();
    const asked = fileWith('');
    const command = join(newFolder(), 'ask');
    writeFileSync(command, `#!/bin/sh\necho asked >> ${asked}\ncat ${fileWith(PASSWORD)}\n`, { mode: 0o700 });
    const env = { PAYCLI_LEDGER: url, PAYCLI_LEDGER_PASSWORD_COMMAND: command };
    const before = cluster.log().length;
    expect(await inProcess(['ledger', 'status'], { env })).toMatchObject({ code: 0 });
    const connections = readFileSync(asked, 'utf8').split('\n').length - 1;
    expect(connections).toBeGreaterThan(1);
    expect(cluster.log().slice(before)).not.toContain('asked');
    appendFileSync(command, 'exit 3\n');
    const ended = await listed(url, { env: { PAYCLI_LEDGER_PASSWORD_COMMAND: command } });
    expect(errorOf(ended)).toMatchObject({ exit_code: 4 });
    expect(said(ended)).not.toContain(PASSWORD);
  });

  it('is rejected in the address and not repeated in the error', async () => {
    const secret = 'hunter2-hunter2';
    const url = `postgres://ada:${secret}@db.invalid/pay`;
    const home = newFolder();
    const used = await inProcess(['ledger', 'use', url, '--json', '--debug'], { home });
    for (const ended of [await listed(url), used]) {
      expect(ended.code).toBe(4);
      expect(said(ended)).not.toContain(secret);
      expect(errorOf(ended)['hint']).toContain('PGPASSFILE');
    }
  });
});
