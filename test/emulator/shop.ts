import { emulatorRoom } from '../../src/emulator/room.ts';
import { type Answer, type Emulator, inFile, type Setting, startEmulator } from './support.ts';

/** A shop with its own emulator that creates customers and payment requests and pays them. */
export interface Shop extends Emulator {
  post(path: string, body: unknown): Promise<Answer>;
  /** A new payment request with this metadata.emulate. */
  request(scripted?: string, more?: Readonly<Record<string, unknown>>): Promise<Answer['json']>;
  charge(ugwo: string, data?: unknown): Promise<Answer>;
  /** A new paid payment request and its activity. */
  paid(scripted?: string, data?: unknown): Promise<{ readonly ugwo: string; readonly activity: string }>;
  read(ugwo: string): Promise<Answer['json']>;
  /** Advances the clock by seconds. */
  pass(seconds: number): void;
}

const USSD = { medium: 'ussd', provider: 'gtb' };
export const TRANSFER = { medium: 'bank_transfer' };

export const openShop = async (setting: Setting = {}): Promise<Shop> => {
  const emulator = await startEmulator(setting);
  const { send, clock } = emulator;
  const post: Shop['post'] = (path, body) => send('POST', path, body);
  const request: Shop['request'] = async (scripted, more = {}) => {
    const metadata = scripted === undefined ? {} : { emulate: scripted };
    return (await post('/v1/ugwo', { amount: 500_000, currency: 'NGN', metadata, ...more })).json;
  };
  const charge: Shop['charge'] = (ugwo, data = USSD) => post(`/v1/ugwo/${ugwo}/activities`, { type: 'charge', data });
  return {
    ...emulator,
    post,
    request,
    charge,
    paid: async (scripted, data) => {
      const { uid: ugwo } = await request(scripted);
      const { uid: activity } = (await charge(ugwo, data)).json;
      await emulatorRoom.settle({ ...emulator, activity, as: 'successful', after: undefined });
      return { ugwo, activity };
    },
    read: async (ugwo) => (await send('GET', `/v1/ugwo/${ugwo}`)).json,
    pass: (seconds) => clock.set(clock.now() + seconds * 1000),
  };
};

/** The number of rows in a table of a data file. */
export const countIn = (file: string, table: 'onye' | 'ugwo' | 'refund'): number =>
  inFile(file, (db) => Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n']));
