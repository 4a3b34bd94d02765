import { describe, expect, it } from 'vitest';
import { type Choices, choose, numbered } from '../../src/cli/ask.ts';
import { BANK_CODES } from '../../src/core/banks.ts';
import { thrownBy } from '../client/support.ts';

/** Chooses with these answers; gives what was chosen, or why nothing was, and all that was shown. */
const chosen = async (from: Choices, answers: readonly (string | undefined)[], env = {}) => {
  const shown: string[] = [];
  const left = [...answers];
  const line = async (prompt: string): Promise<string | undefined> => {
    shown.push(prompt);
    if (left.length === 0) throw new Error('asked once more');
    return left.shift();
  };
  const made = choose({ stdin: { line }, stderr: { columns: 60 }, env }, from);
  return { made, shown };
};

const MEDIUMS: Choices = { title: 'Which medium?', choices: ['bank_transfer', 'ussd', 'mobile_money'] };
const BANKS: Choices = { title: 'Which bank?', choices: BANK_CODES, open: true };

describe('what is chosen', () => {
  it.each<[string, Choices, readonly string[], string]>([
    ['by its number', MEDIUMS, ['2'], 'ussd'],
    ['by its name', MEDIUMS, ['ussd'], 'ussd'],
    ['by its name in capitals, with blanks around it', MEDIUMS, [' USSD '], 'ussd'],
    ['by a part that only one has, once that is confirmed', MEDIUMS, ['mob', ''], 'mobile_money'],
    ['by another name than the one that is offered', MEDIUMS, ['mob', 'ussd'], 'ussd'],
    ['by the number among those that a part has left', BANKS, ['un', '2'], 'unity'],
    ['by a name that is one and part of another', BANKS, ['access'], 'access'],
    ['though it is not on an open list, once that is confirmed', BANKS, ['newbank', ''], 'newbank'],
    ['after a number that there is not', MEDIUMS, ['4', '0', '1'], 'bank_transfer'],
    ['after a name that there is not', MEDIUMS, ['card', '1'], 'bank_transfer'],
  ])('is told %s', async (_what, from, answers, wanted) => {
    expect(await (await chosen(from, answers)).made).toBe(wanted);
  });

  it.each<[string, readonly (string | undefined)[]]>([
    ['nothing', ['']],
    ['blanks', ['  ']],
    ['the end of input', [undefined]],
    ['nothing after a wrong one', ['card', '']],
  ])('is given up with %s', async (_what, answers) => {
    const { made } = await chosen(MEDIUMS, answers);
    expect(await thrownBy(made)).toMatchObject({ kind: 'interrupted', message: 'cancelled; nothing was changed' });
  });
});

describe('what is shown', () => {
  it('is a list once, then what an answer has left of it', async () => {
    const { made, shown } = await chosen(BANKS, ['un', 'uni', '1']);
    await made;
    expect(shown[0]).toMatch(/^Which bank\?\n {3}1 {2}access/);
    expect(shown.slice(1)).toEqual([
      '  1  union\n  2  unity\nNumber, name or part of it: ',
      '  1  union\n  2  unity\nNumber, name or part of it: ',
    ]);
  });

  it('never says what was typed', async () => {
    const { made, shown } = await chosen(BANKS, ['sk.AbCd.secret', 'sk.AbCd.secret', '1']);
    await made;
    expect(shown.join('\n')).not.toContain('secret');
  });

  it('fits the width, in the order of the numbers, and is one a line where it is read out', async () => {
    for (const columns of [40, 60, 100]) {
      const lines = numbered(BANK_CODES, columns);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
      expect(lines.join(' ').match(/\d+(?= {2}\w)/g)).toEqual(BANK_CODES.map((_code, index) => String(index + 1)));
    }
    expect(numbered(BANK_CODES, 100).length).toBeLessThan(10);
    const { made, shown } = await chosen(BANKS, ['1'], { ACCESSIBLE: '1' });
    await made;
    expect(shown[0]?.split('\n')).toHaveLength(BANK_CODES.length + 2);
  });

  it('steers no terminal', () => {
    expect(numbered(['a\u001b[2J'], 80)).toEqual(['  1  a\\x1b[2J']);
  });
});
