import { describe, expect, it } from 'vitest';
import { confirmer } from '../../src/cli/confirm.ts';
import type { Input } from '../../src/core/io.ts';

interface Situation {
  readonly answer?: string | undefined;
  readonly stdin?: boolean;
  readonly stderr?: boolean;
  readonly yes?: boolean;
  readonly input?: boolean;
}

const ask = async (
  { answer, stdin = true, stderr = true, yes = false, input = true }: Situation,
  unasked: 'go ahead' | 'refuse' = 'refuse',
  typed: string | undefined = undefined,
) => {
  const prompts: string[] = [];
  const line: Input['line'] = async (prompt) => {
    prompts.push(prompt);
    return answer;
  };
  const io = { stdin: { isTerminal: stdin, line } as Input, stderr: { isTerminal: stderr } };
  const said = await confirmer(io, { yes, input })(['Cancel it?'], unasked, typed).then(
    () => 'yes',
    (thrown: unknown) => (thrown as Error).message,
  );
  return { said, prompts };
};

const NO_TERMINAL = 'needs a yes, and there is no terminal to ask on: Cancel it?';
const NO = 'cancelled; nothing was changed';

describe('confirmation', () => {
  it.each<[string, Situation, string]>([
    ['y', { answer: 'y' }, 'yes'],
    ['yes with spaces', { answer: ' YES ' }, 'yes'],
    ['anything else', { answer: 'yesterday' }, NO],
    ['an empty answer', { answer: '' }, NO],
    ['the end of input', {}, NO],
  ])('interprets the answer correctly: %s', async (_what, situation, said) => {
    expect(await ask(situation)).toEqual({ said, prompts: ['Cancel it? [y/N] '] });
  });

  it.each<[string, Situation]>([
    ['standard input', { stdin: false }],
    ['standard error', { stderr: false }],
    ['--no-input', { input: false }],
  ])('asks nothing without a terminal, as with %s', async (_what, situation) => {
    expect(await ask({ answer: 'y', ...situation })).toEqual({ said: NO_TERMINAL, prompts: [] });
    const goes = await ask({ answer: 'y', ...situation }, 'go ahead');
    expect(goes).toEqual({ said: situation.input === false ? NO_TERMINAL : 'yes', prompts: [] });
  });

  it('is skipped with --yes', async () => {
    for (const stdin of [true, false]) {
      expect(await ask({ yes: true, stdin, input: false }, 'refuse', 'NGN 5,000.00')).toEqual({
        said: 'yes',
        prompts: [],
      });
    }
  });
});

describe('confirmation by typing', () => {
  it.each([
    ['NGN 5,000.00', 'yes'],
    ['ngn5000.00', 'yes'],
    [' NGN 5,000.00 ', 'yes'],
    ['y', NO],
    ['yes', NO],
    ['', NO],
    ['NGN 500.00', NO],
    ['5,000.00', NO],
    ['NGN 5,000.000', NO],
  ])('requires the full text: %s', async (answer, said) => {
    expect(await ask({ answer }, 'refuse', 'NGN 5,000.00')).toEqual({
      said,
      prompts: ['Cancel it?\nType NGN 5,000.00 to confirm: '],
    });
  });

  it('escapes control characters in the text', async () => {
    const { prompts } = await ask({ answer: '' }, 'refuse', 'a\u001b[2J\nb');
    expect(prompts).toEqual(['Cancel it?\nType a\\x1b[2J\\nb to confirm: ']);
  });
});
