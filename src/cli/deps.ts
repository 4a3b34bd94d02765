import type { Client } from '../client/client.ts';
import type { Folders } from '../config/folders.ts';
import type { ProfileRoom } from '../config/profiles.ts';
import type { EmulatorRoom } from '../emulator/room.ts';
import type { Globals } from './globals.ts';
import type { Io } from './io.ts';

/** What a command may reach, each room loaded when it is first asked for. */
export interface Deps {
  readonly io: Io;
  readonly globals: Globals;
  /** The client for the profile, origin and key that this run means. `write` shows on a terminal where it will write. */
  client(purpose: 'read' | 'write'): Promise<Client>;
  profiles(): Promise<ProfileRoom>;
  folders(): Promise<Folders>;
  emulator(): Promise<EmulatorRoom>;
  /** A line on stderr for people, not shown with --quiet. */
  notice(text: string): Promise<void>;
}
