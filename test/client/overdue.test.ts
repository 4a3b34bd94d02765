import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveGate } from '../support/gate.ts';
import { ACTIVITY, UGWO_ID } from '../support/service.ts';
import { serveProxy, serveTls } from '../support/tls.ts';
import { answerText, serveWire } from '../support/wire.ts';
import { bench, thrownBy } from './support.ts';

const CHARGE = { params: { ugwoUid: UGWO_ID }, body: { type: 'charge', data: { medium: 'bank_transfer' } } };
const TOO_LATE = {
  kind: 'not_sent',
  message: 'nothing was applied: the last check was too old before it could be sent',
};
const ANSWERS = { asked: (socket: Socket) => void socket.write(answerText(200, ACTIVITY)) };

/** Reports each connection to which undici is about to write. */
const onHandOver = (told: (socket: Socket) => void): void => {
  const listener = (message: unknown): void => told((message as { socket: Socket }).socket);
  subscribe('undici:client:sendHeaders', listener);
  onTestFinished(() => void unsubscribe('undici:client:sendHeaders', listener));
};

describe('a charge that becomes overdue while connecting', () => {
  it('sends no byte', async () => {
    const service = await serveWire(ANSWERS);
    const { client, flight, waits } = bench(service.origin);
    const questions = [false, true];
    const isOverdue = (): boolean => questions.shift() ?? false;
    expect(await thrownBy(client.call('ugwo.charge', { ...CHARGE, isOverdue }))).toMatchObject(TOO_LATE);
    await service.closed;
    expect([service.received, questions, waits, flight]).toEqual([[''], [], [], { open: 0, accepted: 0 }]);
  });

  it.each(['straight', 'through a proxy'])('sends nothing over TLS: %s', async (way) => {
    const service = await serveTls('self-signed', JSON.stringify(ACTIVITY));
    const gate = await serveGate(service.origin);
    let late = false;
    void gate.reached.then(() => {
      late = true;
      return gate.open();
    });
    const proxy = way === 'straight' ? {} : { HTTPS_PROXY: (await serveProxy()).url };
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0', ...proxy };
    const { client, flight } = bench(`https://localhost:${gate.port}`, { env });
    expect(await thrownBy(client.call('ugwo.charge', { ...CHARGE, isOverdue: () => late }))).toMatchObject(TOO_LATE);
    expect([service.requests, flight]).toEqual([[], { open: 0, accepted: 0 }]);
  });
});

describe('the overdue check', () => {
  it('runs before connecting and again once connected', async () => {
    const service = await serveWire(ANSWERS);
    const { client } = bench(service.origin);
    const connections: number[] = [];
    const isOverdue = (): boolean => connections.push(service.received.length) > 2;
    await client.call('ugwo.charge', { ...CHARGE, isOverdue });
    expect(connections).toHaveLength(2);
    expect(connections[0]).toBe(0);
  });

  it('runs in the same tick in which the request is written', async () => {
    const service = await serveWire(ANSWERS);
    const { client } = bench(service.origin);
    const given: unknown[] = [];
    let connection: Socket | undefined;
    onHandOver((socket) => {
      connection = socket;
    });
    const isOverdue = (): boolean => {
      // Runs before any other event or timer.
      process.nextTick(() => given.push([connection?.bytesWritten, connection?.writableLength]));
      return false;
    };
    await client.call('ugwo.charge', { ...CHARGE, isOverdue });
    expect(given).toEqual([
      [undefined, undefined],
      [service.received[0]?.length, 0],
    ]);
  });
});
