/**
 * What row 5 is compared with: the same walk in a bare undici loop over one connection, whose pages are parsed and dropped.
 * Prints how many records it saw. `node bare-walk.ts ORIGIN`
 */
import { Client } from 'undici';
import { KEY } from './run/charge-file.ts';

interface Page {
  readonly data: readonly unknown[];
  readonly next_cursor: string | null;
}

const [origin = ''] = process.argv.slice(2);
const HEADERS = { authorization: `Bearer ${KEY}`, accept: 'application/json' };
const client = new Client(origin);

const pageAfter = async (cursor: string | undefined): Promise<Page> => {
  const query = { limit: 100, ...(cursor === undefined ? {} : { cursor }) };
  const { statusCode, body } = await client.request({ method: 'GET', path: '/v1/ugwo', query, headers: HEADERS });
  if (statusCode !== 200) throw new Error(`a page was answered ${statusCode}`);
  return JSON.parse(await body.text()) as Page;
};

let seen = 0;
let cursor: string | null | undefined;
while (cursor !== null) {
  const page = await pageAfter(cursor);
  seen += page.data.length;
  cursor = page.next_cursor;
}
await client.close();
process.stdout.write(`${seen}\n`);
