import type { CommandSpec, OptionSpecs } from '../cli/define.ts';
import { activityCommands } from './activity/spec.ts';
import type { Deps } from './deps.ts';
import { emulatorCommands } from './emulator/spec.ts';
import { ledgerCommands } from './ledger/spec.ts';
import { onyeCommands } from './onye/spec.ts';
import { profileCommands } from './profile/spec.ts';
import { ugwoCommands } from './ugwo/spec.ts';

/** Every command, in the order in which help lists their nouns. */
export const SPECS: readonly CommandSpec<unknown, OptionSpecs, Deps>[] = [
  ...ugwoCommands,
  ...activityCommands,
  ...onyeCommands,
  ...ledgerCommands,
  ...profileCommands,
  ...emulatorCommands,
];

/** What each noun is about, for help, which adds its verbs. */
export const NOUNS: Readonly<Record<string, string>> = {
  ugwo: 'payment requests',
  activity: 'attempts to charge a payment request',
  onye: 'customers',
  ledger: 'what was charged from this machine, and what is still unknown',
  profile: 'where requests go, and with which key',
  emulator: 'the service itself, on this machine',
};
