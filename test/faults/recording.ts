import { basename, dirname } from 'node:path';
import type { DiskEvent, Inode } from './disk.ts';
import { bytesOf, type Call, streamsOf, targetOf, textsIn, worked } from './strace.ts';

/** The relevant events of a traced program, in order. */
export type Recorded =
  | { readonly kind: 'disk'; readonly event: DiskEvent }
  /** Bytes of a charge are written to the network. */
  | { readonly kind: 'sent'; readonly ugwo: string }
  /** A sender is told that its event is stored. */
  | { readonly kind: 'acknowledged'; readonly uid: string }
  /** The program has reported the outcome of a charge. */
  | { readonly kind: 'said'; readonly activity: string };

/** Unknown calls that change a file would make the model wrong. */
const HARMLESS = new Set(
  `access faccessat2 stat lstat fstat newfstatat statx pread64 read close fcntl getdents64 fchown fchmod mmap munmap lseek
  readlink ioctl getcwd chdir execve openat mkdir`.split(/\s+/),
);

const numberOf = (arg = ''): number => Number.parseInt(arg, 10);

/**
 * Converts calls into their effects on the folder `root`, which exists from the beginning; all names are below it.
 */
export class Recorder {
  readonly recorded: Recorded[] = [];
  readonly root: Inode = 0;
  readonly #folder: string;
  #last: Inode = 0;
  readonly #inodes = new Map<string, Inode>();
  #stdout: ReadonlySet<string> = new Set();

  constructor(folder: string) {
    this.#folder = folder;
    this.#inodes.set(folder, this.root);
  }

  take(calls: readonly Call[]): void {
    this.#stdout = streamsOf(calls, [1]);
    for (const call of calls) this.#one(call);
  }

  /** The file with a name that still exists. */
  inodeOf(path: string): Inode | undefined {
    return this.#inodes.get(path);
  }

  #isInside(path: string): boolean {
    return path === this.#folder || path.startsWith(`${this.#folder}/`);
  }

  #paths({ args }: Call): string[] {
    return args
      .filter((arg) => arg.startsWith('"') && arg.endsWith('"'))
      .map((arg) => bytesOf(arg).toString())
      .filter((path) => this.#isInside(path));
  }

  #inode(path: string): Inode {
    const inode = this.#inodes.get(path);
    if (inode === undefined) throw new Error(`${path} was never made`);
    return inode;
  }

  #disk(event: DiskEvent): void {
    this.recorded.push({ kind: 'disk', event });
  }

  #name(path: string, inode: Inode, isFolder: boolean): void {
    this.#inodes.set(path, inode);
    this.#disk({ kind: 'name', folder: this.#inode(dirname(path)), name: basename(path), inode, isFolder });
  }

  #one(call: Call): void {
    const target = targetOf(call.args[0] ?? '');
    if (target?.startsWith('socket:') === true && /^(write|writev|sendto|sendmsg)$/.test(call.name)) this.#talk(call);
    else if (target?.startsWith('pipe:') === true && /^(write|writev|pwritev2)$/.test(call.name)) this.#talk(call);
    else if (target !== undefined && this.#isInside(target)) this.#byDescriptor(call, target);
    else this.#byPath(call);
  }

  /** A request to the service, or a line on stdout. */
  #talk(call: Call): void {
    const text = call.args.slice(1).map(textsIn).join('');
    const [, ugwo] = /^POST \/v1\/ugwo\/([^/]+)\/activities /.exec(text) ?? [];
    if (ugwo !== undefined) this.recorded.push({ kind: 'sent', ugwo });
    const [, kept] = /^HTTP\/1\.1 200 [\s\S]*\r\nstored (evt\.\S+)\n$/.exec(text) ?? [];
    if (kept !== undefined) this.recorded.push({ kind: 'acknowledged', uid: kept });
    if (!this.#stdout.has(targetOf(call.args[0] ?? '') ?? '')) return;
    for (const [activity] of text.matchAll(/act\.AbCd\.\w{24}/g)) this.recorded.push({ kind: 'said', activity });
  }

  #byDescriptor(call: Call, path: string): void {
    const { name, args } = call;
    if (!worked(call)) return;
    if (name === 'pwrite64') {
      const bytes = bytesOf(args[1] ?? '').subarray(0, numberOf(call.result));
      this.#disk({ kind: 'write', inode: this.#inode(path), offset: numberOf(args[3]), bytes });
    } else if (name === 'ftruncate') {
      this.#disk({ kind: 'truncate', inode: this.#inode(path), length: numberOf(args[1]) });
    } else if (name === 'fsync' || name === 'fdatasync') this.#disk({ kind: 'sync', inode: this.#inode(path) });
    else if (!HARMLESS.has(name)) throw new Error(`the model does not know ${name}(${args.join(', ').slice(0, 200)})`);
  }

  #byPath(call: Call): void {
    const [path, second] = this.#paths(call);
    if (path === undefined || !worked(call)) return;
    const { name, args } = call;
    if (name === 'openat') this.#open(path, args[2] ?? '');
    else if (name === 'mkdir') this.#name(path, ++this.#last, true);
    else if (name === 'unlink') {
      this.#disk({ kind: 'unname', folder: this.#inode(dirname(path)), name: basename(path) });
      this.#inodes.delete(path);
    } else if (name === 'link' && second !== undefined) this.#name(second, this.#inode(path), false);
    else if (name === 'rename' && second !== undefined && dirname(path) === dirname(second)) {
      const folder = this.#inode(dirname(path));
      this.#disk({ kind: 'rename', folder, from: basename(path), to: basename(second) });
      this.#inodes.set(second, this.#inode(path));
      this.#inodes.delete(path);
    } else if (!HARMLESS.has(name)) throw new Error(`the model does not know ${name}(${path})`);
  }

  #open(path: string, flags: string): void {
    const known = this.#inodes.get(path);
    if (known === undefined && !flags.includes('O_CREAT')) throw new Error(`${path} was opened, and never made`);
    if (known === undefined) this.#name(path, ++this.#last, false);
    else if (flags.includes('O_TRUNC')) this.#disk({ kind: 'truncate', inode: known, length: 0 });
  }
}
