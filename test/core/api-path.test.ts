import { describe, expect, it } from 'vitest';
import { barePath, isChargePath, pathProblem, plainPath, queryOf } from '../../src/core/api-path.ts';

describe('an API path', () => {
  it.each(['/v1/ugwo', '/v1/ugwo/ugw.AbCd.1?limit=2', '/v1/a%2Cb/', '/v1/checkouts?filter[status][]=1', '/v2/x~y/@z'])(
    'is valid: %s',
    (path) => expect(pathProblem(path)).toBeUndefined(),
  );

  it.each([
    'v1/ugwo',
    'C:/Program Files/Git/v1/ugwo',
    'C:/Git/v1/ugwo',
    'https://evil.example/v1/ugwo',
    '//evil.example/v1',
    '/v1//ugwo',
    '/v1/../admin',
    '/v1/./ugwo',
    '/v1/%2e%2e/admin',
    '/v1/%2E/x',
    '/v1/ugw%2fx',
    '/v1/ugw%5Cx',
    '/v1/%252e%252e/x',
    '/v1/%zz',
    '/v1/ugw o',
    '/v1/ugwo\t',
    '/v1/ugwo\r\nHost: evil',
    '/v1/ugwo#x',
    '/v1\\ugwo',
    '/v1/{uid}',
    '/v1/ọ',
    '/v1/%00x',
    '/v1/a%20b%3Fc',
    '',
  ])('is invalid: %j', (path) => expect(pathProblem(path)).toBeTypeOf('string'));

  it.each([
    '/v1/ugwo/ugw.AbCd.1/activities',
    '/v1/ugwo/ugw.AbCd.1/activities/',
    '/v1/ugwo/ugw.AbCd.1/activities//',
    '/v1/ugwo/ugw.AbCd.1/activities?x=1',
    '/v1/UGWO/x/Activities',
    '/v2/ugwo/x/%61ctivities',
    '/v1/ugwo/x/activities.json',
    '/v1/ugwo/x/activities;a=b',
    '/v1/ugwo;a/x/activities%2ejson',
  ])('creates a charge: %s', (path) => expect(isChargePath(path)).toBe(true));

  it.each(['/v1/ugwo/x/activities/act.AbCd.1', '/v1/ugwo/activities', '/v1/ugwo', '/v1/%'])(
    'creates no charge: %s',
    (path) => expect(isChargePath(path)).toBe(false),
  );

  it.each([
    '/v1/refunds/',
    '/v1/refunds//',
    '//v1//refunds',
    '/v1/Refunds',
    '/V1/REFUNDS',
    '/v1/refunds.json',
    '/v1/refunds%2Ejson',
    '/v1/refunds.JSONLD',
    '/v1/refunds.',
    '/v1/refunds;a',
    '/v1;v=2/refunds;a=b.c',
    '/v1/%72efunds',
    '/v1/refunds?x=1',
  ])('means /v1/refunds: %s', (path) => expect(plainPath(path)).toBe('/v1/refunds'));

  it.each(['/v1/refund', '/v2/refunds', '/v1/refunds/x', '/v1/refunds.json.bak'])('means another path: %s', (path) =>
    expect(plainPath(path)).not.toBe('/v1/refunds'),
  );

  it('is separated from its query', () => {
    expect(barePath('/v1/ugwo/?a=1')).toBe('/v1/ugwo');
    expect(barePath('/')).toBe('/');
    expect(queryOf('/v1/x?f[]=1&b=%20c', [['f[]', '2']])).toEqual({ 'f[]': ['1', '2'], b: ' c' });
    expect(() => queryOf('/v1/x?b=1', [['b', '1']])).toThrow('"b" is given twice');
  });
});
