import type { CommandSpec } from '../cli/define.ts';
import type { Noun } from '../cli/program.ts';
import type { Run } from './run.ts';

type Spec = CommandSpec<Run>;

/** Commands that are declared together, and their possible first words. */
interface Group {
  readonly words: readonly string[];
  readonly load: () => Promise<readonly Spec[]>;
}

/** Every command. A run loads only the groups that its arguments can mean. */
const SPEC_GROUPS: readonly Group[] = [
  { words: ['ugwo', 'payment'], load: async () => (await import('./ugwo/spec.ts')).ugwoCommands },
  { words: ['activity'], load: async () => (await import('./activity/spec.ts')).activityCommands },
  { words: ['onye', 'customer'], load: async () => (await import('./onye/spec.ts')).onyeCommands },
  { words: ['refund'], load: async () => (await import('./refund/spec.ts')).refundCommands },
  { words: ['checkout'], load: async () => (await import('./checkout/spec.ts')).checkoutCommands },
  { words: ['api'], load: async () => [(await import('./api/spec.ts')).apiCommand] },
  { words: ['status'], load: async () => [(await import('./ledger/status-spec.ts')).statusCommand] },
  { words: ['find'], load: async () => [(await import('./ledger/find-spec.ts')).findCommand] },
  { words: ['watch'], load: async () => [(await import('./watch/spec.ts')).watchCommand] },
  { words: ['ledger'], load: async () => (await import('./ledger/spec.ts')).ledgerCommands },
  { words: ['policy'], load: async () => (await import('./policy/spec.ts')).policyCommands },
  { words: ['approve'], load: async () => [(await import('./ledger/spec.ts')).approveCommand] },
  { words: ['webhook'], load: async () => (await import('./webhook/spec.ts')).webhookCommands },
  {
    words: ['login', 'profile', 'whoami', 'logout'],
    load: async () => (await import('./profile/spec.ts')).profileCommands,
  },
  { words: ['config'], load: async () => (await import('./config/spec.ts')).configCommands },
  { words: ['doctor'], load: async () => [(await import('./doctor/spec.ts')).doctorCommand] },
  { words: ['emulator'], load: async () => (await import('./emulator/spec.ts')).emulatorCommands },
  { words: ['mcp'], load: async () => [(await import('./mcp/spec.ts')).mcpCommand] },
  { words: ['schema'], load: async () => [(await import('./schema/spec.ts')).schemaCommand] },
  { words: ['version'], load: async () => [(await import('./version/spec.ts')).versionCommand] },
  { words: ['completion'], load: async () => [(await import('./completion/spec.ts')).completionCommand] },
];

const loadSpecs = async (groups: readonly Group[]): Promise<readonly Spec[]> =>
  (await Promise.all(groups.map(({ load }) => load()))).flat();

export const allSpecs = (): Promise<readonly Spec[]> => loadSpecs(SPEC_GROUPS);

/** Loads the commands that argv can mean: the groups with a first word in argv. */
export const specsFor = (argv: readonly string[]): Promise<readonly Spec[]> =>
  loadSpecs(SPEC_GROUPS.filter(({ words }) => words.some((word) => argv.includes(word))));

/** Help text of each noun; the help adds its verbs. An alias is a plain word for the service's own term. */
export const NOUNS: Readonly<Record<string, Noun>> = {
  ugwo: { about: 'payment requests', alias: 'payment' },
  activity: { about: 'attempts to charge a payment request' },
  onye: { about: 'customers', alias: 'customer' },
  refund: { about: 'money paid back' },
  checkout: { about: 'currencies, mediums and banks' },
  ledger: { about: 'record of charges' },
  policy: { about: 'daily limits of a profile' },
  webhook: {
    about: 'events from the service',
    groups: { events: 'the events that were received here' },
  },
  config: { about: 'defaults of a profile' },
  profile: { about: 'services and keys' },
  emulator: {
    about: 'the service itself, on this machine',
    groups: { webhook: 'receivers of its events, and deliveries' },
  },
};
