import { describe, expect, it } from 'vitest';
import { askChoice } from '../../src/cli/ask.ts';
import { BANK_CODES } from '../../src/core/banks.ts';
import { thrownBy } from '../client/support.ts';

/** Chooses with these answers; returns the choice or the error, and everything that was shown. */
type Choices = Parameters<typeof askChoice>[1];

const chosen = async (from: Choices, answers: readonly (string | undefined)[], env = {}, columns = 60) => {
  const shown: string[] = [];
  const left = [...answers];
  const line = async (prompt: string): Promise<string | undefined> => {
    shown.push(prompt);
    if (left.length === 0) throw new Error('asked once more');
    return left.shift();
  };
  const made = askChoice({ stdin: { line }, stderr: { columns }, env }, from);
  return { made, shown };
};

const MEDIUMS: Choices = { title: 'Which medium?', choices: ['bank_transfer', 'ussd', 'mobile_money'] };
const BANKS: Choices = { title: 'Which bank?', choices: BANK_CODES, open: true };

describe('choose', () => {
  it.each<[string, Choices, readonly string[], string]>([
    ['by its number', MEDIUMS, ['2'], 'ussd'],
    ['by its name', MEDIUMS, ['ussd'], 'ussd'],
    ['by its name in uppercase with spaces', MEDIUMS, [' USSD '], 'ussd'],
    ['by a part that only one has, after confirmation', MEDIUMS, ['mob', ''], 'mobile_money'],
    ['by a part that only one has, after y', MEDIUMS, ['bank', 'y'], 'bank_transfer'],
    ['by a part that only one has, after yes', BANKS, ['newbank', 'Yes'], 'newbank'],
    ['by its name, y, beside the suggested one', { title: 'Which?', choices: ['ab', 'y'] }, ['a', 'y'], 'y'],
    ['by another name than the suggested one', MEDIUMS, ['mob', 'ussd'], 'ussd'],
    ['by its number among the matches of a part', BANKS, ['un', '2'], 'unity'],
    ['by a name that is also part of another name', BANKS, ['access'], 'access'],
    ['that is not on an open list, after confirmation', BANKS, ['newbank', ''], 'newbank'],
    ['after an invalid number', MEDIUMS, ['4', '0', '1'], 'bank_transfer'],
    ['after an unknown name', MEDIUMS, ['card', '1'], 'bank_transfer'],
  ])('accepts a choice %s', async (_what, from, answers, wanted) => {
    expect(await (await chosen(from, answers)).made).toBe(wanted);
  });

  it.each<[string, readonly (string | undefined)[]]>([
    ['an empty answer', ['']],
    ['spaces', ['  ']],
    ['the end of input', [undefined]],
    ['an empty answer after an invalid one', ['card', '']],
  ])('cancels after %s', async (_what, answers) => {
    const { made } = await chosen(MEDIUMS, answers);
    expect(await thrownBy(made)).toMatchObject({ kind: 'interrupted', message: 'cancelled; nothing was changed' });
  });
});

describe('the output of choose', () => {
  it('is the whole list once, then the matches of the last answer', async () => {
    const { made, shown } = await chosen(BANKS, ['un', 'uni', '1']);
    await made;
    expect(shown[0]).toMatch(/^Which bank\?\n {3}1 {2}access/);
    expect(shown.slice(1)).toEqual([
      '  1  union\n  2  unity\nNumber, name or part of it: ',
      '  1  union\n  2  unity\nNumber, name or part of it: ',
    ]);
  });

  it('never repeats what was typed', async () => {
    const { made, shown } = await chosen(BANKS, ['sk.AbCd.secret', 'sk.AbCd.secret', '1']);
    await made;
    expect(shown.join('\n')).not.toContain('secret');
  });

  it('fits the width in numeric order, and has one entry a line for screen readers', async () => {
    for (const columns of [40, 60, 100]) {
      const { made, shown } = await chosen(BANKS, ['1'], {}, columns);
      await made;
      const lines = shown[0]?.split('\n').slice(1, -1) ?? [];
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
      expect(lines.join(' ').match(/\d+(?= {2}\w)/g)).toEqual(BANK_CODES.map((_code, index) => String(index + 1)));
    }
    const { made, shown } = await chosen(BANKS, ['1'], { ACCESSIBLE: '1' });
    await made;
    expect(shown[0]?.split('\n')).toHaveLength(BANK_CODES.length + 2);
  });

  it('escapes control characters', async () => {
    const { made, shown } = await chosen({ title: 'Which?', choices: ['a\u001b[2J', 'b'] }, ['1']);
    await made;
    expect(shown[0]).toContain('  1  a\\x1b[2J');
  });
});
