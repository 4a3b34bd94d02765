/**
 * A list of payment requests as a service, in a process of its own, over connections that stay open: its records are made
 * beforehand, so that what is measured is the other end. Prints its origin once it listens, and ends with its standard input.
 * `node scripts/bench/list-stub.ts --records 100000 [--delay MS]`; the delay is before each page.
 */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { parseArgs } from 'node:util';
import { pageOf } from './service/page.ts';

const HEAD_END = '\r\n\r\n';

const { values: options } = parseArgs({ options: { records: { type: 'string' }, delay: { type: 'string' } } });
const total = Number(options.records ?? 100_000);
const delay = Number(options.delay ?? 0);

/** The answer to a request, of which only the first line matters. */
const answer = (head: string): Buffer => {
  const [method, url = '/'] = head.split(' ', 2);
  const page = method === 'GET' ? pageOf(url, total) : undefined;
  const body = page ?? Buffer.from('{"title":"the bench has no such page","status":422,"violations":[]}');
  const status = page === undefined ? '422 Unprocessable Content' : '200 OK';
  const start = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  return Buffer.concat([Buffer.from(`${start}Date: ${new Date().toUTCString()}${HEAD_END}`), body]);
};

const send = (socket: Socket, bytes: Buffer): void => {
  if (delay > 0) setTimeout(() => socket.write(bytes), delay);
  else socket.write(bytes);
};

const serve = (socket: Socket): void => {
  let text = '';
  socket.setNoDelay(true).setEncoding('latin1');
  socket.on('error', () => undefined);
  socket.on('data', (chunk: string) => {
    text += chunk;
    for (let end = text.indexOf(HEAD_END); end !== -1; end = text.indexOf(HEAD_END)) {
      send(socket, answer(text.slice(0, end)));
      text = text.slice(end + HEAD_END.length);
    }
  });
};

const server = createServer(serve);
server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.stdin.resume().on('end', () => process.exit(0));
