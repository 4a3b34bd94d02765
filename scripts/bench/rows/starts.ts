import { otherTool } from '../run/others.ts';
import { type Command, environment, NPM_BUILD, run, STANDALONE } from '../run/programs.ts';
import { type Contender, race } from '../run/race.ts';
import { missingStandalone, missingTools } from '../run/tools.ts';
import { type Bench, type Scene, unless } from './scene.ts';

const ROUNDS = 30;

const start =
  ({ folder }: Scene, ...command: Command) =>
  (): number =>
    run(command, environment(folder)).ms;

const other = (scene: Scene, name: 'stripe' | 'resend'): Contender => {
  const found = otherTool(name);
  return 'missing' in found ? found : start(scene, ...found.command, '--version');
};

/** Row 1: what every call of the standalone program pays. */
export const standaloneStarts: Bench = (scene) => {
  const paycli = (option: string) => unless(missingStandalone(), start(scene, ...STANDALONE, option));
  const version = 'standalone `paycli --version`';
  return race({
    rounds: ROUNDS,
    warmUp: true,
    contenders: {
      '--version': paycli('--version'),
      '--help': paycli('--help'),
      gh: unless(missingTools('gh'), start(scene, 'gh', '--version')),
      stripe: other(scene, 'stripe'),
      resend: other(scene, 'resend'),
    },
    comparisons: [
      {
        row: 1,
        name: 'standalone --version',
        work: version,
        against: '`gh --version`',
        ratio: ['--version', 'gh'],
        goal: { bound: '≤', value: 0.4 },
      },
      {
        row: 1,
        name: 'standalone --help',
        work: 'standalone `paycli --help`',
        against: '`gh --version`',
        ratio: ['--help', 'gh'],
        goal: { bound: '≤', value: 0.5 },
      },
      {
        row: 1,
        name: 'beside stripe',
        work: version,
        against: '`stripe --version`, from npm',
        ratio: ['--version', 'stripe'],
      },
      {
        row: 1,
        name: 'beside resend',
        work: version,
        against: '`resend --version`, from npm',
        ratio: ['--version', 'resend'],
      },
    ],
  });
};

/** Row 2: what every call of the npm package pays beyond Node itself. */
export const npmStarts: Bench = (scene) =>
  race({
    rounds: ROUNDS,
    warmUp: true,
    contenders: {
      paycli: start(scene, ...NPM_BUILD, '--version'),
      'bare Node': start(scene, process.execPath, '-e', '0'),
    },
    comparisons: [
      {
        row: 2,
        name: 'Node, --version',
        work: 'npm build `paycli --version`',
        against: '`node -e 0`, same Node',
        ratio: ['paycli', 'bare Node'],
        goal: { bound: '≤', value: 1.4 },
      },
    ],
  });
