import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Machine, realMachine } from '../../src/config/machine.ts';
import { openProfiles, type ProfileRoom } from '../../src/config/profiles.ts';
import { PayError } from '../../src/core/error.ts';
import type { Env, Io } from '../../src/core/io.ts';
import { Redactor } from '../../src/core/secret.ts';

/** A secret key of the right shape; `mark` distinguishes keys. */
export const keyOf = (mark: string): string => `sk.Test.${mark.padEnd(80, 'x')}`;
export const KEY = keyOf('canary');
const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);

/** A folder that is deleted after the test. */
export const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'paycli-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

export interface Said {
  readonly prompts: { readonly text: string; readonly hidden: boolean }[];
}

export interface Terminal {
  /** The typed lines; without them there is no terminal. */
  readonly lines?: readonly string[];
  /** The content of stdin if there is no terminal. */
  readonly stdin?: string;
  readonly stop?: AbortSignal;
}

const never = new AbortController().signal;

/** An Io without real streams, clock or environment. */
export const fakeIo = (env: Env = {}, { lines, stdin = '', stop = never }: Terminal = {}): { io: Io; said: Said } => {
  const said: Said = { prompts: [] };
  const waiting = [...(lines ?? [])];
  const silent = {
    isTerminal: false,
    columns: 80,
    closed: false,
    write: () => Promise.resolve(),
    copy: async () => false,
    drawn: () => undefined,
  };
  const io: Io = {
    env,
    stdout: silent,
    stderr: silent,
    stdin: {
      isTerminal: lines !== undefined,
      text: (limit) => Promise.resolve(stdin.slice(0, limit)),
      bytes: () => {
        throw new Error('nothing here reads a file of rows');
      },
      line: (text, { hidden }) => {
        said.prompts.push({ text, hidden });
        return Promise.resolve(waiting.shift());
      },
    },
    clock: { now: () => NOW, ticks: () => NOW, sleep: () => Promise.reject(new Error('nothing here sleeps')) },
    random: () => 0.5,
    signals: { stop, leave: never },
    redactor: new Redactor(),
    flight: { open: 0, accepted: 0 },
  };
  return { io, said };
};

export interface Room {
  readonly room: ProfileRoom;
  readonly folder: string;
  readonly file: string;
  readonly io: Io;
}

export interface RoomOptions extends Terminal {
  readonly folder?: string;
  readonly env?: Env;
  readonly machine?: Partial<Machine>;
}

/** Real profiles in a folder that does not exist yet. */
export const openRoom = (options: RoomOptions = {}): Room => {
  const folder = options.folder ?? join(newFolder(), 'home');
  const { io } = fakeIo(options.env, options);
  const room = openProfiles(io, { config: folder, data: folder }, { ...realMachine, ...options.machine });
  return { room, folder, file: join(folder, 'config.json'), io };
};

export const PIN = 'https://api.pinned.example';

/** A folder with stored profiles; the first one is the default. */
export const folderWith = (...profiles: readonly { name: string; origin?: string; key?: string }[]): string => {
  const { room, folder } = openRoom();
  for (const { name, origin = PIN, key = KEY } of profiles) room.save({ name, origin, secret: { key } });
  return folder;
};

export const contentOf = (file: string): Record<string, unknown> => JSON.parse(readFileSync(file, 'utf8'));

/** Writes a shell script. */
export const script = (path: string, body: string): string => {
  writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  return path;
};

/** The PayError that `work` throws; anything else fails the test. */
export const errorOf = async (work: () => unknown): Promise<PayError> => {
  try {
    await work();
  } catch (thrown) {
    if (thrown instanceof PayError) return thrown;
    throw thrown;
  }
  throw new Error('it did not fail');
};

/** All text of an error that could reach a user, a log or a crash report. */
export const wordsOf = (error: PayError): string =>
  [error.kind, error.message, error.stack, JSON.stringify(error.detail), String(error.cause)].join('\n');

export const bytesOf = (file: string): string | undefined =>
  existsSync(file) ? readFileSync(file, 'latin1') : undefined;
