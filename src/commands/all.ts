import type { CommandSpec, OptionSpecs } from '../cli/define.ts';
import type { Noun } from '../cli/program.ts';
import type { Deps } from './deps.ts';

type Spec = CommandSpec<unknown, OptionSpecs, Deps>;

/** Commands that are declared together, and the words that they begin with. */
interface Group {
  readonly words: readonly string[];
  readonly load: () => Promise<readonly Spec[]>;
}

/** Every command, in the order in which help lists their nouns. A start loads those that it can mean. */
const GROUPS: readonly Group[] = [
  { words: ['ugwo', 'payment'], load: async () => (await import('./ugwo/spec.ts')).ugwoCommands },
  { words: ['activity'], load: async () => (await import('./activity/spec.ts')).activityCommands },
  { words: ['onye', 'customer'], load: async () => (await import('./onye/spec.ts')).onyeCommands },
  { words: ['refund'], load: async () => (await import('./refund/spec.ts')).refundCommands },
  { words: ['checkout'], load: async () => (await import('./checkout/spec.ts')).checkoutCommands },
  { words: ['api'], load: async () => [(await import('./api/spec.ts')).apiCommand] },
  { words: ['watch'], load: async () => [(await import('./watch/spec.ts')).watchCommand] },
  { words: ['ledger'], load: async () => (await import('./ledger/spec.ts')).ledgerCommands },
  { words: ['policy'], load: async () => (await import('./policy/spec.ts')).policyCommands },
  { words: ['approve'], load: async () => [(await import('./ledger/approve-spec.ts')).approveCommand] },
  { words: ['webhook'], load: async () => (await import('./webhook/spec.ts')).webhookCommands },
  {
    words: ['login', 'logout', 'profile', 'forget'],
    load: async () => (await import('./profile/spec.ts')).profileCommands,
  },
  { words: ['config'], load: async () => (await import('./config/spec.ts')).configCommands },
  { words: ['doctor', 'whoami'], load: async () => (await import('./doctor/spec.ts')).doctorCommands },
  { words: ['emulator'], load: async () => (await import('./emulator/spec.ts')).emulatorCommands },
  { words: ['schema'], load: async () => [(await import('./schema/spec.ts')).schemaCommand] },
  { words: ['completion'], load: async () => (await import('./completion/spec.ts')).completionCommands },
];

const loaded = async (groups: readonly Group[]): Promise<readonly Spec[]> =>
  (await Promise.all(groups.map(({ load }) => load()))).flat();

export const allSpecs = (): Promise<readonly Spec[]> => loaded(GROUPS);

/** The commands that argv can mean: those whose first word it holds. */
export const specsFor = (argv: readonly string[]): Promise<readonly Spec[]> =>
  loaded(GROUPS.filter(({ words }) => words.some((word) => argv.includes(word))));

/** What each noun is about, for help, which adds its verbs; the service's own words may be said in plain ones. */
export const NOUNS: Readonly<Record<string, Noun>> = {
  ugwo: { about: 'payment requests', alias: 'payment' },
  activity: { about: 'attempts to charge a payment request' },
  onye: { about: 'customers', alias: 'customer' },
  refund: { about: 'money paid back' },
  checkout: { about: 'currencies, mediums and banks for payments' },
  ledger: { about: 'charges sent from here, unknown ones included' },
  policy: { about: 'what a profile may charge in a day' },
  webhook: {
    about: 'events that the service sends',
    groups: { events: 'the events that were received here' },
  },
  config: { about: 'defaults of a profile, for a terminal' },
  profile: { about: 'where requests go, and with which key' },
  emulator: {
    about: 'the service itself, on this machine',
    groups: { webhook: 'where it sends its events, and what was sent' },
  },
  completion: { about: 'completion of commands with the Tab key' },
};
