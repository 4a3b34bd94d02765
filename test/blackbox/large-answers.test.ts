import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { errorOf, paycli } from '../support/program.ts';
import { ACTIVITY, hang, json, ONYE_ID, page, serve, serveBy, UGWO_ID, ugwo } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';

const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'ussd', '--provider', 'gtb', '--no-preflight'];
const MEMBERS = JSON.stringify(ACTIVITY).slice(0, -1);
const zeros = (count: number): string => `[${'0,'.repeat(count - 1)}0]`;

describe('a charge with a valid activity', () => {
  it.each([
    ['more values', zeros(100_001), 'the answer has more than 100,000 values'],
    ['more levels of nesting', `${'['.repeat(100)}${']'.repeat(100)}`, 'the answer is nested deeper than 64 levels'],
    ['a longer name', `{"${'k'.repeat(1001)}":1}`, 'the answer has a name of more than 1,000 bytes'],
  ])('is accepted if the answer has %s than allowed', async (_what, value, sentence) => {
    const answer = `{"x":${value},${MEMBERS.slice(1)}}`;
    const service = await serve([json(200, answer), json(200, answer)]);
    const shown = await inProcess([...CHARGE, '-o', 'tsv'], { service });
    expect(shown).toMatchObject({ code: 0 });
    expect(shown.stderr).toContain(`note: ${sentence}; only its main fields are read and shown`);
    expect(shown.stdout).toContain(`uid\t${ACTIVITY.uid}\n`);
    const whole = await inProcess([...CHARGE, '-o', 'json'], { service });
    expect(whole).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(whole.stdout)).toMatchObject({ uid: ACTIVITY.uid, next_action: ACTIVITY.next_action });
    expect(JSON.parse(whole.stdout)).not.toHaveProperty('x');
  });

  it('is accepted if the answer has more bytes than allowed', async () => {
    const service = await serve([json(200, `${MEMBERS},"x":"${'x'.repeat(3 * 1024 * 1024)}"}`)]);
    const ended = await paycli([...CHARGE, '-o', 'tsv'], { service });
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining(`uid\t${ACTIVITY.uid}\n`) });
    expect(ended.stderr).toContain('note: the answer is larger than 2 MiB; only its main fields are read and shown');
  });

  it('is unknown if the uid comes after the limit', async () => {
    const service = await serve([json(200, `{"x":"${'x'.repeat(3 * 1024 * 1024)}",${MEMBERS.slice(1)}}`)]);
    const ended = await inProcess([...CHARGE, '-o', 'json'], { service });
    expect(ended).toMatchObject({ code: 6 });
    expect(errorOf(ended)['message']).toContain('larger than 2 MiB');
  });

  it('is unknown if the answer is truncated', async () => {
    const service = await serve([json(200, `{${MEMBERS.slice(1)},"x":${zeros(100_001)}`)]);
    const ended = await inProcess([...CHARGE, '-o', 'json'], { service });
    expect(ended).toMatchObject({ code: 6 });
    expect(errorOf(ended)['message']).toContain('the answer is not JSON');
  });

  it('prints a long name before a long list only once', async () => {
    const service = await serve([json(200, `${MEMBERS},"x":{"${'k'.repeat(900)}":${zeros(30_000)}}}`)]);
    const ended = await paycli([...CHARGE, '-o', 'tsv'], { service });
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toContain(`\nx.${'k'.repeat(900)}\t${zeros(30_000)}\n`);
  });
});

describe('a read that exceeds a limit', () => {
  it.each([
    [
      'too many values',
      json(200, `{"data":[{"uid":"x","metadata":${zeros(100_001)}}],"next_cursor":null}`),
      'more than 100,000 values',
    ],
    ['too long a cursor', page([1], 'c'.repeat(4097)), '"next_cursor" of more than 4,096 characters'],
    [
      'too many records',
      json(200, `{"data":[${'{},'.repeat(1000)}{}],"next_cursor":null}`),
      'has 1,001 records, but a page may have at most 1,000',
    ],
  ])('fails: %s', async (_what, answer, sentence) => {
    const ended = await inProcess(['ugwo', 'list', '-o', 'json'], { service: await serve([answer]) });
    expect(ended).toMatchObject({ code: 8, stdout: '' });
    expect(errorOf(ended)['message']).toContain(sentence);
  });

  it('accepts more records than requested', async () => {
    const numbers = Array.from({ length: 1000 }, (_, index) => index + 1);
    const ended = await inProcess(['ugwo', 'list', '-o', 'ndjson'], { service: await serve([page(numbers, null)]) });
    expect(ended).toMatchObject({
      code: 0,
      stdout: numbers.map((number) => `${JSON.stringify(ugwo(number))}\n`).join(''),
    });
  });

  it('accepts long cursors and compares them in full', async () => {
    const cursor = (end: string): string => 'c'.repeat(4000) + end;
    const service = await serve([page([1], cursor('1')), page([2], cursor('2')), page([3], cursor('1'))]);
    const ended = await inProcess(['ugwo', 'list', '--all', '-o', 'json'], { service });
    expect(ended).toMatchObject({ code: 8 });
    expect(errorOf(ended)['message']).toContain('the same cursor twice');
  });
});

it("an update stays unknown if the customer's uid in the answer is too long", async () => {
  const service = await serve([json(200, { uid: `ony.${'a.'.repeat(4 * 1024 * 1024 - 100)}a` })]);
  const ended = await inProcess(['onye', 'update', ONYE_ID, '--first-name', 'Ada', '-o', 'json'], { service });
  expect(ended).toMatchObject({ code: 6 });
  expect(errorOf(ended)).toMatchObject({ kind: 'unknown', exit_code: 6 });
});

it('a rejection with many violations prints the first ones and their number', async () => {
  const violations = Array.from({ length: 5000 }, (_, nth) => ({ propertyPath: `p${nth}`, title: 'no' }));
  const service = await serve([json(422, { title: 'No', status: 422, violations })]);
  const ended = await inProcess([...CHARGE, '-o', 'json'], { service });
  expect(ended).toMatchObject({ code: 3 });
  expect(errorOf(ended)['message']).toBe('the service answered 422: No (showing 100 of 5,000 violations)');
  expect(errorOf(ended)['violations']).toHaveLength(100);
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
