import type { Client } from '../client/client.ts';
import type { WriteKind } from '../core/charge.ts';
import type { PayError } from '../core/error.ts';
import type { Io } from '../core/io.ts';
import type { ApiRecord } from '../core/record.ts';
import type { Entry, Intent, LedgerTarget, Moment, RequestTerms } from '../ledger/entry.ts';
import type { BeginOptions, Ledger, PlannedRows, Refused } from '../ledger/ledger.ts';
import type { Snapshot } from '../ledger/snapshot.ts';
import type { Data } from './mediums.ts';
import type { Outcome } from './outcome.ts';

/** The client and the ledger of a request, and their place. */
export interface ChargeRun {
  readonly client: Pick<Client, 'write' | 'call' | 'longestWrite' | 'longestAttempt' | 'pace'>;
  readonly ledger: Ledger;
  readonly place: LedgerTarget;
  readonly io: Pick<Io, 'clock' | 'signals'>;
  /** Rows that were judged before. With it, requests are judged and not sent (--dry-run). */
  readonly planned?: PlannedRows | undefined;
}

/** Result of a read before a request is sent; empty if there was none. */
export interface Reading {
  /** Moment before the read. On an old one nothing is sent. */
  readonly since?: Moment | undefined;
  /** Start of the read's last attempt, if there was an earlier one, by this machine's clock. */
  readonly askedAt?: number | undefined;
  /** The payment request. */
  readonly shown?: Snapshot | undefined;
  /** Money that a refund pays back, as far as it is known. */
  readonly asked?: RequestTerms | undefined;
  /** Status of the activity that a refund pays back. */
  readonly paid?: string | undefined;
}

/** Parts of any request under the protocol. */
interface ProtectedRequest {
  /** Sends another one although the first can still be paid or was made. */
  readonly again: boolean;
  /**
   * Row of the file that asks for it. `retry` repeats a row whose last entry failed; `worded` says an error as the report
   * does.
   */
  readonly row?: {
    readonly job: string;
    readonly number: number;
    readonly retry: boolean;
    readonly worded?: (error: PayError) => string | undefined;
  };
  readonly tries?: number;
  /** Reads what the request relies on. If it throws, nothing is sent. */
  readonly look?: () => Promise<Reading>;
  /** Called if the guard refuses. Resolves to what a later read has shown, by which the guard decides anew. */
  readonly onRefused?: (refused: Refused) => Promise<Snapshot | undefined>;
  /**
   * Called before sending, if an entry about the same thing is open at another origin. If it throws, nothing is sent.
   */
  readonly onElsewhere?: (entry: Entry) => Promise<void>;
  /** Called just before sending. */
  readonly onSend?: (reading: Reading) => Promise<void>;
}

/** Request other than a charge that must not be made twice. Only a person can resolve an unknown outcome. */
export interface MakeRequest extends ProtectedRequest {
  readonly effect: WriteKind;
  /** Subject of the request. While one about it is unknown, no other is sent. */
  readonly about: string;
  readonly path: string;
  /** JSON. */
  readonly body: string | undefined;
  /** An earlier accepted one blocks this one, unless `again`. */
  readonly once: boolean;
  /** See `BeginOptions`. */
  readonly equalSince?: number | undefined;
  /** Sends it, and starts no attempt when it is overdue. */
  readonly send: (isOverdue: () => boolean) => Promise<Outcome>;
  /** Reason of a failure that an accepted answer reports; undefined if there is none. */
  readonly failure?: ((value: unknown) => string | undefined) | undefined;
}

/** Charge to be made under the protocol. */
export interface ChargeRequest extends ProtectedRequest, Pick<BeginOptions, 'remaining' | 'beside'> {
  readonly ugwo: string;
  /** Builds `data` of the body, whose expiry may count from now, by the service's clock. */
  readonly data: (now: number) => Data;
  /** Evidence to store with the intent. */
  readonly evidence?: Intent['evidence'] | undefined;
}

export interface Sent {
  readonly kind: 'accepted';
  readonly id: string;
  readonly record: ApiRecord;
  /** Oddities of the answer, a sentence each. */
  readonly odd: readonly string[];
  readonly reading: Reading;
  /** Error of the ledger, if it could not store the outcome. */
  readonly unrecorded?: PayError;
}
