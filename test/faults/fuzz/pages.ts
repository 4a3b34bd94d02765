import fc from 'fast-check';
import { PayError } from '../../../src/core/error.ts';
import { mayBeRenamed } from '../../support/engine.ts';
import { mutatedText } from './mutate.ts';
import { mutatedJson } from './mutate-json.ts';
import { answerOf, clientOver, ORIGIN } from './over.ts';
import { PAGES, REQUESTS } from './seeds.ts';
import { must, mustEqual, target } from './target.ts';

const CURSORS = ['eyJpZCI6MTB9', '?cursor=x#y', '//evil.example/', '../../onye', 'https://evil.example', 'a&cursor=b'];

/** A valid page, with any cursor. */
const honest = fc
  .tuple(mutatedText(CURSORS, 2), fc.nat(2))
  .map(([cursor, count]) => JSON.stringify({ data: Array(count).fill(REQUESTS[0]), next_cursor: cursor || null }));

const bodies = fc.array(fc.oneof({ weight: 3, arbitrary: honest }, mutatedJson(PAGES)), { minLength: 1, maxLength: 6 });

/** A request of a list: it stays on the list's path, and only asks for a page. */
const holdsPath = (path: string): void => {
  const url = new URL(path, ORIGIN);
  mustEqual(url.origin, ORIGIN, 'the origin');
  mustEqual(url.pathname, '/v1/ugwo', 'the path');
  must(
    [...url.searchParams.keys()].every((name) => name === 'cursor' || name === 'limit'),
    () => `asked ${path}`,
  );
};

/** Following any pages ends, stays on the list, requests nothing twice, and returns each record with its own text. */
export const pages = target(
  'pages',
  () => fc.tuple(bodies, fc.option(mutatedText(CURSORS, 2), { nil: undefined })),
  async ([texts, from]) => {
    const asked: string[] = [];
    const client = clientOver(({ path }) => {
      holdsPath(path);
      must(!asked.includes(path), () => `asked twice: ${path}`);
      asked.push(path);
      must(asked.length <= texts.length + 2, () => `asked ${asked.length} times`);
      return answerOf(200, Buffer.from(texts[(asked.length - 1) % texts.length] ?? ''));
    });
    try {
      for await (const { records } of client.pages('ugwo.list', { query: { limit: '5' } }, { from })) {
        for (const { value, text } of records) {
          if (!mayBeRenamed(text)) mustEqual(JSON.stringify(JSON.parse(text)), JSON.stringify(value), 'a record');
        }
      }
    } catch (thrown) {
      if (!(thrown instanceof PayError)) throw thrown;
      must(thrown.kind === 'read_failed', () => `it ended with ${thrown.kind}: ${thrown.message}`);
    }
  },
);
