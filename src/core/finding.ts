import type { ErrorKind } from './exit.ts';

/** What `doctor` has found of one thing. */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail' | 'skipped';
  /** How it is, in one sentence without a full stop. */
  readonly detail: string;
  /** What to do; null where there is nothing to do. */
  readonly advice: string | null;
  /** Of a failure, what a command would end as because of it; null for the rest. */
  readonly kind: ErrorKind | null;
}

/** Who a call would act as. */
export interface Identity {
  readonly profile: string | null;
  readonly origin: string;
  readonly environment: string;
  /** The key's last four characters; `command` where a command prints it. */
  readonly key: string;
  readonly key_from: 'environment' | 'profile' | 'command' | 'emulator';
  /** Who the ledger names for what is decided here. */
  readonly operator: string;
  /** Whether the service has taken the key just now; null where it was not asked. */
  readonly accepted: boolean | null;
}
