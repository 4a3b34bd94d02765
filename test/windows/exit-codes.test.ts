import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ErrorKind, EXIT_CODES } from '../../src/core/error.ts';
import { errorOf, newFolder, paycli, runBefore, start } from '../support/program.ts';
import { ACTIVITY, type Answer, hang, json, page, problem, reset, serve, UGWO_ID } from '../support/service.ts';

const LIST = ['ugwo', 'list'];
const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer', '--no-preflight'];
const WAIT = ['activity', 'wait', UGWO_ID, ACTIVITY.uid];

/** A run that ends with each code, and the answers of the service to it. */
const RUNS: readonly (readonly [kind: ErrorKind | 'done', args: readonly string[], answers: readonly Answer[]])[] = [
  ['done', LIST, [page([1], null)]],
  ['usage', ['ugwo', 'lst'], []],
  ['rejected', CHARGE, [problem(422, 'No')]],
  ['auth', LIST, [problem(401, 'No')]],
  ['not_sent', [...CHARGE, '--base-url', 'http://127.0.0.1:1'], []],
  ['unknown', CHARGE, [reset]],
  ['unrecorded', [...CHARGE, '--jq', '.uid + 1'], [json(200, ACTIVITY)]],
  ['read_failed', LIST, [json(200, [])]],
  ['charge_failed', WAIT, [json(200, { ...ACTIVITY, status: 'failed', next_action: null })]],
  ['pending', [...WAIT, '--wait-timeout', '1s'], [json(200, ACTIVITY)]],
];

describe('an exit code reaches Windows:', () => {
  it.each(RUNS)('%s', async (kind, args, answers) => {
    const ended = await paycli([...args, '--json'], { service: await serve(answers) });
    expect(ended.code, ended.stderr).toBe(kind === 'done' ? 0 : EXIT_CODES[kind]);
    if (kind !== 'done') expect(errorOf(ended)).toMatchObject({ kind });
  });

  it('refused, by the second charge', async () => {
    const options = { service: await serve([json(200, ACTIVITY)]), home: newFolder() };
    await paycli(CHARGE, options);
    expect(await paycli(CHARGE, options)).toMatchObject({ code: EXIT_CODES.refused });
  });

  it('ledger, by a file that is none', async () => {
    const home = newFolder();
    writeFileSync(join(home, 'ledger.sqlite'), 'not a ledger');
    expect(await paycli(CHARGE, { service: await serve([]), home })).toMatchObject({ code: EXIT_CODES.ledger });
  });

  it('internal, by an event loop in which nothing is left', async () => {
    const env = runBefore(`import { Socket } from 'node:net';
      Socket.prototype.connect = function () { return this; };
      globalThis.setTimeout = () => ({ ref() {}, unref() {} });`);
    expect(await paycli(LIST, { service: await serve([]), env })).toMatchObject({ code: EXIT_CODES.internal });
  });

  // Outside of Wine a test can't press Ctrl-C.
  it.skipIf(process.platform === 'win32')('interrupted, by Ctrl-C', async () => {
    const asked = Promise.withResolvers<void>();
    const service = await serve([
      (...args) => {
        asked.resolve();
        hang(...args);
      },
    ]);
    const running = start(LIST, { service });
    await asked.promise;
    running.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: EXIT_CODES.interrupted });
  });
});
