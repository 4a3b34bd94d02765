import type { CommandSpec } from '../cli/define.ts';
import { activityCommands } from './activity/spec.ts';
import { emulatorCommands } from './emulator/spec.ts';
import { ledgerCommands } from './ledger/spec.ts';
import { onyeCommands } from './onye/spec.ts';
import { profileCommands } from './profile/spec.ts';
import { ugwoCommands } from './ugwo/spec.ts';

/** Every command, in the order in which help lists their nouns. */
export const SPECS: readonly CommandSpec[] = [
  ...ugwoCommands,
  ...activityCommands,
  ...onyeCommands,
  ...ledgerCommands,
  ...profileCommands,
  ...emulatorCommands,
];

/** One line a noun, for help. */
export const NOUNS: Readonly<Record<string, string>> = {
  ugwo: 'payment requests: charge, get, list',
  activity: 'attempts to charge a payment request: get, wait',
  onye: 'customers: update',
  ledger: 'what was charged from here, and what is still unknown: list, show, reconcile, resolve, export',
  profile: 'where requests go and with which key: list, show, use, remove',
  emulator: 'the service itself, on this machine: start, seed, settle, reset',
};
