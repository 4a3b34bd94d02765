import { copyFileSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CANARY } from '../support/canary.ts';
import { inProcess } from '../support/in-process.ts';
import { errorOf, newFolder, paycli } from '../support/program.ts';
import { ACTIVITY, DEAD_ORIGIN, json, serve, serveMute, UGWO_ID } from '../support/service.ts';
import { CA_FILE, serveProxy, serveTls } from '../support/tls.ts';

const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer', '--json', '--no-preflight'];
const LIST = ['ugwo', 'list', '--json'];
const ANSWER = JSON.stringify(ACTIVITY);
const TRUSTED = { NODE_EXTRA_CA_CERTS: CA_FILE };
/** The same for a run in the tests' process, whose runtime has read the other variable before. */
const NAMED = { SSL_CERT_FILE: CA_FILE };

describe('TLS', () => {
  it('trusts an extra certificate authority from the environment, and offers only HTTP/1.1', async () => {
    const service = await serveTls('good', ANSWER, ['h2', 'http/1.1']);
    const ended = await paycli(CHARGE, { service, env: TRUSTED });
    expect(ended).toMatchObject({ code: 0, stdout: `${ANSWER}\n` });
    expect(service.requests).toEqual([`POST /v1/ugwo/${UGWO_ID}/activities`]);
    expect(service.offers).toEqual([['http/1.1']]);
  });

  it.each([
    ['straight', CHARGE],
    ['through a proxy', LIST],
  ])("trusts the system's authorities, and SSL_CERT_FILE: %s", async (way, args) => {
    const service = await serveTls('good', args === LIST ? '{"data":[],"next_cursor":null}' : ANSWER);
    const proxy = way === 'straight' ? {} : { HTTPS_PROXY: (await serveProxy()).url };
    expect(await paycli(args, { service, env: { ...proxy, SSL_CERT_FILE: CA_FILE } })).toMatchObject({ code: 0 });
    expect(service.requests).toHaveLength(1);
  });

  it.each([
    ['SSL_CERT_FILE', 'ca.pem'],
    ['NODE_EXTRA_CA_CERTS', './ca.pem'],
    ['SSL_CERT_DIR', ['/etc/ssl/certs', 'trusted'].join(delimiter)],
  ])('trusts no authority of the working folder: %s=%s', async (name, value) => {
    const service = await serveTls('good', ANSWER);
    const cwd = newFolder('cwd');
    copyFileSync(CA_FILE, join(cwd, 'ca.pem'));
    const ended = await inProcess(CHARGE, { service, cwd, env: { [name]: value } });
    expect(ended).toMatchObject({ code: 4, stdout: '' });
    expect(errorOf(ended)).toMatchObject({
      message: `${name} is "${value}", not an absolute path`,
      hint: `set ${name} to an absolute path: a relative one would mean another file in every working folder`,
    });
    expect(service.requests).toEqual([]);
    const shared = await inProcess(['ledger', 'list', '--json'], {
      cwd,
      env: { [name]: value, PAYCLI_LEDGER: 'postgres://ada@db.invalid/pay' },
    });
    expect(errorOf(shared)).toMatchObject({ exit_code: 4, message: `${name} is "${value}", not an absolute path` });
  });

  // Each certificate once, with each command, direct and by proxy: all connections share their options.
  it.each([
    ['an unknown authority', 'good', {}, CHARGE, 'straight'],
    ['an unknown authority', 'good', {}, LIST, 'through a proxy'],
    ['a self-signed certificate', 'self-signed', TRUSTED, LIST, 'straight'],
    ['an expired certificate', 'expired', TRUSTED, CHARGE, 'straight'],
    ['the certificate of another host', 'wrong-host', TRUSTED, CHARGE, 'straight'],
    ['the certificate of another host', 'wrong-host', TRUSTED, CHARGE, 'through a proxy'],
    ['a certificate without server usage', 'wrong-purpose', TRUSTED, CHARGE, 'straight'],
  ])('sends no byte of a request to %s (%#)', async (_what, certificate, env, args, way) => {
    const service = await serveTls(certificate, ANSWER);
    const proxy = way === 'straight' ? {} : { HTTPS_PROXY: (await serveProxy()).url };
    const ended = await paycli(args, { service, env: { ...env, ...proxy } });
    expect(ended).toMatchObject({ code: 4, stdout: '' });
    expect(errorOf(ended)).toMatchObject({
      kind: 'auth',
      message: expect.stringContaining("couldn't verify the certificate"),
    });
    expect(errorOf(ended)['message']).not.toContain('through the proxy');
    expect(service.requests).toEqual([]);
  });

  it("can't be disabled for another machine", async () => {
    const ended = await inProcess(CHARGE, {
      service: { origin: 'https://api.example.invalid' },
      env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    });
    expect(ended).toMatchObject({ code: 4, stdout: '' });
    expect(ended.stderr).toContain('NODE_TLS_REJECT_UNAUTHORIZED');
  });

  it('can be disabled for this machine, without a runtime warning on stderr', async () => {
    const service = await serveTls('self-signed', ANSWER.replace('{', '['));
    const ended = await paycli(LIST, { service, env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } });
    expect(ended).toMatchObject({ code: 8, stdout: '' });
    expect(ended.stderr).toMatch(/^\{"error":.*\}\n$/);
    expect(service.requests).not.toEqual([]);
  });

  it('is required for any other machine', async () => {
    const ended = await inProcess(LIST, { service: { origin: 'http://api.example.invalid' } });
    expect(ended).toMatchObject({ code: 4, stdout: '' });
    expect(ended.stderr).toContain('not encrypted');
  });

  it('with a plain-text server sends nothing: exits with 5', async () => {
    const plain = await serve([]);
    const ended = await paycli(CHARGE, { service: { origin: plain.origin.replace('http:', 'https:') } });
    expect(ended).toMatchObject({ code: 5, stdout: '' });
  });
});

describe('a proxy', () => {
  it('opens a tunnel and sees only encrypted data', async () => {
    const service = await serveTls('good', ANSWER);
    const proxy = await serveProxy();
    const ended = await paycli(CHARGE, { service, env: { ...TRUSTED, HTTPS_PROXY: proxy.url } });
    expect(ended).toMatchObject({ code: 0 });
    expect(proxy.asked).toEqual([new URL(service.origin).host]);
    expect(proxy.readable).toEqual([]);
  });

  it('is not used for hosts in NO_PROXY', async () => {
    const service = await serveTls('good', ANSWER);
    const proxy = await serveProxy();
    const ended = await inProcess(CHARGE, {
      service,
      env: { ...NAMED, HTTPS_PROXY: proxy.url, NO_PROXY: 'localhost' },
    });
    expect(ended).toMatchObject({ code: 0 });
    expect(proxy.asked).toEqual([]);
  });

  it('is never used for plain http, which is limited to this machine', async () => {
    const service = await serve([json(200, ACTIVITY)]);
    const proxy = await serveProxy();
    const env = { http_proxy: proxy.url, HTTP_PROXY: proxy.url, https_proxy: proxy.url, all_proxy: proxy.url };
    expect(await paycli(CHARGE, { service, env })).toMatchObject({ code: 0 });
    expect(proxy.asked).toEqual([]);
    expect(proxy.readable.join()).not.toContain(CANARY);
  });

  it('that refuses leaves the charge not sent', async () => {
    const service = await serveTls('good', ANSWER);
    const proxy = await serveProxy(407);
    const ended = await inProcess(CHARGE, { service, env: { ...TRUSTED, HTTPS_PROXY: proxy.url } });
    expect(ended).toMatchObject({ code: 5, stdout: '' });
    expect(service.requests).toEqual([]);
    expect(proxy.asked).toHaveLength(3);
  });

  it('with TLS is offered only HTTP/1.1', async () => {
    const [service, proxy] = [await serveTls('good', ANSWER), await serveTls('good', ANSWER, ['h2', 'http/1.1'])];
    const ended = await paycli(CHARGE, { service, env: { ...TRUSTED, HTTPS_PROXY: proxy.origin } });
    expect(ended).toMatchObject({ code: 5, stdout: '' });
    expect(new Set(proxy.offers.flat())).toEqual(new Set(['http/1.1']));
  });

  it('that is down leaves the charge not sent', async () => {
    const service = await serveTls('good', ANSWER);
    const ended = await inProcess(CHARGE, { service, env: { ...TRUSTED, HTTPS_PROXY: DEAD_ORIGIN } });
    expect(ended).toMatchObject({ code: 5, stdout: '' });
  });

  it('with an invalid URL is rejected at the start, without quoting it', async () => {
    const home = newFolder();
    const env = { HTTPS_PROXY: 'http://us%er:secret-word@127.0.0.1:9' };
    const ended = await inProcess(CHARGE, { service: { origin: 'https://localhost:9' }, home, env });
    expect(ended).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('HTTPS_PROXY') });
    expect(ended.stderr).not.toContain('secret-word');
    expect(readdirSync(home)).toEqual([]);
  });

  it('or tunnel that never answers is limited by --timeout', async () => {
    const mute = await serveMute();
    const ways = [
      { origin: 'https://localhost:9', proxy: mute.origin },
      { origin: mute.origin.replace('http:', 'https:'), proxy: (await serveProxy()).url },
    ];
    const args = [...CHARGE, '--timeout', '1s'];
    const ended = await Promise.all(
      ways.map(({ origin, proxy }) => inProcess(args, { service: { origin }, env: { HTTPS_PROXY: proxy } })),
    );
    expect(ended).toMatchObject([
      { code: 5, stdout: '', stderr: expect.stringContaining('within 1 s') },
      { code: 5, stdout: '', stderr: expect.stringContaining('within 1 s') },
    ]);
  });
});
