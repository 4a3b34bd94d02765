import type { CommandSpec, OptionSpecs } from '../cli/define.ts';
import type { Noun } from '../cli/program.ts';
import { activityCommands } from './activity/spec.ts';
import { apiCommand } from './api/spec.ts';
import { checkoutCommands } from './checkout/spec.ts';
import { completionCommands } from './completion/spec.ts';
import { configCommands } from './config/spec.ts';
import type { Deps } from './deps.ts';
import { doctorCommands } from './doctor/spec.ts';
import { emulatorCommands } from './emulator/spec.ts';
import { approveCommand } from './ledger/approve-spec.ts';
import { ledgerCommands } from './ledger/spec.ts';
import { onyeCommands } from './onye/spec.ts';
import { policyCommands } from './policy/spec.ts';
import { profileCommands } from './profile/spec.ts';
import { refundCommands } from './refund/spec.ts';
import { schemaCommand } from './schema/spec.ts';
import { ugwoCommands } from './ugwo/spec.ts';
import { watchCommand } from './watch/spec.ts';
import { webhookCommands } from './webhook/spec.ts';

/** Every command, in the order in which help lists their nouns. */
export const SPECS: readonly CommandSpec<unknown, OptionSpecs, Deps>[] = [
  ...ugwoCommands,
  ...activityCommands,
  ...onyeCommands,
  ...refundCommands,
  ...checkoutCommands,
  apiCommand,
  watchCommand,
  ...ledgerCommands,
  ...policyCommands,
  approveCommand,
  ...webhookCommands,
  ...profileCommands,
  ...configCommands,
  ...doctorCommands,
  ...emulatorCommands,
  schemaCommand,
  ...completionCommands,
];

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
