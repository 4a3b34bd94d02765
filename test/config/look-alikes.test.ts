import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PayError } from '../../src/core/error.ts';
import { checkBaseUrl } from '../../src/core/origin.ts';
import { errorOf, folderWith, KEY, openRoom, PIN, wordsOf } from './world.ts';

const HOST = 'api.pinned.example';
const at = fc.nat({ max: HOST.length - 1 });
const letters = [...HOST].flatMap((char, index) => (char === '.' ? [] : [index]));
const letterAt = fc.constantFrom(...letters);
const evil = fc.constantFrom('evil.example', '127.0.0.1', '[::1]', 'api.pinned.example.evil.example', 'localhost');
const replaced = (index: number, by: string): string => HOST.slice(0, index) + by + HOST.slice(index + 1);
const percent = (text: string): string => [...text].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');
const CYRILLIC: Readonly<Record<string, string>> = {
  a: 'а',
  p: 'р',
  i: 'і',
  e: 'е',
  x: 'х',
  n: 'ո',
  d: 'ԁ',
  m: 'м',
  l: 'ӏ',
};

/** Texts that name another host or port, however they are parsed. */
const otherHost = fc.oneof(
  evil.map((host) => `https://${HOST}@${host}`),
  evil.map((host) => `https://${HOST}:443@${host}/`),
  evil.map((host) => `https://${percent(HOST)}@${host}`),
  evil.map((host) => `https://${host}/${HOST}`),
  evil.map((host) => `https://${host}/@${HOST}`),
  evil.map((host) => `https://${host}?${HOST}`),
  evil.map((host) => `https://${host}#@${HOST}`),
  evil.map((host) => `https://${host}\\@${HOST}`),
  evil.map((host) => `https://${HOST}\\@${host}`),
  fc.constantFrom('evil.example', 'co').map((host) => `https://${HOST}.${host}`),
  fc.constantFrom('evil', 'x-', '0').map((host) => `https://${host}${HOST}`),
  fc
    .integer({ min: 1, max: 65_535 })
    .filter((port) => port !== 443)
    .map((port) => `https://${HOST}:${port}`),
  fc.integer({ min: 1, max: 3 }).map((dots) => `https://${HOST}${'.'.repeat(dots)}`),
  fc.constantFrom('%2e', '%2E', '。', '．', '｡').map((dot) => `https://${HOST}${dot}`),
  fc.constantFrom('http', 'ftp', 'ws', 'file', 'javascript').map((scheme) => `${scheme}://${HOST}`),
  letterAt
    .filter((index) => CYRILLIC[HOST[index] ?? ''] !== undefined)
    .map((index) => `https://${replaced(index, CYRILLIC[HOST[index] ?? ''] ?? '')}`),
  letterAt.map((index) => `https://${replaced(index, `${HOST[index]}\u0301`)}`),
  letterAt.map((index) => `https://${replaced(index, `${HOST[index]}-`)}`),
  at.map((index) => `https://${replaced(index, '%00')}`),
  at.map((index) => `https://${replaced(index, '%2f')}`),
  at.map((index) => `https://${replaced(index, '%40')}`),
  at.map((index) => `https://${replaced(index, '\\')}`),
  fc.constant(`https://user@${HOST}`),
  fc.constant(`https://:pass@${HOST}`),
  fc.constant(`https://@${HOST}`),
  fc.constant(`https://${HOST}\\`),
  fc.constant(`https://${HOST}/..//evil.example`),
);

/** Texts that a parser may read as the pinned host; they must normalize to the pin. */
const sameHost = fc.oneof(
  fc
    .func(fc.boolean())
    .map((upper) => [...PIN].map((char, index) => (upper(index) ? char.toUpperCase() : char)).join('')),
  letterAt.map((index) => `https://${replaced(index, percent(HOST[index] ?? ''))}`),
  letterAt.map((index) => `https://${replaced(index, String.fromCodePoint((HOST.codePointAt(index) ?? 0) + 0xfee0))}`),
  fc
    .tuple(at, fc.constantFrom('\t', '\n', '\r', '\u00ad', '\u200b'))
    .map(([index, blank]) => `https://${HOST.slice(0, index)}${blank}${HOST.slice(index)}`),
  fc
    .constantFrom('https:', 'https:/', 'https:///', 'https:////', ' https://', 'https:\\\\')
    .map((start) => start + HOST),
  fc.constantFrom(':443', ':', '/', '?', '#', ':0443', '/.', '/%2e').map((end) => PIN + end),
  at.map((index) => `https://${HOST[index] === '.' ? replaced(index, '。') : HOST}`),
);

describe('look-alikes of the pinned origin', () => {
  const folder = (): string => folderWith({ name: 'shop', origin: PIN, key: KEY });

  const outcome = async (home: string, url: string) => {
    try {
      return (await openRoom({ folder: home }).room.target({ profile: undefined, baseUrl: url })).origin;
    } catch (thrown) {
      if (!(thrown instanceof PayError)) throw thrown;
      expect(['auth', 'usage']).toContain(thrown.kind);
      expect(wordsOf(thrown)).not.toContain(KEY);
      return undefined;
    }
  };

  it('that name another host or port never equal it, and get no key', async () => {
    const home = folder();
    await fc.assert(
      fc.asyncProperty(otherHost, async (url) => {
        const check = checkBaseUrl(url);
        expect('origin' in check ? check.origin : undefined, url).not.toBe(PIN);
        expect(await outcome(home, url), url).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  it('that parse to the same host become exactly the pin, or get no key', async () => {
    const home = folder();
    let same = 0;
    await fc.assert(
      fc.asyncProperty(sameHost, async (url) => {
        const origin = await outcome(home, url);
        expect([undefined, PIN], url).toContain(origin);
        if (origin === PIN) same += 1;
      }),
      { numRuns: 200 },
    );
    expect(same).toBeGreaterThan(0);
  });

  it('are never stored as written: a profile stores an exact origin', async () => {
    const { room } = openRoom();
    await fc.assert(
      fc.asyncProperty(fc.oneof(otherHost, sameHost), async (origin) => {
        const check = checkBaseUrl(origin);
        if ('problem' in check) {
          expect((await errorOf(() => room.save({ name: 'x', origin, secret: { key: KEY } }))).message).toContain(
            check.problem,
          );
        } else {
          const saved = room.save({ name: 'x', origin, secret: { key: KEY } });
          expect(new URL(saved.origin).origin).toBe(saved.origin);
        }
      }),
      { numRuns: 300 },
    );
  });
});
