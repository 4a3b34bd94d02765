import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SEEDED } from '../../src/core/data-files.ts';
import { EXIT_CODES } from '../../src/core/error.ts';
import { newFolder } from '../support/program.ts';
import { tryLines } from '../support/shell.ts';

const skill = readFileSync('SKILL.md', 'utf8');
const lines = [...skill.matchAll(/^ {4}(paycli .*)$/gm)].map(([, line = '']) => line);

describe('the skill for agents', () => {
  it('has a short header with its name and its use', () => {
    expect(skill).toMatch(/^---\nname: paycli\ndescription: .{50,400}\n---\n/);
    // About 800 tokens.
    expect(skill.length).toBeLessThan(3600);
  });

  it.runIf(process.platform !== 'win32')('has examples that work in sequence', async () => {
    const ids = { ugw: SEEDED.ugwo, ony: SEEDED.onye };
    const script = lines.map((line) => line.replaceAll(/"\$(ugw|ony)"/g, (_whole, name) => ids[name as 'ugw']));
    expect(script.length).toBeGreaterThan(7);
    const { codes, ended } = await tryLines(script.join('\n'), { home: newFolder() });
    expect(codes, ended.stderr).toEqual([]);
  });

  it('adds to each example what a program needs', () => {
    for (const line of lines) expect(line).toMatch(/ --json --no-input\b/);
    expect(lines.filter((line) => !/ --local /.test(line) || / (?:--yes|-y|--again)\b/.test(line))).toEqual([]);
  });

  it('explains what to do for each exit code, and what only the user may do', () => {
    const rows = [...skill.matchAll(/^\| ([\d, ]+) \| (.+) \|$/gm)];
    const codes = rows.flatMap(([, named = '']) => named.split(', ').map(Number));
    expect(codes.every((code) => code === 0 || Object.values<number>(EXIT_CODES).includes(code))).toBe(true);
    const unknown = rows.find(([, named = '']) => named.split(', ').includes(String(EXIT_CODES.unknown)));
    expect(unknown?.[2]).toContain('never charge again');
    expect(skill).toContain('Never type `paycli approve`');
  });
});
