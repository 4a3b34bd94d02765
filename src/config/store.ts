import { join } from 'node:path';
import { PROFILE_FILE_VERSION, type ProfileFile, profileFileFault } from '../contract/profile-file.ts';
import { PayError, reasonOf } from '../core/error.ts';
import type { Redactor } from '../core/secret.ts';
import { Conf } from './conf.ts';
import type { Machine } from './machine.ts';
import { isPrivateFileThere, makePrivateFolder, stateOfFolder } from './private-file.ts';

/** The one file of profiles: read anew each time, written as a whole. */
export interface ProfileStore {
  /** Undefined when there is no file yet. Throws for an unsafe file, and for one that this version can't read. */
  read(): ProfileFile | undefined;
  /** Throws when the state of the folder would make `write` fail; changes nothing. */
  checkFolder(): void;
  /** Replaces the file, or creates it. */
  write(next: ProfileFile): void;
}

/**
 * Advice for a failed write, by the system's error code: the file is replaced as a whole, which is impossible for a
 * mounted one.
 */
const ADVICE: Readonly<Record<string, string>> = {
  EBUSY: 'the file is mounted by itself, so it can not be replaced: mount its folder instead',
  EROFS:
    'its file system is read-only: mount the folder so that it can be written, or set PAYCLI_SECRET_KEY and PAYCLI_BASE_URL',
};

const unreadable = (file: string, why: string): PayError =>
  new PayError('auth', `${file} ${why}; it was left as it is`, {
    hint: 'fix it or move it away, then run `paycli login`',
  });

// A parser's message would quote the file, keys included, so it is neither passed on nor stored as a cause.
const parse = (file: string, load: () => Record<string, unknown>): Record<string, unknown> => {
  try {
    return load();
  } catch (thrown) {
    if (thrown instanceof SyntaxError) throw unreadable(file, 'is damaged: it is not valid JSON');
    throw unreadable(file, `could not be read: ${reasonOf(thrown)}`);
  }
};

const checkShape = (file: string, content: Record<string, unknown>): ProfileFile => {
  const { version } = content;
  if (typeof version === 'number' && version > PROFILE_FILE_VERSION) {
    throw new PayError('auth', `${file} was written by a newer paycli (version ${version}); it was left as it is`, {
      hint: 'update paycli, or set PAYCLI_HOME to another folder for this version',
    });
  }
  const fault = profileFileFault(content);
  if (fault === undefined) return content as ProfileFile;
  throw unreadable(file, `is not a profile file: ${fault}`);
};

/** The store in `folder`. Neither opening nor reading it creates a file or a folder. */
export const openStore = (folder: string, machine: Machine, redactor: Redactor): ProfileStore => {
  const file = join(folder, 'config.json');
  // Never opened before the checks: conf reads any file there, and creates a missing folder.
  const where = { cwd: folder, configName: 'config', accessPropertiesByDotNotation: false } as const;
  return {
    read() {
      if (!isPrivateFileThere(folder, file, machine)) return undefined;
      const content = checkShape(
        file,
        parse(file, () => new Conf(where).store),
      );
      for (const { key } of Object.values(content.profiles)) if (key !== undefined) redactor.add(key);
      return content;
    },
    checkFolder() {
      stateOfFolder(folder, machine);
    },
    write(next) {
      makePrivateFolder(folder, machine);
      isPrivateFileThere(folder, file, machine);
      try {
        new Conf({ ...where, configFileMode: 0o600 }).store = next;
      } catch (thrown) {
        throw new PayError('auth', `${file} could not be written: ${reasonOf(thrown)}`, {
          hint: `nothing was changed; ${ADVICE[(thrown as NodeJS.ErrnoException).code ?? ''] ?? 'free some space or fix the permissions of its folder'}`,
        });
      }
    },
  };
};
