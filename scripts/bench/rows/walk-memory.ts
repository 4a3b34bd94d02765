import type { Compared, Line } from '../run/line.ts';
import { type Command, environment, NPM_BUILD, STANDALONE } from '../run/programs.ts';
import { during, startList } from '../run/services.ts';
import { missingStandalone } from '../run/tools.ts';
import { missingPeak, watch } from '../run/watched.ts';
import type { Bench, Scene } from './scene.ts';

const [FEW, MANY] = [10_000, 1_000_000];
/** Half a minute each, but for the table: its borders take some minutes. */
const FORMATS = ['ndjson', 'json', 'csv', 'tsv', 'table'] as const;
const RATIO = { bound: '≤', value: 1.25 } as const;
const PEAK = { bound: '≤', value: 150 } as const;

const peakOf = ({ folder }: Scene, command: Command, records: number): Promise<number> =>
  during(startList(records), async (origin) => {
    const { lines, peakMb } = await watch(command, { ...environment(folder), PAYCLI_BASE_URL: origin });
    if (lines < records) throw new Error(`${command.join(' ')} printed ${lines} lines of ${records}`);
    return peakMb;
  });

interface Walker {
  readonly name: string;
  readonly short: string;
  readonly command: Command;
  readonly missing: string | undefined;
}

const walkers = (): readonly Walker[] => [
  { name: 'Node', short: 'Node', command: NPM_BUILD, missing: missingPeak() },
  { name: 'standalone', short: 'standalone', command: STANDALONE, missing: missingPeak() ?? missingStandalone() },
];

const linesOf = async (scene: Scene, { name, short, command, missing }: Walker, format: string): Promise<Line[]> => {
  const work = `${name}, peak memory, walk of ${MANY.toLocaleString('en')} records as ${format}`;
  const ratio: Compared = {
    row: 6,
    name: `${short}, growth in ${format}`,
    work,
    against: `with ${FEW.toLocaleString('en')}`,
    goal: RATIO,
  };
  const peak: Compared = { row: 6, name: `${short}, peak in ${format}`, work, against: '', goal: PEAK };
  if (missing !== undefined) return [{ ...ratio, missing }];
  const words: Command = [...command, 'ugwo', 'list', '--all', '-o', format];
  const [few, many] = [await peakOf(scene, words, FEW), await peakOf(scene, words, MANY)];
  return [
    { ...ratio, value: many / few, seen: { many, few }, seenIn: 'MB' },
    { ...peak, value: many, unit: 'MB', seen: {}, seenIn: 'MB' },
  ];
};

/** Row 6: the most memory that a walk ever has. Every format with `long`. */
export const walkMemory: Bench = async (scene) => {
  const lines: Line[] = [];
  for (const walker of walkers()) {
    for (const format of scene.long ? FORMATS : FORMATS.slice(0, 1)) {
      lines.push(...(await linesOf(scene, walker, format)));
    }
  }
  return lines;
};
