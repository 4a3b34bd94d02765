/** Filters, inputs, and the output of jq 1.8 in a pipe with -rc, checked by hand against its manual. */
export interface Case {
  readonly filter: string;
  readonly input: string;
  readonly output: string;
  /** Why older versions print something else. */
  readonly since?: string;
}

const UGWO =
  '{"uid":"ugw.1","amount":500000,"currency":"NGN","tags":["a","b"],"onye":{"email":"ada@example.com"},"ref":null}';

export const CORPUS: readonly Case[] = [
  { filter: '.', input: '{"b":1,"a":[1,2]}', output: '{"b":1,"a":[1,2]}\n' },
  { filter: '.uid', input: UGWO, output: 'ugw.1\n' },
  { filter: '.onye.email', input: UGWO, output: 'ada@example.com\n' },
  { filter: '.tags[]', input: UGWO, output: 'a\nb\n' },
  { filter: '.tags | length', input: UGWO, output: '2\n' },
  { filter: '[.uid, .amount] | @tsv', input: UGWO, output: 'ugw.1\t500000\n' },
  { filter: '[.uid, .ref] | @csv', input: UGWO, output: '"ugw.1",\n' },
  { filter: '"\\(.currency) \\(.amount / 100)"', input: UGWO, output: 'NGN 5000\n' },
  { filter: '.missing', input: UGWO, output: 'null\n' },
  { filter: '.ref // "none"', input: UGWO, output: 'none\n' },
  { filter: 'empty', input: UGWO, output: '' },
  { filter: '{uid, n: .amount}', input: UGWO, output: '{"uid":"ugw.1","n":500000}\n' },
  { filter: 'to_entries | map(.key) | join(",")', input: '{"a":1,"b":2}', output: 'a,b\n' },
  { filter: 'map(select(. > 1)) | add', input: '[1,2,3]', output: '5\n' },
  {
    filter: 'group_by(.k) | map({k: .[0].k, n: length})',
    input: '[{"k":1},{"k":2},{"k":1}]',
    output: '[{"k":1,"n":2},{"k":2,"n":1}]\n',
  },
  { filter: 'reduce .[] as $x (0; . + $x)', input: '[1,2,3]', output: '6\n' },
  { filter: 'if . > 1 then "many" else "one" end', input: '2', output: 'many\n' },
  { filter: 'try error("x") catch .', input: 'null', output: 'x\n' },
  { filter: 'def f(x): x * 2; f(.)', input: '21', output: '42\n' },
  { filter: 'test("^ada@")', input: '"ada@example.com"', output: 'true\n' },
  { filter: 'capture("(?<n>[0-9]+)").n', input: '"INV-0042"', output: '0042\n' },
  { filter: 'sort_by(.a) | last.a', input: '[{"a":3},{"a":1}]', output: '3\n' },
  { filter: 'fromdate', input: '"2026-11-22T00:00:00Z"', output: '1795305600\n' },
  { filter: '.. | numbers', input: '[1,[2,{"a":3}]]', output: '1\n2\n3\n' },
  { filter: '.', input: '"  blanks at both ends  "', output: '  blanks at both ends  \n' },
  { filter: '.', input: '"line\\nline\\n"', output: 'line\nline\n\n' },
  { filter: '.', input: '"\\ud83d\\ude00 é"', output: '😀 é\n' },
  { filter: '[.]', input: '"\\u001b"', output: '["\\u001b"]\n' },
  { filter: '.a # a comment', input: '{"a":1}', output: '1\n' },
  { filter: '-.a', input: '{"a":1}', output: '-1\n', since: '1.7 tells it from an option' },
  { filter: '.a, .b', input: '{"a":1,"b":2}\n{"a":3,"b":4}', output: '1\n2\n3\n4\n' },
  { filter: '@json', input: '{"a":[1]}', output: '{"a":[1]}\n' },
  { filter: '@base64', input: '"abc"', output: 'YWJj\n' },
  { filter: 'limit(2; .[])', input: '[1,2,3]', output: '1\n2\n' },
  {
    filter: '.',
    input: '123456789012345678901234567890',
    output: '123456789012345678901234567890\n',
    since: '1.7 keeps digits',
  },
  {
    filter: '.a',
    input: '{"a":1.000000000000000000001}',
    output: '1.000000000000000000001\n',
    since: '1.7 keeps digits',
  },
  { filter: 'pick(.a)', input: '{"a":1,"b":2}', output: '{"a":1}\n', since: '1.7' },
  { filter: 'trimstr("-")', input: '"-a-"', output: 'a\n', since: '1.8' },
  { filter: '[limit(1; skip(1; .[]))]', input: '[1,2,3]', output: '[2]\n', since: '1.8' },
  { filter: 'add(.[].n)', input: '[{"n":1},{"n":2}]', output: '3\n', since: '1.8' },
  { filter: 'have_decnum', input: 'null', output: 'true\n', since: '1.8' },
  { filter: 'abs', input: '-5', output: '5\n', since: '1.8' },
  { filter: 'if . then "yes" end', input: 'true', output: 'yes\n', since: '1.7' },
];
