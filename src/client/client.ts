import type { AnswerOf, ListId, OperationId, RecordOf } from '../contract/operations.ts';
import type { Received, ReceivedPage } from '../core/received.ts';

export interface CallInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** A request as it would be sent, without its key. */
export interface Preview {
  readonly method: string;
  readonly url: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface Client {
  readonly origin: string;
  call<K extends OperationId>(id: K, input: CallInput): Promise<Received<AnswerOf<K>>>;
  pages<K extends ListId>(id: K, input: CallInput): AsyncIterable<ReceivedPage<RecordOf<K>>>;
  preview(id: OperationId, input: CallInput): Preview;
}
