import { copyFileSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CANARY } from '../support/canary.ts';
import { newFolder } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import { ACTIVITY, DEAD_ORIGIN, json, serve, serveMute, UGWO_ID } from '../support/service.ts';
import { CA_FILE, serveProxy, serveTls } from '../support/tls.ts';

const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer', '--json', '--no-preflight'];
const LIST = ['ugwo', 'list', '--json'];
const ANSWER = JSON.stringify(ACTIVITY);
const TRUSTED = { NODE_EXTRA_CA_CERTS: CA_FILE };
/** The same for a run in the tests' process, whose runtime has read the other variable before. */
const NAMED = { SSL_CERT_FILE: CA_FILE };
/** Variables of a run at a service on a secure connection. */
const at = ({ origin }: { readonly origin: string }, more: Readonly<Record<string, string>> = {}) => ({
  ...{ PAYCLI_BASE_URL: origin, PAYCLI_SECRET_KEY: CANARY },
  ...more,
});

describe('TLS', () => {
  it('trusts an extra certificate authority from the environment, and offers only HTTP/1.1', async () => {
    const service = await serveTls('good', ANSWER, ['h2', 'http/1.1']);
    await scene({ built: true, env: at(service, TRUSTED), argv: CHARGE, stdout: `${ANSWER}\n` });
    expect(service.requests).toEqual([`POST /v1/ugwo/${UGWO_ID}/activities`]);
    expect(service.offers).toEqual([['http/1.1']]);
  });

  it.each([
    ['straight', CHARGE],
    ['through a proxy', LIST],
  ])("trusts the system's authorities, and SSL_CERT_FILE: %s", async (way, argv) => {
    const service = await serveTls('good', argv === LIST ? '{"data":[],"next_cursor":null}' : ANSWER);
    const proxy = way === 'straight' ? {} : { HTTPS_PROXY: (await serveProxy()).url };
    await scene({ built: true, env: at(service, { ...proxy, ...NAMED }), argv });
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
    const error = {
      message: `${name} is "${value}", not an absolute path`,
      hint: `set ${name} to an absolute path: a relative one would mean another file in every working folder`,
    };
    await scene({ cwd, env: at(service, { [name]: value }), argv: CHARGE, exit: 4, error });
    expect(service.requests).toEqual([]);
    const env = { [name]: value, PAYCLI_LEDGER: 'postgres://ada@db.invalid/pay' };
    await scene({ cwd, env, argv: ['ledger', 'list', '--json'], exit: 4, error });
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
  ])('sends no byte of a request to %s (%#)', async (_what, certificate, trusted, argv, way) => {
    const service = await serveTls(certificate, ANSWER);
    const proxy = way === 'straight' ? {} : { HTTPS_PROXY: (await serveProxy()).url };
    const error = { kind: 'auth', message: /^(?!.*through the proxy).*couldn't verify the certificate/ };
    await scene({ built: true, env: at(service, { ...trusted, ...proxy }), argv, exit: 4, error });
    expect(service.requests).toEqual([]);
  });

  it.each([
    [
      "can't be disabled for another machine",
      'https:',
      { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      CHARGE,
      /NODE_TLS_REJECT_UNAUTHORIZED/,
    ],
    ['is required for any other machine', 'http:', {}, LIST, /not encrypted/],
  ])('%s', async (_what, scheme, more, argv, message) => {
    const env = at({ origin: `${scheme}//api.example.invalid` }, more);
    await scene({ env, argv, exit: 4, error: { message } });
  });

  it('can be disabled for this machine, without a runtime warning on stderr', async () => {
    const service = await serveTls('self-signed', ANSWER.replace('{', '['));
    const env = at(service, { NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    await scene({ built: true, env, argv: LIST, exit: 8, stderr: /^\{"error":.*\}\n$/ });
    expect(service.requests).not.toEqual([]);
  });

  it('with a plain-text server sends nothing: exits with 5', async () => {
    const plain = await serve([]);
    const env = at({ origin: plain.origin.replace('http:', 'https:') });
    await scene({ built: true, env, argv: CHARGE, exit: 5 });
  });
});

describe('a proxy', () => {
  it('opens a tunnel and sees only encrypted data', async () => {
    const service = await serveTls('good', ANSWER);
    const proxy = await serveProxy();
    await scene({ built: true, env: at(service, { ...TRUSTED, HTTPS_PROXY: proxy.url }), argv: CHARGE });
    expect(proxy.asked).toEqual([new URL(service.origin).host]);
    expect(proxy.readable).toEqual([]);
  });

  it('is not used for hosts in NO_PROXY', async () => {
    const service = await serveTls('good', ANSWER);
    const proxy = await serveProxy();
    const env = at(service, { ...NAMED, HTTPS_PROXY: proxy.url, NO_PROXY: 'localhost' });
    await scene({ env, argv: CHARGE, stdout: `${ANSWER}\n` });
    expect(proxy.asked).toEqual([]);
  });

  it('is never used for plain http, which is limited to this machine', async () => {
    const proxy = await serveProxy();
    const env = { http_proxy: proxy.url, HTTP_PROXY: proxy.url, https_proxy: proxy.url, all_proxy: proxy.url };
    await scene({ built: true, service: [json(200, ACTIVITY)], env, argv: CHARGE });
    expect(proxy.asked).toEqual([]);
    expect(proxy.readable.join()).not.toContain(CANARY);
  });

  it('that refuses leaves the charge not sent', async () => {
    const service = await serveTls('good', ANSWER);
    const proxy = await serveProxy(407);
    await scene({ env: at(service, { ...TRUSTED, HTTPS_PROXY: proxy.url }), argv: CHARGE, exit: 5 });
    expect(service.requests).toEqual([]);
    expect(proxy.asked).toHaveLength(3);
  });

  it('with TLS is offered only HTTP/1.1', async () => {
    const [service, proxy] = [await serveTls('good', ANSWER), await serveTls('good', ANSWER, ['h2', 'http/1.1'])];
    const env = at(service, { ...TRUSTED, HTTPS_PROXY: proxy.origin });
    await scene({ built: true, env, argv: CHARGE, exit: 5 });
    expect(new Set(proxy.offers.flat())).toEqual(new Set(['http/1.1']));
  });

  it('that is down leaves the charge not sent', async () => {
    const service = await serveTls('good', ANSWER);
    await scene({ env: at(service, { ...TRUSTED, HTTPS_PROXY: DEAD_ORIGIN }), argv: CHARGE, exit: 5 });
  });

  it('with an invalid URL is rejected at the start, without quoting it', async () => {
    const env = at({ origin: 'https://localhost:9' }, { HTTPS_PROXY: 'http://us%er:secret-word@127.0.0.1:9' });
    const { home } = await scene({ env, argv: CHARGE, exit: 4, stderr: /^(?!.*secret-word).*HTTPS_PROXY/s });
    expect(readdirSync(home)).toEqual([]);
  });

  it('or tunnel that never answers is limited by --timeout', async () => {
    const mute = await serveMute();
    const argv = [...CHARGE, '--timeout', '1s'];
    await Promise.all(
      [
        at({ origin: 'https://localhost:9' }, { HTTPS_PROXY: mute.origin }),
        at({ origin: mute.origin.replace('http:', 'https:') }, { HTTPS_PROXY: (await serveProxy()).url }),
      ].map((env) => scene({ env, argv, exit: 5, error: { message: /within 1 s/ } })),
    );
  });
});
