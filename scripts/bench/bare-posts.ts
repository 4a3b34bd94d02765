/**
 * What row 7 is compared with: the same POSTs in a bare undici loop, each on a fresh connection, whose answers are parsed and
 * dropped. `node bare-posts.ts ORIGIN COUNT CONCURRENCY`
 */
import { Agent, request } from 'undici';
import { KEY, ugwoId } from './run/charge-file.ts';

const [origin = '', count = '', concurrency = ''] = process.argv.slice(2);
const BODY = JSON.stringify({ type: 'charge', data: { medium: 'bank_transfer' } });
const HEADERS = { authorization: `Bearer ${KEY}`, accept: 'application/json', 'content-type': 'application/json' };
const dispatcher = new Agent({ connections: Number(concurrency), pipelining: 1 });

const post = async (row: number): Promise<void> => {
  const { statusCode, body } = await request(`${origin}/v1/ugwo/${ugwoId(row)}/activities`, {
    dispatcher,
    method: 'POST',
    headers: HEADERS,
    body: BODY,
    reset: true,
  });
  const { uid } = JSON.parse(await body.text()) as { uid?: unknown };
  if (statusCode !== 200 || typeof uid !== 'string') throw new Error(`row ${row} was answered ${statusCode}`);
};

let row = 0;
const worker = async (): Promise<void> => {
  while (row < Number(count)) {
    row += 1;
    await post(row);
  }
};
await Promise.all(Array.from({ length: Number(concurrency) }, worker));
