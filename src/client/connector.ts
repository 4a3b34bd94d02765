import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { withoutInterim } from './interim.ts';

type Connector = buildConnector.connector;

/** Why nothing may be sent over a connection that nothing was sent over yet. */
const faultOf = (socket: Socket): string | undefined => {
  if (socket.readableLength > 0) return 'the service answered before it was asked';
  return socket.destroyed || socket.readableEnded ? 'the connection was closed before anything was sent' : undefined;
};

/**
 * A connection is handed over once it has been silent for a whole turn of the event loop: an answer that is there before the
 * request is none, and must not be taken for one. Until then nothing is sent, and what breaks is proven not sent.
 */
export const silentFirst =
  (connect: Connector, maxHeadBytes: number): Connector =>
  (options, done) =>
    connect(options, (error, socket) => {
      if (error !== null) return done(error, null);
      const handOver = (): void => {
        const fault = faultOf(socket);
        if (fault === undefined) {
          done(null, withoutInterim(socket, maxHeadBytes));
        } else {
          socket.destroy();
          done(new Error(fault), null);
        }
      };
      // The first one comes in this turn, before what has arrived is read.
      setImmediate(() => setImmediate(handOver));
    });
