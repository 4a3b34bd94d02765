/*
 * A model of a disk that loses power. It guarantees what POSIX guarantees, and nothing that a file system adds:
 *
 * - A file's bytes and its length are kept as of its last fsync or fdatasync. Of the later writes and truncations any may
 *   be missing, in any order; a write may also be torn: any of its 512-byte sectors may be missing.
 * - A name is kept as of the last fsync of its folder. Of the later creations, links, renames and removals any may be
 *   missing, each on its own; a rename is atomic. A file's own fsync says nothing about its name.
 * - Mapped memory is lost.
 */

/** A file or a folder, whatever its names. */
export type Inode = number;

/** A change of the disk by the program. */
export type DiskEvent =
  | { readonly kind: 'write'; readonly inode: Inode; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly inode: Inode; readonly length: number }
  | { readonly kind: 'sync'; readonly inode: Inode }
  | {
      readonly kind: 'name';
      readonly folder: Inode;
      readonly name: string;
      readonly inode: Inode;
      readonly isFolder: boolean;
    }
  | { readonly kind: 'unname'; readonly folder: Inode; readonly name: string }
  | { readonly kind: 'rename'; readonly folder: Inode; readonly from: string; readonly to: string };

/** Decides for each unsynced change, and for each sector of a write, whether it reached the disk. */
export interface Fate {
  readonly change: () => boolean;
  readonly sector: () => boolean;
}

type FileChange = Extract<DiskEvent, { kind: 'write' | 'truncate' }>;
type NameChange = Extract<DiskEvent, { kind: 'name' | 'unname' | 'rename' }>;

const SECTOR = 512;

const resized = (bytes: Buffer, length: number): Buffer =>
  length <= bytes.length
    ? Buffer.from(bytes.subarray(0, length))
    : Buffer.concat([bytes, Buffer.alloc(length - bytes.length)]);

/** The parts of a write in each sector; sector borders are fixed on the disk, not relative to the write. */
const sectorsOf = (offset: number, length: number): { readonly from: number; readonly to: number }[] => {
  const parts = [];
  for (let from = 0; from < length; ) {
    const to = Math.min(length, from + SECTOR - ((offset + from) % SECTOR));
    parts.push({ from, to });
    from = to;
  }
  return parts;
};

const WHOLE: Fate = { change: () => true, sector: () => true };

/** The bytes after a change; they may be changed in place. */
const changed = (bytes: Buffer, change: FileChange, fate: Fate): Buffer => {
  if (change.kind === 'truncate') return resized(bytes, change.length);
  const { offset, bytes: added } = change;
  const parts = sectorsOf(offset, added.length).filter(() => fate.sector());
  const end = offset + (parts.at(-1)?.to ?? 0);
  const result = parts.length > 0 && end > bytes.length ? resized(bytes, end) : bytes;
  for (const { from, to } of parts) added.copy(result, offset + from, from, to);
  return result;
};

const renamed = (names: Map<string, Inode>, change: NameChange): void => {
  if (change.kind === 'name') names.set(change.name, change.inode);
  else if (change.kind === 'unname') names.delete(change.name);
  else {
    const inode = names.get(change.from);
    if (inode === undefined) return;
    names.delete(change.from);
    names.set(change.to, inode);
  }
};

/** A file by its path below the root, or a folder if there are no bytes. */
export interface Remains {
  readonly path: string;
  readonly bytes: Buffer | undefined;
}

/** The disk at one moment: its durable content and its pending changes. */
export class Disk {
  readonly #bytes = new Map<Inode, Buffer>();
  readonly #names = new Map<Inode, Map<string, Inode>>();
  readonly #fileChanges = new Map<Inode, FileChange[]>();
  readonly #nameChanges = new Map<Inode, NameChange[]>();
  readonly #root: Inode;

  constructor(root: Inode) {
    this.#root = root;
    this.#names.set(root, new Map());
  }

  apply(event: DiskEvent): void {
    switch (event.kind) {
      case 'write':
      case 'truncate':
        this.#fileChanges.set(event.inode, [...(this.#fileChanges.get(event.inode) ?? []), event]);
        return;
      case 'sync':
        this.#sync(event.inode);
        return;
      case 'name':
        if (event.isFolder) this.#names.set(event.inode, this.#names.get(event.inode) ?? new Map());
        this.#changeName(event);
        return;
      default:
        this.#changeName(event);
    }
  }

  /** The number of changes that are not durable. */
  pending(): number {
    return [...this.#fileChanges.values(), ...this.#nameChanges.values()].reduce((sum, list) => sum + list.length, 0);
  }

  /** The files found after a power loss at this moment. */
  crash(fate: Fate): Remains[] {
    return this.#remains(this.#root, '', fate);
  }

  #changeName(change: NameChange): void {
    this.#nameChanges.set(change.folder, [...(this.#nameChanges.get(change.folder) ?? []), change]);
  }

  #sync(inode: Inode): void {
    const names = this.#names.get(inode);
    if (names === undefined) this.#bytes.set(inode, this.#bytesOf(inode, WHOLE));
    else this.#names.set(inode, this.#namesOf(inode, WHOLE));
    this.#fileChanges.delete(inode);
    this.#nameChanges.delete(inode);
  }

  #bytesOf(inode: Inode, fate: Fate): Buffer {
    const changes = (this.#fileChanges.get(inode) ?? []).filter(() => fate.change());
    let bytes: Buffer = Buffer.from(this.#bytes.get(inode) ?? []);
    for (const change of changes) bytes = changed(bytes, change, fate);
    return bytes;
  }

  #namesOf(folder: Inode, fate: Fate): Map<string, Inode> {
    const names = new Map(this.#names.get(folder));
    for (const change of this.#nameChanges.get(folder) ?? []) if (fate.change()) renamed(names, change);
    return names;
  }

  #remains(folder: Inode, prefix: string, fate: Fate): Remains[] {
    return [...this.#namesOf(folder, fate)].flatMap(([name, inode]) => {
      const path = `${prefix}${name}`;
      if (!this.#names.has(inode)) return [{ path, bytes: this.#bytesOf(inode, fate) }];
      return [{ path, bytes: undefined }, ...this.#remains(inode, `${path}/`, fate)];
    });
  }
}
