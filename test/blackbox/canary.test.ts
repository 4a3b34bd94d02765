import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RUN_FOLDER } from '../support/canary.ts';
import { holding } from '../support/canary-search.ts';
import { newFolder, paycli } from '../support/program.ts';
import { openTerminal } from '../support/terminal.ts';

const KEY = `sk.Find.${'findme7'.repeat(12)}`;

describe('the search for the canary key', () => {
  it.each([
    ['unchanged', KEY],
    ['inside other text', `x"${KEY}"y`],
    ['in a URL', `https://x.test/?k=${encodeURIComponent(KEY)}`],
    ['in base64', Buffer.from(KEY).toString('base64')],
    ['in the base64 of a header', Buffer.from(`Bearer ${KEY}`).toString('base64')],
    ['in base64 at an odd offset', Buffer.from(`:${KEY}`).toString('base64')],
  ])('finds it %s', (_where, text) => {
    const folder = newFolder('search');
    mkdirSync(join(folder, 'deep', 'er'), { recursive: true });
    writeFileSync(join(folder, 'deep', 'er', 'file'), text);
    writeFileSync(join(folder, 'other'), KEY.slice(0, -1));
    expect(holding(folder, KEY)).toEqual([join('deep', 'er', 'file')]);
  });

  it('skips only the profile store', () => {
    const folder = newFolder('search');
    for (const name of ['config.json', 'config.json.tmp', 'emulator.sqlite']) writeFileSync(join(folder, name), KEY);
    expect(holding(folder, KEY).sort()).toEqual(['config.json.tmp', 'emulator.sqlite']);
  });

  it('covers the output of every run, piped or on a terminal', async () => {
    await paycli(['canary-on-a-pipe']);
    await openTerminal(['canary-on-a-terminal']).ended;
    const transcripts = readdirSync(RUN_FOLDER).filter((name) => name.startsWith('transcript-'));
    expect(transcripts.length).toBeGreaterThan(0);
    expect(holding(RUN_FOLDER, 'canary-on-a-pipe')).not.toEqual([]);
    expect(holding(RUN_FOLDER, 'canary-on-a-terminal')).not.toEqual([]);
  });
});
