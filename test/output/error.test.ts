import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ErrorDetail, PayError } from '../../src/core/error.ts';
import { errorBlock, errorLine } from '../../src/output/error.ts';
import { stylesFor } from '../../src/output/style.ts';
import { notice } from '../../src/output/text.ts';
import { pipe, terminal } from './support.ts';

const rejected = new PayError('rejected', 'the service refused the charge', {
  hint: 'did you mean gtb?\nfix it and run it again',
  status: 422,
  title: 'Validation failed',
  violations: [
    { propertyPath: 'data.provider', title: 'is unknown', option: '--provider' },
    { propertyPath: 'data.x', title: 'is blank' },
    { propertyPath: '', title: 'no checkout' },
    { propertyPath: '', title: 'row 3', option: '--from' },
  ],
  request: { method: 'POST', path: '/v1/ugwo/ugw.A.b/activities' },
});

const lineOf = (...args: Parameters<typeof errorLine>): string => [...errorLine(...args)].join('');

describe('errorBlock', () => {
  it('has the message, the option, the hint and the request', async () => {
    expect(await errorBlock(rejected, { color: false, io: pipe() })).toBe(
      [
        'error: the service refused the charge',
        '  --provider (data.provider): is unknown',
        '  data.x: is blank',
        '  no checkout',
        '  --from: row 3',
        '→ did you mean gtb?',
        '→ fix it and run it again',
        '  POST /v1/ugwo/ugw.A.b/activities: 422 Validation failed',
        '',
      ].join('\n'),
    );
  });

  it('puts a suggestion on its own line, and under its own key', async () => {
    const violations = [
      { propertyPath: 'data.provider', title: 'is unknown', option: '--provider', suggestion: 'gtb' },
    ];
    const guessed = new PayError('rejected', 'no', { violations });
    expect(await errorBlock(guessed, { color: false, io: pipe() })).toBe(
      'error: no\n  --provider (data.provider): is unknown\n  did you mean gtb?\n',
    );
    expect(JSON.parse(lineOf(guessed, 3, pipe()))).toMatchObject({
      error: { violations: [{ title: 'is unknown', did_you_mean: 'gtb' }] },
    });
  });

  it.each<[string, ErrorDetail, string]>([
    ['no details', {}, 'error: no\n'],
    ['a request without an answer', { request: { method: 'GET', path: '/v1/ugwo' } }, 'error: no\n  GET /v1/ugwo\n'],
    [
      'an answer without a title',
      { status: 500, request: { method: 'GET', path: '/v1/ugwo' } },
      'error: no\n  GET /v1/ugwo: 500\n',
    ],
  ])('is minimal: %s', async (_, detail, block) => {
    expect(await errorBlock(new PayError('read_failed', 'no', detail), { color: false, io: pipe() })).toBe(block);
  });

  const WORDY = new PayError('rejected', 'the service refused the charge, and says why below\nmore of it', {
    hint: 'run `paycli ledger sync --profile shop`, or log in again\neverything shown is complete; continue with: paycli ugwo list --limit 10 --cursor AAAAAABzaz93S_wRqjMJ',
    violations: [{ propertyPath: 'data.provider', title: 'is not one of the banks of this checkout' }],
    request: { method: 'POST', path: '/v1/ugwo/ugw.Lcal.p8Wdunr9tr1bMLFMnJArp5Qt/activities' },
  });

  it('wraps words on a terminal, but prints a command unbroken on its own line', async () => {
    expect(await errorBlock(WORDY, { color: false, io: terminal(40) })).toBe(
      [
        'error: the service refused the charge,',
        '  and says why below',
        '  more of it',
        '  data.provider: is not one of the banks',
        '  of this checkout',
        '→ run',
        '    paycli ledger sync --profile shop',
        '  or log in again',
        '→ everything shown is complete;',
        '  continue with:',
        '    paycli ugwo list --limit 10 --cursor AAAAAABzaz93S_wRqjMJ',
        '  POST',
        '  /v1/ugwo/ugw.Lcal.p8Wdunr9tr1bMLFMnJArp5Qt/activities',
        '',
      ].join('\n'),
    );
  });

  it('wraps nothing in a pipe', async () => {
    expect(await errorBlock(WORDY, { color: false, io: pipe() })).toBe(
      [
        'error: the service refused the charge, and says why below',
        '  more of it',
        '  data.provider: is not one of the banks of this checkout',
        '→ run `paycli ledger sync --profile shop`, or log in again',
        '→ everything shown is complete; continue with: paycli ugwo list --limit 10 --cursor AAAAAABzaz93S_wRqjMJ',
        '  POST /v1/ugwo/ugw.Lcal.p8Wdunr9tr1bMLFMnJArp5Qt/activities',
        '',
      ].join('\n'),
    );
  });

  it('is ASCII in an ASCII locale', async () => {
    const error = new PayError('usage', 'not an id ugw.…', { hint: 'name one' });
    expect(await errorBlock(error, { color: false, io: terminal(80, { LC_ALL: 'C' }) })).toBe(
      'error: not an id ugw....\n-> name one\n',
    );
  });

  it("contains the service's answer as one line of JSON with visible escapes", async () => {
    const answer = '{ "uid": "act.A.b",\n "n": 1.50, "x": "\u009b31m\u202e" }';
    const kept = '{"uid":"act.A.b","n":1.50,"x":"\\u009b31m\\u202e"}';
    const error = new PayError('unrecorded', 'lost', { answer });
    expect(await errorBlock(error, { color: false, io: pipe() })).toBe(`error: lost\n${kept}\n`);
    expect(lineOf(error, 7, pipe())).toBe(
      `{"error":{"kind":"unrecorded","exit_code":7,"message":"lost","answer":${kept}}}\n`,
    );
  });

  it('has a stack trace with --debug', async () => {
    const error = new PayError('internal', 'a defect', { cause: new TypeError('x\u001b is not a function') });
    const block = await errorBlock(error, { color: false, stack: true, io: pipe() });
    expect(block).toMatch(/^ {2}PayError: a defect$/m);
    expect(block).toMatch(/^ {2}TypeError: x\\x1b is not a function$/m);
    expect(block).toMatch(/^ {6}at .*error\.test\.ts/m);
    expect(await errorBlock(error, { color: false, io: pipe() })).not.toContain('error.test.ts');
  });

  it('is coloured on request, whatever the environment', async () => {
    const block = await errorBlock(new PayError('usage', 'no'), { color: true, io: pipe() });
    expect(block).toBe('\u001b[1m\u001b[31merror:\u001b[39m\u001b[22m no\n');
  });

  it("can't be forged or contain control characters from quoted text", async () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\n', '\r', '\t', '\u001b', '\u009b', '\u202e', '\ud800') });
    await fc.assert(
      fc.asyncProperty(text, text, async (outer, inner) => {
        const error = new PayError('rejected', outer, {
          hint: outer,
          status: 422,
          title: inner,
          violations: [{ propertyPath: inner, title: inner, option: inner }],
          request: { method: 'GET', path: inner },
        });
        const block = await errorBlock(error, { color: false, io: pipe() });
        const narrow = await errorBlock(error, { color: false, io: terminal(20) });
        for (const text of [block, narrow]) {
          expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cs}\u202e]/u);
          expect(text.match(/^(?!error:| {2}|→|$)/m)).toBeNull();
          expect(text.match(/^error:/gm)).toHaveLength(1);
        }
      }),
    );
  });
});

describe('errorLine', () => {
  it('is one line of JSON with the known details', () => {
    expect(lineOf(rejected, 3, pipe())).toBe(
      '{"error":{"kind":"rejected","exit_code":3,"message":"the service refused the charge",' +
        '"hint":"did you mean gtb?\\nfix it and run it again","status":422,"title":"Validation failed",' +
        '"violations":[{"property_path":"data.provider","title":"is unknown","option":"--provider"},' +
        '{"property_path":"data.x","title":"is blank"},{"property_path":"","title":"no checkout"},' +
        '{"property_path":"","title":"row 3","option":"--from"}],' +
        '"request":{"method":"POST","path":"/v1/ugwo/ugw.A.b/activities"}}}\n',
    );
  });

  it('omits unknown details', () => {
    expect(lineOf(new PayError('interrupted', 'stopped', { violations: [] }), 143, pipe())).toBe(
      '{"error":{"kind":"interrupted","exit_code":143,"message":"stopped"}}\n',
    );
  });

  it('escapes control characters', () => {
    expect(lineOf(new PayError('usage', '\u009b\u202e\n'), 2, pipe())).toContain('"message":"\\u009b\\u202e\\n"');
  });
});

describe('notice', () => {
  it('is an escaped line, dimmed with styles', async () => {
    expect(notice('a\u001b[2Jb', pipe())).toBe('a\\x1b[2Jb\n');
    expect(notice('a', pipe(), await stylesFor(true))).toBe('\u001b[2ma\u001b[22m\n');
    expect(notice('a', pipe(), await stylesFor(false))).toBe('a\n');
  });

  it('wraps on a terminal, with a command on its own line', () => {
    const said = [
      'No profiles yet. Run `paycli login`, or use --local, which needs none.',
      'More: paycli ugwo list --limit 10',
    ];
    expect(notice(said, terminal(30))).toBe(
      [
        'No profiles yet. Run',
        '  paycli login',
        'or use --local, which needs',
        'none.',
        'More:',
        '  paycli ugwo list --limit 10',
        '',
      ].join('\n'),
    );
    expect(notice(said, pipe())).toBe(`${said.join('\n')}\n`);
    expect(notice('Go on: paycli ugwo list (repeats 3 already shown)', terminal(80))).toBe(
      'Go on:\n  paycli ugwo list\n(repeats 3 already shown)\n',
    );
  });

  it.each([
    'export PAYCLI_BASE_URL=http://127.0.0.1:40123',
    "source '/home/a/.local/share/bash completion/paycli'",
    "fpath=('/home/a/.local/share/zsh/site-functions' $fpath)",
    'autoload -Uz compinit && compinit',
  ])('never breaks what a shell reads: %s', (line) => {
    expect(notice(['For your shell:', line, `Add behind it: ${line}`], terminal(30))).toBe(
      `For your shell:\n  ${line}\nAdd behind it:\n  ${line}\n`,
    );
  });
});
