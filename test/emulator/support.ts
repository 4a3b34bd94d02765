import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import type { Dialect } from '../../src/core/data-files.ts';
import { PayError } from '../../src/core/error.ts';
import type { Clock } from '../../src/core/io.ts';
import { emulatorRoom, type RunningEmulator } from '../../src/emulator/room.ts';

/** Friday noon, UTC. */
export const NOON = Date.UTC(2026, 10, 20, 12, 0, 0);

/** A clock that only moves when set. */
export interface TestClock extends Clock {
  set(ms: number): void;
}

export const clockAt = (start = NOON): TestClock => {
  let now = start;
  return {
    now: () => now,
    ticks: () => now,
    sleep: () => Promise.reject(new Error('the emulator has no reason to sleep')),
    set: (ms) => {
      now = ms;
    },
  };
};

/** A folder removed after the test. */
export const tempFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'paycli-emulator-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

export const tempFile = (): string => join(tempFolder(), 'emulator.sqlite');

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire is what the test is about
  readonly json: any;
}

export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array;
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Sends one raw request on its own connection. */
export const sendRaw = (origin: string, { method = 'GET', path, headers = {}, body }: Sent): Promise<Answer> => {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const outgoing = request(origin, { method, path, headers, agent: false }, (incoming) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('error', reject);
    incoming.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json: parsed(text) });
    });
  });
  outgoing.on('error', reject);
  outgoing.end(body);
  return promise;
};

export interface Emulator extends RunningEmulator {
  readonly file: string;
  readonly clock: TestClock;
  /** Sends key and content type like a normal client. */
  send(method: string, path: string, body?: unknown): Promise<Answer>;
}

export interface Setting {
  readonly file?: string;
  readonly clock?: TestClock;
  readonly customers?: number;
  readonly ugwo?: number;
  readonly dialect?: Dialect;
  readonly delivers?: boolean;
}

/** Starts an emulator with its own file; closed after the test. */
export const startEmulator = async (setting: Setting = {}): Promise<Emulator> => {
  const {
    file = tempFile(),
    clock = clockAt(),
    customers = 0,
    ugwo = 0,
    dialect = 'documented',
    delivers = false,
  } = setting;
  await emulatorRoom.seed({ file, clock, customers, ugwo });
  const running = await emulatorRoom.start({ file, port: 0, clock, dialect, delivers });
  onTestFinished(() => running.close());
  const headers = { authorization: `Bearer ${running.key}`, 'content-type': 'application/json' };
  return {
    ...running,
    file,
    clock,
    send: (method, path, body) =>
      sendRaw(running.origin, {
        method,
        path,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
  };
};

/** Opens a data file directly, to read or change it. */
export const inFile = <T>(file: string, use: (db: DatabaseSync) => T): T => {
  const db = new DatabaseSync(file);
  try {
    return use(db);
  } finally {
    db.close();
  }
};

/** Every activity in a data file, oldest first. */
export const activitiesIn = (file: string): { uid: string; ugwo: string; record: string }[] =>
  inFile(file, (db) =>
    db
      .prepare('SELECT uid, ugwo, record FROM activity ORDER BY seq')
      .all()
      .map((row) => ({ uid: String(row['uid']), ugwo: String(row['ugwo']), record: String(row['record']) })),
  );

/** The uids of the customers in a data file, oldest first. */
export const customersIn = (file: string): string[] =>
  inFile(file, (db) =>
    db
      .prepare('SELECT uid FROM onye ORDER BY seq')
      .all()
      .map((row) => String(row['uid'])),
  );

/** The property paths of a 422, which must match docs/service.md, Errors. */
export const violationsOf = (answer: Answer): string[] => {
  const { status, json } = answer;
  if (status !== 422 || json?.status !== 422 || typeof json.title !== 'string' || !Array.isArray(json.violations)) {
    throw new Error(`not a validation failure: ${status} ${answer.text}`);
  }
  return json.violations.map((violation: { propertyPath: unknown; title: unknown }) => {
    if (typeof violation.propertyPath !== 'string' || typeof violation.title !== 'string' || violation.title === '') {
      throw new Error(`not a violation: ${JSON.stringify(violation)}`);
    }
    return violation.propertyPath;
  });
};

/** The PayError that it throws. */
export const faultOf = async (running: Promise<unknown>): Promise<PayError> => {
  const thrown = await running.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof PayError)) throw new Error(`no PayError: ${thrown}`);
  return thrown;
};
