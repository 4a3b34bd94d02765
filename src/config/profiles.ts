import type { Globals } from '../cli/globals.ts';
import type { Io } from '../cli/io.ts';
import type { Folders } from './folders.ts';

/** Where requests go and with which key: the answer to "who am I" for one run. */
export interface Target {
  readonly origin: string;
  readonly key: string;
  /** The profile's name; undefined when origin and key came from the environment. */
  readonly profile: string | undefined;
  readonly keySource: 'environment' | 'profile' | 'command';
}

/** What may be shown of a profile. */
export interface ProfileSummary {
  readonly name: string;
  readonly default: boolean;
  readonly origin: string;
  readonly environment: string;
  /** `…abcd` for a stored key, `command` for a helper. */
  readonly key: string;
  readonly created_at: string;
}

export interface NewProfile {
  readonly name: string;
  readonly origin: string;
  readonly secret: { readonly key: string } | { readonly command: readonly string[] };
}

/** The profiles of one config folder. Every failure is a PayError of kind `auth`. */
export interface ProfileRoom {
  /** Origin and key by cli.md's precedence: flag, then environment, then the default profile. Never the emulator. */
  target(globals: Pick<Globals, 'profile' | 'baseUrl'>): Promise<Target>;
  /** The origin alone, for --dry-run: needs no key. */
  origin(globals: Pick<Globals, 'profile' | 'baseUrl'>): Promise<string>;
  list(): readonly ProfileSummary[];
  show(name: string | undefined): ProfileSummary;
  save(profile: NewProfile): ProfileSummary;
  use(name: string): ProfileSummary;
  remove(name: string): ProfileSummary;
  /** Runs a key command and gives its key, checked; for login, before it is stored. */
  runKeyCommand(command: readonly string[]): Promise<string>;
}

export type OpenProfiles = (io: Io, folders: Folders) => ProfileRoom;
