import { expect, it } from 'vitest';
import { openClient } from '../../src/compose/client.ts';
import type { RunContext } from '../../src/compose/run.ts';
import { nextTurn } from '../../src/core/async.ts';
import { Redactor } from '../../src/core/secret.ts';
import { KEY } from '../client/support.ts';
import { clock } from '../support/clock.ts';
import { json, serveAll } from '../support/service.ts';

const { signal } = new AbortController();

it('closing a run waits for its notes about odd answers', async () => {
  const service = await serveAll([json(200, { uid: 'ony.AbCd.another' })]);
  const said: string[] = [];
  const closing: (() => Promise<void>)[] = [];
  const run = {
    io: {
      ...{ clock, env: {}, redactor: new Redactor(), stderr: { isTerminal: false }, random: Math.random },
      ...{ signals: { stop: signal, leave: signal }, flight: { open: 0, accepted: 0 } },
    },
    globals: { timeout: 10_000, validate: true, debug: false, quiet: false, format: undefined },
    state: { closing, status: {} },
    say: async (line: string) => {
      await nextTurn();
      said.push(line);
    },
  } as unknown as RunContext;
  const client = await openClient(run, { origin: service.origin, key: KEY });
  const body = { email: 'ada@example.com' };
  await client.call('onye.update', { params: { uid: 'ony.AbCd.one' }, body });
  expect(said).toEqual([]);
  await Promise.all(closing.map((close) => close()));
  expect(said).toEqual([expect.stringMatching(/^note: .*another customer/)]);
});
