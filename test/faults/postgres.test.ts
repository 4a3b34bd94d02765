import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import type { At } from '../support/postgres/kinds.ts';
import { askedAt } from '../support/postgres/sql.ts';

// Windows has neither its users nor its signals.
describe.skipIf(process.platform === 'win32')('a PostgreSQL of the tests', () => {
  it('ends with the process that started it, even if that is killed', async () => {
    const child = fork(join(import.meta.dirname, 'postgres-starter.ts'), { execArgv: [] });
    const [at] = (await once(child, 'message')) as [At];
    const url = askedAt(at).url('postgres');
    const client = new pg.Client(url);
    await client.connect();
    await client.end();
    child.kill('SIGKILL');
    await expect.poll(() => existsSync(at.socketDir)).toBe(false);
    await expect(new pg.Client(url).connect()).rejects.toThrow('ECONNREFUSED');
  });
});
