import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PayError, reasonOf } from '../../core/error.ts';
import { InputError } from './fault.ts';

/** A file that nobody else can open and that loses its name at once, so that no end of the program leaves it behind. */
const makeNameless = async (folder: string): Promise<FileHandle> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `input-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await rm(path);
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
  return file;
};

/** What is an error of ours, such as an interruption while it was read, stays what it is. */
const notKept = (name: string, folder: string, thrown: unknown): PayError =>
  thrown instanceof PayError
    ? thrown
    : new InputError(
        `couldn't copy ${name} to ${folder}: ${reasonOf(thrown)}`,
        'free some space there; nothing was sent',
      );

/** A private copy, and the digest of all its bytes: SHA-256, hex. */
export interface Spooled {
  readonly file: FileHandle;
  readonly digest: string;
}

/** Copies the input for as long as the copy stays open, so that what was read and approved is what is sent. */
export const spool = async (bytes: AsyncIterable<Uint8Array>, name: string, folder: string): Promise<Spooled> => {
  const failed = (thrown: unknown): never => {
    throw notKept(name, folder, thrown);
  };
  const file = await makeNameless(folder).catch(failed);
  const hash = createHash('sha256');
  try {
    for await (const chunk of bytes) {
      hash.update(chunk);
      await file.appendFile(chunk);
    }
  } catch (thrown) {
    await file.close();
    failed(thrown);
  }
  return { file, digest: hash.digest('hex') };
};
