import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { CANARY } from '../support/canary.ts';
import { inProcess } from '../support/in-process.ts';
import { errorOf, paycli } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import type { Answer } from '../support/service.ts';
import { ACTIVITY, json, raw, serve, UGWO_ID } from '../support/service.ts';
import { MIB } from '../support/units.ts';

const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer', '--json'];
const LIST = ['ugwo', 'list', '--json'];

/** Sends as long as the client reads, and counts the bytes. */
const endless =
  (count: { bytes: number }): Answer =>
  (_seen, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const chunk = Buffer.alloc(MIB, 0x20);
    const pour = (): void => {
      let room = true;
      while (room && !response.destroyed && count.bytes < 1024 * MIB) {
        count.bytes += chunk.byteLength;
        room = response.write(chunk);
      }
    };
    response.on('drain', pour);
    pour();
  };

const headers = (count: number): Answer =>
  raw(
    `HTTP/1.1 200 OK\r\n${Array.from({ length: count }, (_, index) => `x-${index}: ${'a'.repeat(60)}`).join('\r\n')}\r\n\r\n{}`,
  );

const ANSWERS: readonly (readonly [string, Answer])[] = [
  [
    'a gzip bomb',
    (_s, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(64 * MIB))),
  ],
  ['JSON 200,000 levels deep', (_s, response) => response.end(`${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`)],
  ['invalid UTF-8', (_s, response) => response.end(Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d]))],
  ['a body longer than its Content-Length', raw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}{"uid":"act.AbCd.1"}')],
  ['two Content-Length headers', raw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}')],
  [
    'Content-Length with chunks',
    raw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'),
  ],
  ['a protocol switch', raw('HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n')],
];

describe('a hostile answer', () => {
  it.each(ANSWERS)('%s to a charge: exits with 6', async (_what, answer) => {
    await scene({ service: [answer], argv: CHARGE, exit: 6, entries: [{ state: 'unknown' }] });
  });

  it.each(ANSWERS.slice(0, 3))('%s to a read: exits with 8', async (_what, answer) => {
    await scene({ service: [answer], argv: LIST, exit: 8 });
  });

  it('with an endless body is read up to the limit', async () => {
    const count = { bytes: 0 };
    const service = await serve([endless(count)]);
    const ended = await paycli(CHARGE, { service });
    expect(ended).toMatchObject({ code: 6, stdout: '' });
    expect(errorOf(ended)).toMatchObject({ message: expect.stringContaining('larger than 2 MiB') });
    expect(count.bytes).toBeLessThan(64 * MIB);
  });

  it('with a hundred thousand headers is rejected', () =>
    scene({ service: [headers(100_000)], argv: CHARGE, exit: 6, entries: [{ state: 'unknown' }] }));

  it('that trickles in is cut off at one overall deadline', async () => {
    const drip: Answer = (_seen, response) => {
      const timer = setInterval(() => response.write(' '), 50);
      response.on('close', () => clearInterval(timer));
    };
    const error = { message: expect.stringContaining('within 1 s') };
    await scene({ service: [drip], argv: [...CHARGE, '--timeout', '1s'], exit: 6, error });
  });

  it('that echoes the key is redacted', async () => {
    const service = await serve([
      json(200, { ...ACTIVITY, note: `your key is ${CANARY}` }),
      json(400, { title: CANARY, status: 400 }),
    ]);
    const shown = await inProcess(CHARGE, { service });
    expect(shown.code).toBe(0);
    expect(shown.stdout).not.toContain(CANARY);
    expect(JSON.parse(shown.stdout)).toMatchObject({ note: expect.stringContaining(CANARY.slice(-4)) });
    const refused = await inProcess(CHARGE, { service });
    expect(refused.stderr).not.toContain(CANARY);
  });

  /** Text whose truncation leaves too little of the key to be recognised as one. */
  const across = (most: number): string => `${'x '.repeat(most / 2 - 7)}${CANARY}`;
  const told = (title: string) => ({ title, status: 422 });
  it.each<[string, Answer, number]>([
    ['a title', json(422, told(across(1000))), 3],
    [
      'the title of a violation',
      json(422, { ...told('No'), violations: [{ propertyPath: 'a', title: across(1000) }] }),
      3,
    ],
    [
      'the path of a violation',
      json(422, { ...told('No'), violations: [{ propertyPath: across(1000), title: 'a' }] }),
      3,
    ],
    ['the type', json(200, { ...ACTIVITY, activity_type: across(100) }), 6],
    ['the reason of a failed charge', json(200, { ...ACTIVITY, status: 'failed', error: across(1000) }), 11],
  ])('that echoes the key where %s is truncated prints no part of it', async (_what, answer, code) => {
    const ended = await inProcess(CHARGE.slice(0, 5), { service: await serve([answer]) });
    expect([ended.code, ended.stderr.includes('[secret')]).toEqual([code, true]);
    expect(ended.stderr).not.toContain(CANARY.slice(0, 8));
  });

  it('that names an unknown property prints it with visible escapes', async () => {
    const violations = [{ propertyPath: 'a\u001b[31m.\u202eb', title: 'no\nerror: fake\u0007' }];
    const service = [json(422, { title: 'Bad\u001b[2J', status: 422, violations })];
    const { stderr } = await scene({ service, argv: CHARGE.slice(0, 5), exit: 3 });
    expect(stderr.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(stderr).not.toMatch(/^error: fake/m);
  });
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('%i is an error for reads and writes, and never followed', async (status) => {
    const target = await serve([]);
    const redirect: Answer = (_seen, response) =>
      response.writeHead(status, { location: `${target.origin}/v1/ugwo` }).end();
    await scene({ service: [redirect], argv: LIST, exit: 8 });
    await scene({ service: [redirect], argv: CHARGE, exit: 6 });
    expect(target.connections()).toBe(0);
  });
});
