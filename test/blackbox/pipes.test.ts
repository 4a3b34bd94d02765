import { execFileSync, spawn } from 'node:child_process';
import { once as happened } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PROGRAM } from '../support/built.ts';
import { inProcess } from '../support/in-process.ts';
import { environment, keep, newFolder, start } from '../support/program.ts';
import type { Service } from '../support/service.ts';
import { ACTIVITY, held, json, ONYE_ID, serve } from '../support/service.ts';
import { charged, csvOf, once, postsOf, serveCharges, summaryOf, ugwoOf, ussdFile } from './bulk-support.ts';

const BASH = '/bin/bash';
const CHARGE = ['ugwo', 'charge', '--json', '--from'];

const fifo = (): string => {
  const path = join(newFolder('pipe'), 'rows');
  execFileSync('mkfifo', [path]);
  return path;
};

const rowsOf = (...numbers: readonly number[]): string =>
  csvOf('ugwo,medium,provider', ...numbers.map((number) => `${ugwoOf(number)},ussd,gtb`));

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ');

/** Runs a shell line in which `paycli` is the program. */
const shell = (line: string, service: Service): Promise<{ code: number | null; stdout: string; stderr: string }> =>
  new Promise((done) => {
    const child = spawn(BASH, ['-c', `paycli() { ${quoted(PROGRAM)} "$@"; }; ${line}`], {
      // The shell warns about a missing locale.
      env: { ...environment({ service }), LC_ALL: 'C' },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const texts = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk) => {
      texts.stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      texts.stderr += chunk;
    });
    child.on('close', (code) => {
      keep(texts.stdout + texts.stderr);
      done({ code, ...texts });
    });
  });

describe.runIf(process.platform !== 'win32')('rows from a pipe', () => {
  it.each([
    [
      'come slowly from a process substitution',
      (file: string) => `paycli ${quoted(CHARGE)} <(head -1 ${file}; sleep 0.2; tail -n +2 ${file})`,
    ],
    ['come from /dev/stdin', (file: string) => `cat ${file} | paycli ${quoted(CHARGE)} /dev/stdin`],
    ['come from standard input', (file: string) => `cat ${file} | paycli ${quoted(CHARGE)} -`],
  ])('that %s are all sent', async (_what, line) => {
    const service = await serveCharges();
    const ended = await shell(line(ussdFile(1, 2, 3)), service);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ended.stdout)).toMatchObject({ rows: 3, accepted: 3 });
    expect(postsOf(service)).toEqual(once(1, 2, 3));
  });

  it('without any data are a usage error', async () => {
    const service = await serve([]);
    expect(await shell(`paycli ${quoted(CHARGE)} <(true)`, service)).toMatchObject({ code: 2, stdout: '' });
  });

  it.each([
    ['before', true],
    ['after', false],
  ])('through a named pipe are all sent if the writer opens it %s the reader', async (_when, first) => {
    const [path, service] = [fifo(), await serveCharges()];
    const opened = Promise.withResolvers<void>();
    const write = (): void => {
      const writer = createWriteStream(path);
      writer.on('open', () => opened.resolve());
      writer.end(rowsOf(1, 2));
    };
    if (first) write();
    const running = start([...CHARGE, path, '--debug'], { service });
    // Node opens its end in a thread that waits for this one.
    if (!first) write();
    await opened.promise;
    const ended = await running.ended;
    expect(ended.code).toBe(0);
    expect(summaryOf(ended)).toMatchObject({ accepted: 2 });
    expect(postsOf(service)).toEqual(once(1, 2));
  });

  it('through a named pipe closed without data are a usage error', async () => {
    const path = fifo();
    const running = start([...CHARGE, path], { service: await serve([]) });
    createWriteStream(path).end();
    expect(await running.ended).toMatchObject({ code: 2, stdout: '' });
  });

  it('can be the value of --data', async () => {
    const service = await serve([json(200, { ...ACTIVITY, uid: ONYE_ID })]);
    const line = `paycli onye update ${ONYE_ID} --data @<(echo '{"email":"ada@example.com"}') --json`;
    await shell(line, service);
    expect(service.seen.map(({ body }) => body)).toEqual(['{"email":"ada@example.com"}']);
  });
});

it.runIf(process.platform !== 'win32')(
  'a report that fails after its first rows ends the run with 8, although every row succeeded',
  async () => {
    const { hold, letGo } = held(charged(2));
    const [path, service] = [fifo(), await serveCharges({ 2: hold })];
    const running = inProcess([...CHARGE, ussdFile(1, 2), '--no-preflight', '--concurrency', '1', '--report', path], {
      service,
    });
    const reader = spawn('head', ['-n', '2', path]);
    await Promise.all([happened(reader, 'close'), service.came(2)]);
    letGo();
    const ended = await running;
    expect(ended).toMatchObject({ code: 8, stderr: expect.stringContaining("couldn't finish the report") });
    expect(summaryOf(ended)).toMatchObject({ accepted: 2 });
  },
);
