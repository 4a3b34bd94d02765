import { readFileSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { resolve } from 'node:path';
import { TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';

const folder = resolve('test/fixtures/tls');

/** The certificate authority that signed `good`, `expired` and `wrong-host`. */
export const CA_FILE = resolve(folder, 'ca.pem');

export interface SecureService {
  readonly origin: string;
  /** The requests received, as `METHOD path`. */
  readonly requests: string[];
  /** The protocols that each client offered (ALPN). */
  readonly offers: string[][];
}

/** An HTTPS service on loopback with one of the certificates of test/fixtures/tls. */
export const serveTls = async (
  certificate: string,
  answer: string | ((method: string) => string),
  protocols: readonly string[] = ['http/1.1'],
): Promise<SecureService> => {
  const requests: string[] = [];
  const offers: string[][] = [];
  const server = createServer(
    {
      cert: readFileSync(resolve(folder, `${certificate}.pem`)),
      key: readFileSync(resolve(folder, `${certificate}.key`)),
      ALPNCallback: ({ protocols: offered }) => {
        offers.push(offered);
        return protocols.find((protocol) => offered.includes(protocol));
      },
    },
    (request, response) => {
      requests.push(`${request.method} ${request.url}`);
      const body = typeof answer === 'string' ? answer : answer(request.method ?? '');
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    },
  );
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `https://localhost:${(server.address() as AddressInfo).port}`, requests, offers };
};

export interface Proxy {
  readonly url: string;
  /** The requested tunnel targets. */
  readonly asked: string[];
  /** The requests that it could read: none if tunnels are used. */
  readonly readable: string[];
}

/** A proxy on loopback that opens tunnels (CONNECT), or rejects them with `status`. */
export const serveProxy = async (status = 200): Promise<Proxy> => {
  const asked: string[] = [];
  const readable: string[] = [];
  const server = createHttp((request, response) => {
    readable.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`);
    response.writeHead(502).end();
  });
  server.on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    socket.on('error', () => undefined);
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const onward = connect(Number(port), host === 'localhost' ? '127.0.0.1' : host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket);
      socket.pipe(onward);
    });
    onward.on('error', () => socket.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, readable };
};

/** An origin that is neither the sandbox nor this machine: for paycli it is live. */
export const LIVE_ORIGIN = 'https://elsewhere.test';

/** Environment that routes the live origin to this service. */
export const asLive = async (service: { readonly origin: string }) => {
  const certificate = {
    cert: readFileSync(resolve(folder, 'wrong-host.pem')),
    key: readFileSync(resolve(folder, 'wrong-host.key')),
  };
  const proxy = createHttp().on('connect', (_request, socket) => {
    socket.on('error', () => undefined);
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    const secured = new TLSSocket(socket as Socket, { isServer: true, ...certificate });
    const onward = connect(Number(new URL(service.origin).port), '127.0.0.1');
    secured.on('error', () => onward.destroy()).on('close', () => onward.destroy());
    onward.on('error', () => secured.destroy()).on('close', () => secured.destroy());
    secured.pipe(onward).pipe(secured);
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return { HTTPS_PROXY: url, NODE_EXTRA_CA_CERTS: CA_FILE };
};
