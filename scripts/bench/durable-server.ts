/**
 * What row 13 is compared with: a bare server that writes each body as a line, syncs it and then answers 200.
 * `node durable-server.ts FILE`; ends when its standard input does.
 */
import { fdatasyncSync, openSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const file = openSync(process.argv[2] ?? '', 'a');
const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    writeSync(file, `${body}\n`);
    fdatasyncSync(file);
    response.end('ok\n');
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.stdin.resume().on('end', () => process.exit());
