import { describe, expect, it } from 'vitest';
import { scene } from '../support/scene.ts';
import { ACTIVITY, hang, json, ONYE_ID, page, serve, serveBy, UGWO_ID, ugwo } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';

const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'ussd', '--provider', 'gtb', '--no-preflight'];
const MEMBERS = JSON.stringify(ACTIVITY).slice(0, -1);
const zeros = (count: number): string => `[${'0,'.repeat(count - 1)}0]`;

const [first, last] = [
  (x: string): string => `{"x":${x},${MEMBERS.slice(1)}}`,
  (x: string): string => `${MEMBERS},"x":${x}}`,
];
const LONG = `"${'x'.repeat(3 * 1024 * 1024)}"`;

describe('a charge with a valid activity', () => {
  it.each([
    ['more values', first(zeros(100_001)), 'the answer has more than 100,000 values'],
    [
      'more levels of nesting',
      first(`${'['.repeat(100)}${']'.repeat(100)}`),
      'the answer is nested deeper than 64 levels',
    ],
    ['a longer name', first(`{"${'k'.repeat(1001)}":1}`), 'the answer has a name of more than 1,000 bytes'],
    ['more bytes', last(LONG), 'the answer is larger than 2 MiB'],
  ])('is accepted if the answer has %s than allowed', async (_what, answer, sentence) => {
    const service = [json(200, answer)];
    await scene({
      service,
      argv: [...CHARGE, '-o', 'tsv'],
      stdout: [`uid\t${ACTIVITY.uid}\n`],
      stderr: [`note: ${sentence}; only its main fields are read and shown`],
    });
    const { uid, next_action } = ACTIVITY;
    const { stdout } = await scene({ service, argv: [...CHARGE, '-o', 'json'], json: { uid, next_action } });
    expect(JSON.parse(stdout)).not.toHaveProperty('x');
  });

  it.each([
    ['the uid comes after the limit', first(LONG), /larger than 2 MiB/],
    ['the answer is truncated', last(zeros(100_001)).slice(0, -1), /the answer is not JSON/],
  ])('is unknown if %s', async (_what, answer, message) => {
    await scene({ service: [json(200, answer)], argv: [...CHARGE, '-o', 'json'], exit: 6, error: { message } });
  });

  it('prints a long name before a long list only once', () =>
    scene({
      built: true,
      service: [json(200, last(`{"${'k'.repeat(900)}":${zeros(30_000)}}`))],
      argv: [...CHARGE, '-o', 'tsv'],
      stderr: /^note: the activity says it was made at .+, not now\n$/,
      stdout: [`\nx.${'k'.repeat(900)}\t${zeros(30_000)}\n`],
    }));
});

describe('a read that exceeds a limit', () => {
  it.each([
    [
      'too many values',
      json(200, `{"data":[{"uid":"x","metadata":${zeros(100_001)}}],"next_cursor":null}`),
      /more than 100,000 values/,
    ],
    ['too long a cursor', page([1], 'c'.repeat(4097)), /"next_cursor" of more than 4,096 characters/],
    [
      'too many records',
      json(200, `{"data":[${'{},'.repeat(1000)}{}],"next_cursor":null}`),
      /has 1,001 records, but a page may have at most 1,000/,
    ],
  ])('fails: %s', async (_what, answer, message) => {
    await scene({ service: [answer], argv: ['ugwo', 'list', '-o', 'json'], exit: 8, error: { message } });
  });

  it('accepts more records than requested', async () => {
    const numbers = Array.from({ length: 1000 }, (_, index) => index + 1);
    const stdout = numbers.map((number) => `${JSON.stringify(ugwo(number))}\n`).join('');
    await scene({ service: [page(numbers, null)], argv: ['ugwo', 'list', '-o', 'ndjson'], stdout });
  });

  it('accepts long cursors and compares them in full', async () => {
    const cursor = (end: string): string => 'c'.repeat(4000) + end;
    await scene({
      service: [page([1], cursor('1')), page([2], cursor('2')), page([3], cursor('1'))],
      argv: ['ugwo', 'list', '--all', '-o', 'json'],
      exit: 8,
      stdout: /^/,
      error: { message: /the same cursor twice/ },
    });
  });
});

it("an update stays unknown if the customer's uid in the answer is too long", () =>
  scene({
    service: [json(200, { uid: `ony.${'a.'.repeat(4 * 1024 * 1024 - 100)}a` })],
    argv: ['onye', 'update', ONYE_ID, '--first-name', 'Ada', '-o', 'json'],
    exit: 6,
    error: { kind: 'unknown', exit_code: 6 },
  }));

it('a rejection with many violations prints the first ones and their number', async () => {
  const violations = Array.from({ length: 5000 }, (_, nth) => ({ propertyPath: `p${nth}`, title: 'no' }));
  await scene({
    service: [json(422, { title: 'No', status: 422, violations })],
    argv: [...CHARGE, '-o', 'json'],
    exit: 3,
    error: {
      message: 'the service answered 422: No (showing 100 of 5,000 violations)',
      violations: violations.slice(0, 100).map(({ propertyPath, title }) => ({ property_path: propertyPath, title })),
    },
  });
});

describe('a large answer on a terminal', () => {
  const long = 'pay the bill '.repeat(120_000);
  const answer = `${MEMBERS.replace('"PX-1"', JSON.stringify(long))}}`;

  it('is truncated, with the number of omitted characters', async () => {
    const session = openTerminal(CHARGE, { service: await serve([json(200, answer)]) });
    expect(await session.ended).toEqual({ code: 0 });
    expect(session.raw()).toContain('pay the');
    expect(session.raw().replaceAll(/\s+/g, ' ')).toContain(`(1,556,000 more characters)`);
    expect(session.raw().length).toBeLessThan(10_000);
  });

  it('does not block Ctrl-C after it', async () => {
    const service = await serveBy(({ method }) => (method === 'POST' ? json(200, answer) : hang));
    const session = openTerminal([...CHARGE, '--wait'], { service });
    await session.saw(/Ctrl-C stops waiting/);
    session.type('\u0003');
    expect(await session.ended).toEqual({ code: 130 });
  });

  it('does not block Ctrl-C while it is printed', async () => {
    // Each line is indented by a hundred spaces.
    const whole = `${MEMBERS},"x":${'['.repeat(50)}${zeros(90_000)}${']'.repeat(50)},"y":"end"}`;
    const session = openTerminal([...CHARGE, '-o', 'json'], { service: await serve([json(200, whole)]) });
    let over = false;
    void session.ended.then(() => {
      over = true;
    });
    await session.saw(/"uid"/);
    // Pending signals merge into one, so each press waits for more output.
    for (let before = 0; !over; ) {
      if (session.raw().length > before) session.type('\u0003');
      before = session.raw().length;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await session.ended).toEqual({ code: 7 });
    expect(session.raw()).not.toMatch(/\n {2}"y": "end"/);
  });
});
