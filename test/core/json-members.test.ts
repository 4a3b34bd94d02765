import { expect, it } from 'vitest';
import { scan } from '../../src/core/json-scan.ts';

it('a member and its elements begin and end with their first and last byte, and no other is noted', () => {
  const text = '{ "x" : [ 0 ] , "data" : [ {"a":1} ,\t2\r\n] , "y" : 3 , "uid" : "u" }';
  const { members } = scan(new TextEncoder().encode(text), ['data', 'uid']);
  const cut = ({ start, end }: { readonly start: number; readonly end: number }): string => text.slice(start, end);
  expect([...members].map(([name, member]) => [name, cut(member), member.elements?.map(cut)])).toEqual([
    ['data', '[ {"a":1} ,\t2\r\n]', ['{"a":1}', '2']],
    ['uid', '"u"', undefined],
  ]);
});

it.each([
  ['{"a":"b ~\\n"}', true],
  ['{"a": 1}', false],
  ['{"a":"é"}', false],
  ['{"a":"\x7f"}', false],
  ['{"é":1}', false],
  ['{"a":"é","b":{}}', false],
  ['[1]', true],
])('an element %j can be printed as it is: %s, whatever stood before it', (element, is) => {
  const text = `{"data":["é",${element},{"a":"é"},${element},{},${element}]}`;
  const elements = scan(new TextEncoder().encode(text), ['data']).members.get('data')?.elements;
  expect(elements?.slice(1).map(({ isPlain }) => isPlain)).toEqual([is, false, is, true, is]);
});

it.each(['{"a\n":1}', '{"ab', '{"a\\'])('%j, whose name is none, is no JSON, whatever is looked for in it', (text) => {
  expect(scan(new TextEncoder().encode(text), ['a'])).toMatchObject({ isJson: false, members: new Map() });
});
