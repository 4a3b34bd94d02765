/** The Homebrew formula of the standalone programs. */

interface FormulaParts {
  readonly version: string;
  /** One line. */
  readonly summary: string;
  readonly homepage?: string | undefined;
  /** Address of the folder with the programs and the manual pages. */
  readonly from: string;
  /** SHA-256 of each file in that folder. */
  readonly sums: ReadonlyMap<string, string>;
}

/** Our systems and processors, by Homebrew's names. */
const SYSTEMS = { macos: 'darwin', linux: 'linux' };
const PROCESSORS = { arm: 'arm64', intel: 'x64' };

const MANUALS = 'paycli-man.tar.gz';

const text = (value: string): string => `"${value.replaceAll(/["\\#]/g, '\\$&')}"`;

const fileLines = ({ from, sums }: FormulaParts, name: string): string[] => {
  const sum = sums.get(name);
  if (sum === undefined) throw new Error(`${name} has no checksum: run npm run build:standalone`);
  return [`url ${text(`${from}/${name}`)}`, `sha256 ${text(sum)}`];
};

const indented = (lines: readonly string[]): string[] => lines.map((line) => (line === '' ? '' : `  ${line}`));

const block = (head: string, lines: readonly string[]): string[] => [head, ...indented(lines), 'end'];

const systemLines = (parts: FormulaParts): string[] =>
  Object.entries(SYSTEMS).flatMap(([system, ours]) => {
    const programs = Object.entries(PROCESSORS).flatMap(([processor, our]) =>
      block(`on_${processor} do`, fileLines(parts, `paycli-${ours}-${our}`)),
    );
    return [...block(`on_${system} do`, programs), ''];
  });

const INSTALL = [
  'program = Dir["paycli-*"].first',
  'chmod 0755, program',
  'bin.install program => "paycli"',
  'generate_completions_from_executable(bin/"paycli", "completion", shells: [:bash, :zsh, :fish])',
  'resource("manuals").stage { man1.install Dir["**/*.1"] }',
];

/** A formula that installs the program of the machine, its completion and the manual pages. */
export const formulaOf = (parts: FormulaParts): string =>
  `${block('class Paycli < Formula', [
    `desc ${text(parts.summary)}`,
    ...(parts.homepage === undefined ? [] : [`homepage ${text(parts.homepage)}`]),
    `version ${text(parts.version)}`,
    'license "MIT"',
    '',
    ...systemLines(parts),
    ...block('resource "manuals" do', fileLines(parts, MANUALS)),
    '',
    ...block('def install', INSTALL),
    '',
    ...block('test do', ['assert_equal version.to_s, shell_output("#{bin}/paycli --version").strip']),
  ]).join('\n')}\n`;
