import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { display, paragraphs, tagged, textLine, words } from '../../scripts/manuals.ts';
import { toolOf } from '../support/tool.ts';

const mandoc = toolOf('mandoc');

describe('text in roff', () => {
  it.each([
    ['.Sh is no request here', '\\&.Sh is no request here'],
    ["'tis", '\\(aqtis'],
    [String.raw`\n and --from`, String.raw`\en and \-\-from`],
    ['wait…', 'wait\\[u2026]'],
  ])('is escaped: %s', (text, line) => {
    expect(textLine(text)).toBe(line);
  });

  it('has one sentence per line, and a macro between paragraphs', () => {
    expect(paragraphs('One. Two?\n\nThree.')).toEqual(['One.', 'Two?', '.Pp', 'Three.']);
  });

  it('escapes words in a macro line that are macros', () => {
    expect(words('No "Ar"')).toBe('\\&No \\&\\(dqAr\\(dq');
    expect(tagged([['Fl x', 'y']])).toEqual(['.Bl -tag -width Ds', '.It Fl x', 'y', '.El']);
    expect(tagged([])).toEqual([]);
  });

  it.runIf(mandoc !== undefined)('survives mandoc unchanged', () => {
    const line = fc.string({ unit: fc.constantFrom(...'ab .\'\\-`^~"|,;:(){}<>=%é…'), minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(line, (text) => {
        const page = [
          '.Dd November 22, 2026',
          '.Dt A 1',
          '.Os',
          '.Sh NAME',
          '.Nm a',
          '.Nd b',
          '.Sh X',
          ...display([`x${text}x`]),
        ];
        const shown = execFileSync(mandoc ?? '', ['-Tutf8', '-Owidth=200'], {
          input: `${page.join('\n')}\n`,
          encoding: 'utf8',
        });
        expect(shown).toContain(`x${text}x`);
      }),
      { numRuns: 50 },
    );
  });
});
