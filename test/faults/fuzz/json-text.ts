import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { indent, mapStrings, minify, parseExact, printExact } from '../../../src/core/json.ts';
import { elementsOf, isJson, measure } from '../../../src/core/json-scan.ts';
import { visibleJson } from '../../../src/core/text.ts';
import { mayBeRenamed } from '../../support/engine.ts';
import { mutatedText } from './mutate.ts';
import { mutatedJson } from './mutate-json.ts';
import { JSON_SEEDS, JSON_TEXTS } from './seeds.ts';
import { must, mustEqual, target } from './target.ts';

/** At greater depth JSON.stringify itself may fail. */
const DEEPEST = 200;

const parsed = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
};

const meaning = (text: string): string => JSON.stringify(JSON.parse(text));

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The number of values; repeated names count once. */
const countOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((sum, member) => sum + countOf(member), 1)
    : 1;

/** Elements by position, wherever the list is in the object. */
const holdsElements = (text: string, value: unknown): void => {
  if (!isFields(value)) return;
  for (const [name, list] of Object.entries(value)) {
    const wanted = Array.isArray(list) ? list.map((one) => JSON.stringify(one)) : [];
    const found = elementsOf(text, name).map(meaning);
    must(isDeepStrictEqual(found, wanted), () => `elementsOf ${JSON.stringify(name)}: ${found} and not ${wanted}`);
  }
};

/** JSON here is JSON for JSON.parse and vice versa, with the same content in every output form. */
export const jsonText = target(
  'json',
  // Decoded UTF-8 contains lone surrogates only as escapes.
  () => fc.oneof(mutatedText(JSON_TEXTS), mutatedJson(JSON_SEEDS)).map((text) => text.toWellFormed()),
  (text) => {
    const whole = parsed(text);
    must(isJson(text) === (whole !== undefined), () => `isJson says ${isJson(text)}`);
    const { depth, values } = measure(text);
    must(depth >= 0 && values >= 0, () => `measured as ${depth} deep and ${values} values`);
    // Control characters become escapes.
    if (whole === undefined || depth > DEEPEST || mayBeRenamed(visibleJson(minify(text)))) return;
    const said = JSON.stringify(whole.value);
    must(measure(minify(text)).values >= countOf(whole.value), () => 'fewer values were measured than there are');
    mustEqual(meaning(minify(text)), said, 'minify');
    mustEqual(meaning(indent(text)), said, 'indent');
    mustEqual(meaning(visibleJson(minify(text))), said, 'visibleJson');
    mustEqual(
      mapStrings(text, (string) => string),
      text,
      'mapStrings',
    );
    mustEqual(meaning(printExact(parseExact(text))), said, 'parseExact and printExact');
    holdsElements(text, whole.value);
  },
);
