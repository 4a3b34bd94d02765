import dns from 'node:dns';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { lookup } from '../../src/client/connection.ts';
import { ACTIVITY, json, serve, UGWO_ID } from '../support/service.ts';
import { bench } from './support.ts';

const CHARGE = { params: { ugwoUid: UGWO_ID }, body: { type: 'charge', data: { medium: 'bank_transfer' } } };

afterEach(() => void vi.restoreAllMocks());

describe('localhost', () => {
  it('is this machine, whatever a name server says', async () => {
    const { port } = new URL((await serve([json(200, ACTIVITY)])).origin);
    const asked = vi.spyOn(dns, 'lookup').mockImplementation(() => {
      throw new Error('a name server was asked');
    });
    const { client } = bench(`http://localhost:${port}`);
    expect((await client.call('ugwo.charge', CHARGE)).value).toMatchObject({ uid: ACTIVITY.uid });
    expect(asked).not.toHaveBeenCalled();
  });

  it('is both of its addresses, for a service that listens at one of them', () => {
    const found: unknown[] = [];
    lookup('localhost', { all: true }, (...all) => void found.push(all));
    lookup('localhost', {}, (...one) => void found.push(one));
    const both = [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ];
    expect(found).toEqual([
      [null, both],
      [null, '127.0.0.1', 4],
    ]);
  });
});
