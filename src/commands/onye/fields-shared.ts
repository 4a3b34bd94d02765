import type { Pair, Source } from '../../core/input.ts';

/** Fields of a customer. The body, the columns of a file and, with hyphens, the options have the same names. */
export const TEXTS = ['email', 'ref', 'first_name', 'last_name'] as const;
export const OBJECTS = ['billing_address', 'meta'] as const;

/** Parts of a billing address. Each has its own option. */
export const PARTS = ['address', 'address2', 'city', 'state', 'zip', 'country'] as const;

/** Fields that may be empty (interface.md 2.1; public material). */
export const CLEARABLE = ['ref', 'first_name', 'last_name', 'meta'];

/** A field that an option sets: to a value, to an object of pairs, or to a JSON object that is read later. */
export type GivenField = { readonly name: string; readonly flag: string } & (
  | { readonly value: unknown }
  | { readonly pairs: readonly Pair[] }
  | { readonly source: Source }
);

/** Customer fields that the options set. They override those of `data`. */
export interface FieldInput {
  readonly fields: readonly GivenField[];
  readonly data: Source | undefined;
}

/** Changes to a customer that the options ask for. */
export interface Changes extends FieldInput {
  /** Metadata keys to set and to remove; the others stay. Never beside a field that replaces the metadata. */
  readonly change: { readonly set: readonly Pair[]; readonly unset: readonly string[] } | undefined;
}
