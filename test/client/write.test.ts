import { describe, expect, it } from 'vitest';
import {
  ACTIVITY,
  type Answer,
  hang,
  json,
  problem,
  raw,
  reset,
  serve,
  serveMute,
  UGWO_ID,
} from '../support/service.ts';
import { bench, KEY, thrownBy } from './support.ts';

const INPUT = { params: { ugwoUid: UGWO_ID }, body: { type: 'charge', data: { medium: 'bank_transfer' } } };

describe('a charge', () => {
  it('is sent once with the key, a content length and its own connection', async () => {
    const service = await serve([json(200, ACTIVITY), json(200, ACTIVITY)]);
    const { client } = bench(service.origin);
    await client.call('ugwo.charge', INPUT);
    await client.call('ugwo.charge', INPUT);
    const [first, second] = service.seen;
    expect(first).toMatchObject({
      method: 'POST',
      url: `/v1/ugwo/${UGWO_ID}/activities`,
      body: '{"type":"charge","data":{"medium":"bank_transfer"}}',
      connection: 1,
    });
    expect(first?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      'content-length': '51',
      'accept-encoding': 'identity',
      connection: 'close',
    });
    expect(first?.headers['transfer-encoding']).toBeUndefined();
    expect(second?.connection).toBe(2);
  });

  const kept =
    (body: string, header = ''): Answer =>
    (_seen, _response, socket) =>
      void socket.write(
        `HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n${header}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );

  it.each([
    ['keeps its connection open', kept(JSON.stringify(ACTIVITY)), undefined],
    ['is not JSON', kept('<p>'), 'unknown'],
    ['is compressed', kept('{}', 'Content-Encoding: gzip\r\n'), 'unknown'],
    ['is cut', reset, 'unknown'],
  ] as const)('uses a new connection after an answer that %s', async (_what, answer, kind) => {
    const service = await serve([answer, json(200, ACTIVITY)]);
    const { client } = bench(service.origin);
    const first = await client.call('ugwo.charge', INPUT).catch((thrown: unknown) => thrown);
    expect((first as { kind?: string }).kind).toBe(kind);
    expect((await client.call('ugwo.charge', INPUT)).value).toMatchObject({ uid: ACTIVITY.uid });
    expect(service.seen.map(({ connection }) => connection)).toEqual([1, 2]);
  });

  it.each([
    ['reset', reset],
    ['closed without an answer', raw('')],
    ['cut inside the headers', raw('HTTP/1.1 200 OK\r\nContent-Ty')],
    [
      'cut inside the body',
      raw('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"uid":'),
    ],
    ['cut inside a chunk', raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n{"uid"')],
    ['only 1xx', raw('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n')],
    ['not HTTP', raw('SSH-2.0-OpenSSH_9.2\r\n')],
    ['compressed', raw('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}')],
    [
      'not UTF-8',
      raw(
        Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n'), Buffer.from([0x22, 0xff, 0x22])]),
      ),
    ],
  ])('whose answer is %s is unknown and was sent once', async (_what, answer) => {
    const service = await serve([answer]);
    const { client, waits } = bench(service.origin);
    expect(await thrownBy(client.call('ugwo.charge', INPUT))).toMatchObject({ kind: 'unknown' });
    expect(service.seen).toHaveLength(1);
    expect(waits).toEqual([]);
  });

  it('without an answer in time is unknown', async () => {
    const service = await serve([hang]);
    const { client } = bench(service.origin, { timeout: 200 });
    expect(await thrownBy(client.call('ugwo.charge', INPUT))).toMatchObject({
      kind: 'unknown',
      message: expect.stringContaining('within 0.2 s'),
    });
  });

  it('does not follow a redirect', async () => {
    const target = await serve([]);
    const service = await serve([
      (_seen, response) => response.writeHead(307, { location: `${target.origin}/v1/ugwo` }).end(),
    ]);
    const { client } = bench(service.origin);
    expect(await thrownBy(client.call('ugwo.charge', INPUT))).toMatchObject({
      kind: 'unknown',
      detail: { status: 307 },
    });
    expect(target.connections()).toBe(0);
  });

  it('that is invalid is not sent', async () => {
    const service = await serve([]);
    const { client } = bench(service.origin);
    const body = { type: 'charge', data: { medium: 'ussd', provider: ' ' } };
    expect(await thrownBy(client.call('ugwo.charge', { ...INPUT, body }))).toMatchObject({
      kind: 'usage',
      detail: { violations: [{ propertyPath: 'data.provider', title: 'should not be blank' }] },
    });
    expect(service.connections()).toBe(0);
  });

  it('is sent unchanged with validation off', async () => {
    const service = await serve([
      problem(422, 'Validation failed', [{ propertyPath: 'data.provider', title: 'blank' }]),
    ]);
    const { client } = bench(service.origin, { validate: false });
    const body = { type: 'charge', data: { medium: 'ussd', provider: ' ' } };
    expect(await thrownBy(client.call('ugwo.charge', { ...INPUT, body }))).toMatchObject({
      kind: 'rejected',
      detail: { status: 422, violations: [{ propertyPath: 'data.provider', title: 'blank' }] },
    });
  });

  it.each(['', '.', '..'])('with the id %j is rejected, even with validation off', async (ugwoUid) => {
    const service = await serve([]);
    const { client } = bench(service.origin, { validate: false });
    expect(await thrownBy(client.call('ugwo.charge', { ...INPUT, params: { ugwoUid } }))).toMatchObject({
      kind: 'usage',
    });
  });

  it('in flight at the first signal is awaited', async () => {
    const { client, stop, debug, answer } = await held();
    const call = client.call('ugwo.charge', INPUT);
    const respond = await answer;
    stop.abort('SIGTERM');
    respond();
    expect((await call).value).toMatchObject({ uid: ACTIVITY.uid });
    expect(debug.join('\n')).toContain('Finishing requests in flight');
  });

  it('in flight at the second signal is unknown', async () => {
    const { client, stop, leave, answer } = await held();
    const call = thrownBy(client.call('ugwo.charge', INPUT));
    await answer;
    stop.abort('SIGINT');
    leave.abort('SIGINT');
    expect(await call).toMatchObject({ kind: 'unknown' });
  });
});

describe('a charge interrupted before sending', () => {
  it.each([
    ['in the TLS handshake', 'https'],
    ['before a proxy opens its tunnel', 'proxy'],
  ])('%s ends at once, and nothing was sent', async (_where, way) => {
    const mute = await serveMute();
    const origin = way === 'https' ? mute.origin.replace('http:', 'https:') : 'https://localhost:9';
    const { client, stop, waits, flight } = bench(origin, way === 'proxy' ? { env: { HTTPS_PROXY: mute.origin } } : {});
    const call = thrownBy(client.call('ugwo.charge', INPUT));
    await mute.connected;
    stop.abort('SIGTERM');
    expect(await call).toMatchObject({ kind: 'interrupted', detail: { exitCode: 143 } });
    expect([waits, flight]).toEqual([[], { open: 0, accepted: 0 }]);
  });

  it('between check and send is not sent', async () => {
    const service = await serve([]);
    const { client, stop } = bench(service.origin);
    const call = thrownBy(client.call('ugwo.charge', INPUT));
    stop.abort('SIGINT');
    expect(await call).toMatchObject({ kind: 'interrupted' });
    expect(service.seen).toEqual([]);
  });
});

describe('a charge without a connection in time', () => {
  it.each(['https', 'proxy'])('is not sent, limited by the timeout: %s', async (way) => {
    const mute = await serveMute();
    const origin = way === 'https' ? mute.origin.replace('http:', 'https:') : 'https://localhost:9';
    const env = way === 'proxy' ? { HTTPS_PROXY: mute.origin } : {};
    const { client } = bench(origin, { env, timeout: 200 });
    expect(await thrownBy(client.call('ugwo.charge', INPUT))).toMatchObject({
      kind: 'not_sent',
      message: expect.stringContaining('within 0.2 s'),
    });
  });
});

describe('the number of writes in flight', () => {
  it('is correct whatever the outcome of other writes', async () => {
    const { promise: both, resolve: arrive } = Promise.withResolvers<void>();
    const after: Answer = (...request) => void both.then(() => json(200, ACTIVITY)(...request));
    const last: Answer = (...request) => {
      arrive();
      after(...request);
    };
    const service = await serve([reset, problem(422, 'No'), after, last]);
    const { client, flight } = bench(service.origin);
    const call = () => client.call('ugwo.charge', INPUT).catch(() => undefined);
    await call();
    await call();
    const calls = [call(), call()];
    await both;
    expect(flight).toEqual({ open: 3, accepted: 0 });
    await Promise.all(calls);
    expect(flight).toEqual({ open: 1, accepted: 2 });
  });
});

/** Delays the answer; `answer` resolves with the function that sends it. */
const held = async () => {
  let arrived: (respond: () => void) => void = () => undefined;
  const answer = new Promise<() => void>((resolve) => {
    arrived = resolve;
  });
  const service = await serve([(seen, response, socket) => arrived(() => json(200, ACTIVITY)(seen, response, socket))]);
  return { ...bench(service.origin), answer };
};
