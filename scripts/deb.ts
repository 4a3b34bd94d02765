/** Debian packages of the standalone programs: an `ar` archive of two tar archives. Every machine creates the same bytes. */
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { scriptFor } from '../src/commands/completion/scripts-shared.ts';
import { gzip, tarOf } from './tar.ts';

/** Debian's names of the systems with a package, by ours. */
export const ARCHITECTURES: Readonly<Record<string, string>> = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' };

interface DebParts {
  readonly version: string;
  /** One line. */
  readonly summary: string;
  readonly architecture: string;
  readonly program: Buffer;
  /** Pages by path, such as `man/man1/paycli.1`. */
  readonly manuals: ReadonlyMap<string, string>;
  readonly changelog: string;
  readonly copyright: string;
}

const PROGRAM = './usr/bin/paycli';

/** Every file that is installed, in the folders of the system. */
const filesOf = ({ program, manuals, changelog, copyright }: DebParts): ReadonlyMap<string, string | Buffer> =>
  new Map<string, string | Buffer>([
    [PROGRAM, program],
    ['./usr/share/bash-completion/completions/paycli', scriptFor('bash')],
    ['./usr/share/doc/paycli/changelog.gz', gzip(changelog)],
    ['./usr/share/doc/paycli/copyright', copyright],
    ['./usr/share/fish/vendor_completions.d/paycli.fish', scriptFor('fish')],
    ...[...manuals].map(([path, page]) => [`./usr/share/${path}.gz`, gzip(page)] as const),
    ['./usr/share/zsh/vendor-completions/_paycli', scriptFor('zsh')],
  ]);

const parentsOf = (path: string): string[] => (path === '.' ? ['./'] : [...parentsOf(dirname(path)), `${path}/`]);

/** The same files, each after its folders. */
const withFolders = (files: ReadonlyMap<string, string | Buffer>): ReadonlyMap<string, string | Buffer> => {
  const folders = [...files.keys()].flatMap((path) => parentsOf(dirname(path)));
  const all = [...folders.map((folder) => [folder, ''] as const), ...files];
  return new Map(all.toSorted(([one], [other]) => (one < other ? -1 : 1)));
};

/** A preview sorts before its release, for which Debian has the tilde. */
const versionOf = (version: string): string => version.replace('-', '~');

const controlOf = (parts: DebParts, files: ReadonlyMap<string, string | Buffer>): string => {
  const bytes = [...files.values()].reduce((sum, content) => sum + Buffer.byteLength(content), 0);
  return [
    'Package: paycli',
    `Version: ${versionOf(parts.version)}`,
    `Architecture: ${parts.architecture}`,
    'Maintainer: The paycli authors',
    `Installed-Size: ${Math.ceil(bytes / 1024)}`,
    'Depends: libc6 (>= 2.17)',
    'Section: utils',
    'Priority: optional',
    `Description: ${parts.summary}`,
    '',
  ].join('\n');
};

const sumsOf = (files: ReadonlyMap<string, string | Buffer>): string =>
  [...files]
    .map(([path, content]) => `${createHash('md5').update(content).digest('hex')}  ${path.slice(2)}\n`)
    .join('');

/** A member of an `ar` archive. */
const member = (name: string, bytes: Buffer): Buffer[] => {
  const head = [name.padEnd(16), '0'.padEnd(12), '0'.padEnd(6), '0'.padEnd(6), '100644'.padEnd(8)].join('');
  const padding = bytes.byteLength % 2 === 0 ? '' : '\n';
  return [Buffer.from(`${head}${String(bytes.byteLength).padEnd(10)}\`\n`), bytes, Buffer.from(padding)];
};

/** File name of a package, as Debian writes it. */
export const debName = ({ version, architecture }: Pick<DebParts, 'version' | 'architecture'>): string =>
  `paycli_${versionOf(version)}_${architecture}.deb`;

/** A Debian package. It runs nothing when it is installed or removed. */
export const debOf = (parts: DebParts): Buffer => {
  const files = filesOf(parts);
  const control = new Map([
    ['./', ''],
    ['./control', controlOf(parts, files)],
    ['./md5sums', sumsOf(files)],
  ]);
  return Buffer.concat([
    Buffer.from('!<arch>\n'),
    ...member('debian-binary', Buffer.from('2.0\n')),
    ...member('control.tar.gz', tarOf(control)),
    ...member('data.tar.gz', tarOf(withFolders(files), PROGRAM)),
  ]);
};
