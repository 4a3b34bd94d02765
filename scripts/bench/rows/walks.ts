import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { linesInFile } from '../run/lines.ts';
import {
  BARE_WALK,
  type Command,
  CURL_WALK,
  type Environment,
  environment,
  loopEnvironment,
  NPM_BUILD,
  run,
  STANDALONE,
} from '../run/programs.ts';
import { race } from '../run/race.ts';
import { during, startList } from '../run/services.ts';
import { missingStandalone, missingTools } from '../run/tools.ts';
import { type Bench, type Scene, unless } from './scene.ts';

const RECORDS = 100_000;
/** The loop of row 4 takes a minute or more, and is slower by so much that a few per cent tell nothing. */
const CURL_ROUNDS = 2;
const ROUNDS = 7;

const LIST = ['ugwo', 'list', '--all', '-o', 'ndjson'];
const WORK = `walk of ${RECORDS.toLocaleString('en')} records`;
const ON_NODE = `Node, ${WORK}`;
const ALONE = `standalone, ${WORK}`;

/** A walk whose records go into a file, all of them. */
const intoFile =
  ({ folder }: Scene, command: Command, env: Environment) =>
  (): number => {
    const path = join(folder, 'walk.ndjson');
    const file = openSync(path, 'w');
    const { ms } = run(command, env, file);
    closeSync(file);
    const lines = linesInFile(path);
    if (lines !== RECORDS) throw new Error(`${command.join(' ')} printed ${lines} records of ${RECORDS}`);
    return ms;
  };

const walkers = (scene: Scene, origin: string) => {
  const env = { ...environment(scene.folder), PAYCLI_BASE_URL: origin };
  return {
    env,
    'on Node': intoFile(scene, [...NPM_BUILD, ...LIST], env),
    standalone: unless(missingStandalone(), intoFile(scene, [...STANDALONE, ...LIST], env)),
  };
};

/** Row 4: a walk, and the loop that a script would have. */
export const walkBesideCurl: Bench = (scene) =>
  during(startList(RECORDS), (origin) => {
    const { env, ...contenders } = walkers(scene, origin);
    const against = 'curl and jq in a loop: times faster';
    const goal = { bound: '≥', value: 40 } as const;
    return race({
      rounds: CURL_ROUNDS,
      warmUp: false,
      contenders: {
        ...contenders,
        'curl and jq': unless(missingTools('curl', 'jq'), intoFile(scene, CURL_WALK, env)),
      },
      comparisons: [
        { row: 4, name: 'Node, walk beside curl', work: ON_NODE, against, goal, ratio: ['curl and jq', 'on Node'] },
        {
          row: 4,
          name: 'standalone, walk beside curl',
          work: ALONE,
          against,
          goal,
          ratio: ['curl and jq', 'standalone'],
        },
      ],
    });
  });

/** Row 5: a walk, and a loop that prints nothing. Both from the start of the process to its end. */
export const walkBesideLoop: Bench = (scene) =>
  during(startList(RECORDS), (origin) => {
    const { env: _, ...contenders } = walkers(scene, origin);
    const bare = (): number => {
      const { ms, stdout } = run([...BARE_WALK, origin], loopEnvironment(scene.folder));
      if (Number(stdout) !== RECORDS) throw new Error(`the bare loop saw ${stdout} of ${RECORDS}`);
      return ms;
    };
    const against = 'a bare undici loop';
    return race({
      rounds: ROUNDS,
      warmUp: true,
      contenders: { ...contenders, 'bare loop': bare },
      comparisons: [
        {
          row: 5,
          name: 'Node, walk beside a loop',
          work: ON_NODE,
          against,
          goal: { bound: '≤', value: 1.2 },
          ratio: ['on Node', 'bare loop'],
        },
        {
          row: 5,
          name: 'standalone, walk beside a loop',
          work: ALONE,
          against,
          goal: { bound: '≤', value: 1.3 },
          ratio: ['standalone', 'bare loop'],
        },
      ],
    });
  });
