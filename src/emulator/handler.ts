import type { Judge } from '../contract/common.ts';
import type { AnswerOf, OperationId, Operations } from '../contract/operations.ts';
import type { Store } from './store/open.ts';

/** What a schema lets through; what judges a body may depend on the moment. */
type Accepted<S> = S extends Judge<infer T> ? T : undefined;
type BodyOf<O> = O extends { body: (now: number) => infer S } ? Accepted<S> : undefined;
type QueryOf<O> = O extends { query: () => infer S } ? Accepted<S> : undefined;

/** A request that the contract's schemas have accepted; everything in it happens at the one moment `now`. */
export interface RequestOf<K extends OperationId> {
  readonly params: { readonly [P in keyof Operations[K]['params']]: string };
  readonly query: QueryOf<Operations[K]>;
  readonly body: BodyOf<Operations[K]>;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Cuts the connection in place of an answer, once the request has been dealt with. */
  readonly hangUp: () => void;
}

/** Answers one operation or throws a Refusal. */
export type Handler<K extends OperationId> = (request: RequestOf<K>, store: Store) => AnswerOf<K>;
