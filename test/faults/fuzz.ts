import '../support/schemas.ts';
import { TARGETS } from './fuzz/all.ts';
import type { Target } from './fuzz/target.ts';
import type { Part } from './part.ts';
import { seed } from './torture.ts';

const { PAYCLI_FUZZ_SECONDS: seconds, PAYCLI_FUZZ_ONLY: only, PAYCLI_FUZZ_PATH: path } = process.env;
/** The time for each target. */
const LIMIT_MS = { short: 2000, long: Number(seconds ?? 60) * 1000 } as const;

/** The command that reproduces a finding. */
const againBy = (name: string, find: string): string => {
  const at = /path: "([\d:]*)"/.exec(find)?.[1] ?? '';
  const env = `PAYCLI_TORTURE_SEED=${seed} PAYCLI_FUZZ_ONLY='${name}' PAYCLI_FUZZ_PATH=${at}`;
  return `${find}\nagain: ${env} npm run torture -- fuzz`;
};

const ranOn = ({ run }: Target, limit: number) =>
  run(path === undefined ? { seed, runs: Number.MAX_SAFE_INTEGER, limit } : { seed, runs: 1, path });

/** Text and bytes of any kind as input to every parser of foreign input, each for some time. */
export const fuzz: Part = async ({ short, say }) => {
  const failures: string[] = [];
  const figures = [];
  say(`fuzz: PAYCLI_TORTURE_SEED=${seed}`);
  for (const one of TARGETS.filter(({ name }) => only === undefined || only === name)) {
    const { name } = one;
    const { runs, find } = await ranOn(one, short ? LIMIT_MS.short : LIMIT_MS.long);
    if (find !== undefined) failures.push(againBy(name, find));
    figures.push({ name: `fuzz: ${name}, runs`, value: runs });
    say(`fuzz: ${name}: ${runs} runs${find === undefined ? '' : ', and a find'}`);
  }
  return { figures: [...figures, { name: 'fuzz: finds', value: failures.length }], failures };
};
