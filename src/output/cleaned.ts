import type { Io } from '../cli/io.ts';
import type { Clean } from '../core/cleaned.ts';
import { cleanedJson } from '../core/cleaned.ts';
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
  return text === record.text ? record : { ...record, text, value: JSON.parse(text) };
};

/** The sink, given nothing but such records. */
export const cleanedSink = (sink: Sink, clean: Clean): Sink => ({
  ...sink,
  page: (records, more) =>
    sink.page(
      records.map((record) => cleanedRecord(record, clean)),
      more,
    ),
  end: (next) => sink.end(next === null ? null : clean(next)),
});
