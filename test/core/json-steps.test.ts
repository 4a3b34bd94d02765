import { describe, expect, it } from 'vitest';
import { cutSteps } from '../../src/core/json-cut.ts';
import { scanSteps } from '../../src/core/json-scan.ts';
import { answerSteps } from '../../src/core/redact.ts';

describe('what is large', () => {
  /** How many steps there are, and what comes of them. */
  const stepped = <T>(work: Generator<void, T>): { readonly steps: number; readonly result: T } => {
    let steps = 1;
    for (let step = work.next(); ; step = work.next()) {
      if (step.done === true) return { steps, result: step.value };
      steps += 1;
    }
  };
  const million = 1024 * 1024;

  it('is passed a megabyte at a time, and its parts are cut one after the other', () => {
    const zeros = Buffer.from(`{"data":[${'0,'.repeat(2 * million)}0],"next_cursor":"${'x'.repeat(million)}"}`);
    const { steps, result } = stepped(scanSteps(zeros, ['data', 'next_cursor']));
    expect([5, 6]).toContain(steps);
    expect(result).toMatchObject({ isJson: true, depth: 2 });
    expect([...result.members.keys()]).toEqual(['data', 'next_cursor']);
    expect(stepped(cutSteps(zeros, ['next_cursor'])).steps).toBeGreaterThanOrEqual(3);
  });

  it('is told from what is no JSON wherever a step ends', () => {
    for (const inside of [million - 2, million - 1, million, million + 1]) {
      const text = `["${'é'.repeat(inside / 2)}\\u00e9",${'['.repeat(2000)}1${']'.repeat(2000)}]`;
      expect(stepped(scanSteps(Buffer.from(text))).result.isJson).toBe(true);
      expect(stepped(scanSteps(Buffer.from(text.slice(0, -1)))).result.isJson).toBe(false);
      expect(stepped(scanSteps(Buffer.from(`${text}]`))).result.isJson).toBe(false);
    }
  });

  it('is searched for secrets a stretch at a time, and none is missed where two meet', () => {
    const [secret, escaped] = ['sk.AbCd.0123456789', '\\u0073k\\u002eAbCd.012345678\\u0039'];
    const clean = (text: string): string => text.replaceAll(secret, '[secret]');
    const end = 256 * 1024;
    for (const before of [0, end - 65_536, end - 65_540, end - 40, end - 20, end - 3, end, 2 * end - 65_536]) {
      for (const filler of ['a', '\\\\']) {
        const text = `["a${filler.repeat(before / filler.length)}${escaped}${'\\u0041'.repeat(60_000)}"]`;
        const { steps, result } = stepped(answerSteps(text, clean));
        expect(result.includes('[secret]'), `${before} of ${filler}`).toBe(true);
        expect(steps).toBeGreaterThanOrEqual(1);
      }
    }
    expect(stepped(answerSteps(`["${'\\u0041'.repeat(200_000)}"]`, clean)).steps).toBeGreaterThanOrEqual(5);
  });

  it('is left alone where no secret is: neither its strings nor, without an escape, its stretches are looked at', () => {
    const asked: number[] = [];
    const clean = (text: string): string => {
      asked.push(text.length);
      return text;
    };
    const [plain, escaped] = [`["${'a'.repeat(196_604)}"]`, `["${'\\\\'.repeat(98_302)}"]`];
    expect(stepped(answerSteps(plain, clean))).toEqual({ steps: 1, result: plain });
    expect(asked).toEqual([196_608]);
    // One stretch, since the next would begin where the text ends.
    expect(stepped(answerSteps(escaped, clean))).toEqual({ steps: 2, result: escaped });
    expect(asked).toEqual([196_608, 196_608, 196_608]);
  });

  it('or not is searched to its end, and as a text where a string breaks off', () => {
    const clean = (text: string): string => text.replaceAll('sk.AbCd.0123', '[secret]');
    for (const [text, cleaned] of [
      ['{"a":"sk.AbCd.0123"}', '{"a":"[secret]"}'],
      ['{"a":"\\u0073k.AbCd.0123"}', '{"a":"[secret]"}'],
      ['{"a":"sk.AbCd.0123', '{"a":"[secret]'],
    ] as const) {
      expect(stepped(answerSteps(text, clean)).result).toBe(cleaned);
    }
  });

  it('that breaks off anywhere is not passed for ever', () => {
    const text = '{"a":[1,{"b":"x\\\\y"},[2]],"uid":"act.AbCd.1","c":{"d":[]}}';
    for (let length = 1; length < text.length; length += 1) {
      const ended = (): string => {
        try {
          return `${stepped(cutSteps(Buffer.from(text.slice(0, length)), ['uid', 'a'])).steps}`;
        } catch (thrown) {
          return (thrown as Error).name;
        }
      };
      expect(['1', 'SyntaxError'], `${length} bytes`).toContain(ended());
    }
  });
});
