import { describe, expect, it } from 'vitest';
import { usesColor, widthFor } from '../../src/cli/globals.ts';
import { speaksUtf8 } from '../../src/core/io.ts';

const VALUES = {
  NO_COLOR: [undefined, '', '1'],
  FORCE_COLOR: [undefined, '', '0', 'false', '1', '3'],
  CLICOLOR_FORCE: [undefined, '', '0', '1'],
  CLICOLOR: [undefined, '', '0', '1'],
  TERM: [undefined, 'dumb', 'xterm-256color'],
  ACCESSIBLE: [undefined, '1'],
} as const;

type Env = Readonly<Record<string, string | undefined>>;

const environments = Object.entries(VALUES).reduce<Env[]>(
  (found, [name, values]) => found.flatMap((env) => values.map((value) => ({ ...env, [name]: value }))),
  [{}],
);

/** The same decision as a list of rules: the first one that applies wins. */
const RULES: readonly (readonly [applies: (env: Env, isTerminal: boolean) => boolean, color: boolean])[] = [
  [({ NO_COLOR }) => (NO_COLOR ?? '').length > 0, false],
  [({ FORCE_COLOR }) => ['0', 'false'].includes(FORCE_COLOR ?? 'unset'), false],
  [({ FORCE_COLOR }) => typeof FORCE_COLOR === 'string', true],
  [({ CLICOLOR_FORCE }) => CLICOLOR_FORCE === '1', true],
  [(_env, isTerminal) => !isTerminal, false],
  [({ TERM, CLICOLOR }) => TERM === 'dumb' || CLICOLOR === '0', false],
  [() => true, true],
];

describe('color', () => {
  it('follows the rules in every combination of variables', () => {
    expect(environments.length).toBe(3 * 6 * 4 * 4 * 3 * 2);
    for (const env of environments) {
      for (const isTerminal of [true, false]) {
        const [, wanted] = RULES.find(([applies]) => applies(env, isTerminal)) ?? [];
        expect(usesColor('auto', env, isTerminal), JSON.stringify([env, isTerminal])).toBe(wanted);
        expect(usesColor('always', env, isTerminal)).toBe(true);
        expect(usesColor('never', env, isTerminal)).toBe(false);
      }
    }
  });

  it.each([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: '1', FORCE_COLOR: '1', CLICOLOR_FORCE: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ FORCE_COLOR: '1', TERM: 'dumb' }, false, true],
    [{ CLICOLOR_FORCE: '1' }, false, true],
    [{ CLICOLOR: '0' }, true, false],
    [{ CLICOLOR: '0', CLICOLOR_FORCE: '1' }, true, true],
    [{ TERM: 'dumb' }, true, false],
  ])('with %o, on a terminal %s, is %s', (env, isTerminal, wanted) => {
    expect(usesColor('auto', env, isTerminal)).toBe(wanted);
  });
});

describe('the width', () => {
  it.each([
    [100, {}, 100],
    [100, { COLUMNS: '60' }, 100],
    [0, { COLUMNS: '60' }, 60],
    [undefined, { COLUMNS: '60' }, 60],
    [0, {}, 80],
    ...['', '0', '-5', 'wide', '1e3', '99999'].map((COLUMNS): [undefined, Env, number] => [undefined, { COLUMNS }, 80]),
  ] as (readonly [number | undefined, Env, number])[])('of a terminal of %s with %o is %s', (terminal, env, wanted) => {
    expect(widthFor(terminal, env)).toBe(wanted);
  });
});

describe('speaksUtf8', () => {
  it.each([
    [{ LC_ALL: 'C', LANG: 'en_NG.UTF-8' }, false],
    [{ LC_ALL: '', LC_CTYPE: 'C', LANG: 'en_NG.UTF-8' }, false],
    [{ LANG: 'en_NG.utf8' }, true],
    [{ LC_ALL: 'C.UTF-8' }, true],
    [{ LC_ALL: 'POSIX' }, false],
    [{}, false],
    [{ OS: 'Windows_NT' }, true],
  ])('with %o: %s', (env, wanted) => {
    expect(speaksUtf8(env)).toBe(wanted);
  });
});
