import { describe, expect, it } from 'vitest';
import { barePath, isChargePath, pathProblem, readQuery } from '../../src/core/api-path.ts';

describe('an API path', () => {
  it.each([
    '/v1/ugwo',
    '/v1/ugwo/',
    '/v1/ugwo/ugw.AbCd.1?limit=2',
    '/v1/checkouts/chk.Ab_d.1.2/providers/bank_transfer',
    '/v1/checkouts?filter[status][]=1&ref=a%20b',
    '/v2/things/0198c1a2-7f3e',
  ])('is valid: %s', (path) => expect(pathProblem(path)).toBeUndefined());

  it.each([
    'v1/ugwo',
    'C:/Program Files/Git/v1/ugwo',
    'C:/Git/v1/ugwo',
    'https://evil.example/v1/ugwo',
    '//evil.example/v1',
    '/',
    '/v1//ugwo',
    '/v1/ugwo//',
    '/v1/../admin',
    '/v1/ugwo/ugw.AbCd.1/activities/..',
    '/v1/./ugwo',
    '/v1/%2e%2e/admin',
    '/v1/ugw%2fx',
    '/v1/%zz',
    '/v1/ugw o',
    '/v1/ugwo\t',
    '/v1/ugwo\n',
    '/v1/ugwo\r\nHost: evil',
    '/v1/ugwo#x',
    '/v1\\ugwo',
    '/v1/{uid}',
    '/v1/ọ',
    '/v1/%00x',
    '/v1/ugwo?a=b c',
    '/v1/ugwo?a=b\n',
    '',
    // Other spellings of a path that has rules of its own.
    ...['.json', '.csv', '.yaml', '.hal', '.jsonld', '.', '..', '.a.csv', ';a=b', '%C2%AD', '%20', '\u00ad'].flatMap(
      (end) => [`/v1/ugwo/ugw.AbCd.1/activities${end}`, `/v1/refunds${end}`],
    ),
    '/v1/ugwo/ugw.AbCd.1/%61ctivities',
    '/v1/ugwo;a/ugw.AbCd.1/activities',
    '/v1/UGWO/ugw.AbCd.1/Activities',
    '/V1/refunds',
    '/v1/ugwo/ugw.AbCd.1/activıties',
  ])('is invalid: %j', (path) => expect(pathProblem(path)).toBeTypeOf('string'));

  it.each(['', '/', '?x=1', '/?x=1'])('creates a charge with %j behind it', (end) => {
    for (const before of ['/v1', '/v2', '/api/v1']) {
      expect(isChargePath(`${before}/ugwo/ugw.AbCd.1/activities${end}`)).toBe(true);
    }
  });

  it.each(['/v1/ugwo/x/activities/act.AbCd.1', '/v1/ugwo/activities', '/v1/ugwo', '/v1/things?/ugwo/x/activities'])(
    'creates no charge: %s',
    (path) => expect(isChargePath(path)).toBe(false),
  );

  it('is separated from its query', () => {
    expect(barePath('/v1/ugwo/?a=1')).toBe('/v1/ugwo');
    expect(barePath('/')).toBe('/');
    expect(readQuery('/v1/x?f[]=1&b=%20c', [['f[]', '2']])).toEqual({ 'f[]': ['1', '2'], b: ' c' });
    expect(() => readQuery('/v1/x?b=1', [['b', '1']])).toThrow('"b" is given twice');
  });
});
