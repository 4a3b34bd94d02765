import { type Command, environment, NPM_BUILD, run, STANDALONE } from '../run/programs.ts';
import { race } from '../run/race.ts';
import { during, startList } from '../run/services.ts';
import { missingStandalone, missingTools } from '../run/tools.ts';
import { type Bench, unless } from './scene.ts';

const ROUNDS = 30;
const RECORDS = 1000;
const LIST = ['ugwo', 'list', '--limit', '10', '-o', 'json'];
const PIPELINE = 'curl -s -H "Authorization: Bearer $PAYCLI_SECRET_KEY" "$PAYCLI_BASE_URL/v1/ugwo?limit=10" | jq .';
const AGAINST = '`curl … | jq .`, by `sh -c`';

/** Row 3: one small page, as a script asks for it. */
export const onePage: Bench = ({ folder }) =>
  during(startList(RECORDS), (origin) => {
    const env = { ...environment(folder), PAYCLI_BASE_URL: origin };
    const whole = (command: Command) => (): number => {
      const { ms, stdout } = run(command, env);
      const { data } = JSON.parse(stdout) as { data?: readonly unknown[] };
      if (data?.length !== 10) throw new Error(`${command.join(' ')} printed ${data?.length} records`);
      return ms;
    };
    return race({
      rounds: ROUNDS,
      warmUp: true,
      contenders: {
        standalone: unless(missingStandalone(), whole([...STANDALONE, ...LIST])),
        'on Node': whole([...NPM_BUILD, ...LIST]),
        'curl and jq': unless(missingTools('curl', 'jq'), whole(['sh', '-c', PIPELINE])),
      },
      comparisons: [
        {
          row: 3,
          name: 'standalone, one page',
          work: 'standalone `paycli ugwo list --limit 10 -o json`',
          against: AGAINST,
          ratio: ['standalone', 'curl and jq'],
          goal: { bound: '≤', value: 2 },
        },
        {
          row: 3,
          name: 'Node, one page',
          work: 'the same, Node',
          against: AGAINST,
          ratio: ['on Node', 'curl and jq'],
        },
      ],
    });
  });
