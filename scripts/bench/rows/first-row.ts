import { type Command, environment, NPM_BUILD, run, STANDALONE } from '../run/programs.ts';
import { race } from '../run/race.ts';
import { during, startList } from '../run/services.ts';
import { missingStandalone, missingTools } from '../run/tools.ts';
import { watch } from '../run/watched.ts';
import { type Bench, unless } from './scene.ts';

const ROUNDS = 10;
/** What the service takes for a page. */
const DELAY_MS = 250;
const RECORDS = 300;
const LIST = ['ugwo', 'list', '--all', '-o', 'ndjson'];
const WORK = 'first row of a walk';

/** Row 9: a walk of three pages, the first of which is shown before the second one has come. */
export const firstRow: Bench = ({ folder }) =>
  during(startList(RECORDS, DELAY_MS), (origin) => {
    const env = { ...environment(folder), PAYCLI_BASE_URL: origin };
    const shown = (command: Command) => async (): Promise<number> =>
      (await watch([...command, ...LIST], env)).firstRowMs;
    const page = (): number => run(['curl', '-sf', `${origin}/v1/ugwo?limit=100`], env).ms;
    const against = `\`curl\` of a page that takes ${DELAY_MS} ms`;
    const goal = { bound: '≤', value: 1.3 } as const;
    return race({
      rounds: ROUNDS,
      warmUp: true,
      contenders: {
        'on Node': shown(NPM_BUILD),
        standalone: unless(missingStandalone(), shown(STANDALONE)),
        'one page': unless(missingTools('curl'), page),
      },
      comparisons: [
        {
          row: 9,
          name: 'Node, first row',
          work: `Node, ${WORK}`,
          against,
          goal,
          ratio: ['on Node', 'one page'],
        },
        {
          row: 9,
          name: 'standalone, first row',
          work: `standalone, ${WORK}`,
          against,
          goal,
          ratio: ['standalone', 'one page'],
        },
      ],
    });
  });
