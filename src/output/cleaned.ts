import type { Clean } from '../core/cleaned.ts';
import { cleanedJson, holdsSecret } from '../core/cleaned.ts';
import type { Io } from '../core/io.ts';
import type { Received } from '../core/received.ts';
import type { Sink } from './sink.ts';

/** What takes secrets out of the data. */
export const cleanOf =
  ({ redactor }: Pick<Io, 'redactor'>): Clean =>
  (text) =>
    redactor.clean(text);

/** The record as it may be laid out: where a secret stands in one of its strings, another one without it. */
export const cleanedRecord = (record: Received, clean: Clean): Received => {
  const text = cleanedJson(record.text, clean);
  return text === record.text ? record : { ...record, text, bytes: undefined, value: JSON.parse(text) };
};

/**
 * One look at all of a page: one for each record would take much of the time of a walk. What can be handed on as bytes has had its
 * own as it came, and has another as it is written.
 */
const cleanedRecords = (records: readonly Received[], clean: Clean): readonly Received[] => {
  const texts = records.filter(({ bytes }) => bytes === undefined).map(({ text }) => text);
  return holdsSecret(texts.join('\n'), clean) ? records.map((record) => cleanedRecord(record, clean)) : records;
};

/** The sink, given nothing but such records. */
export const cleanedSink = (sink: Sink, clean: Clean): Sink => ({
  ...sink,
  page: (records, more) => sink.page(cleanedRecords(records, clean), more),
  end: (next) => sink.end(next === null ? null : clean(next)),
});
