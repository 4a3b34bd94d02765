import type { Ugwo } from '../contract/ugwo.ts';
import { parseDuration } from '../core/duration.ts';
import { ENDINGS, type Ending } from '../core/local.ts';
import { valueAt } from '../core/path.ts';

/** What `metadata.emulate` of a payment request asks for when it is charged. */
export type Wish =
  /** `fail`, or `fail:<medium>` for that one alone: it fails at once. */
  | { readonly kind: 'fail' }
  /** `successful:30s`, `failed:30s`, `expired:30s`: what it becomes, and so many milliseconds after the charge. */
  | { readonly kind: 'end'; readonly ending: Ending; readonly after: number }
  /** The connection is cut without an answer: `lost` when the charge is made, `lost:unmade` in place of making it. */
  | { readonly kind: 'lost'; readonly made: boolean };

/** Any other text is metadata like any other, and asks for nothing. */
export const wishOf = ({ metadata }: Ugwo, medium: string): Wish | undefined => {
  const text = valueAt(metadata, 'emulate');
  if (typeof text !== 'string') return undefined;
  if (text === 'fail' || text === `fail:${medium}`) return { kind: 'fail' };
  if (text === 'lost' || text === 'lost:unmade') return { kind: 'lost', made: text === 'lost' };
  const [word, duration = ''] = text.split(':');
  const [ending, after] = [ENDINGS.find((known) => known === word), parseDuration(duration)];
  return ending === undefined || after === undefined ? undefined : { kind: 'end', ending, after };
};
