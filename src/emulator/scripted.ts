import type { Ugwo } from '../contract/ugwo.ts';
import { parseDuration } from '../core/duration.ts';
import { ENDINGS, type Ending } from '../core/local.ts';
import { valueAt } from '../core/path.ts';

/** What `metadata.emulate` of a payment request asks for when it is charged. */
export type Scripted =
  /** `fail`, or `fail:<medium>` for that one alone: it fails at once. */
  | { readonly kind: 'fail' }
  /** `402`: refused, since the workspace's own balance is too low. */
  | { readonly kind: 'unfunded' }
  /**
   * `successful:30s`, `failed:30s`, `expired:30s`: what it becomes, and so many milliseconds after the charge.
   * `successful:30s:250000`: paid with another amount than was asked for.
   */
  | { readonly kind: 'end'; readonly ending: Ending; readonly after: number; readonly paid?: number }
  /** The connection is cut without an answer: `lost` when the charge is made, `lost:unmade` in place of making it. */
  | { readonly kind: 'lost'; readonly made: boolean };

type Asking = Pick<Ugwo, 'metadata'>;

/** There may be several, parted by blanks; any other word is metadata like any other, and asks for nothing. */
const wordsOf = ({ metadata }: Asking): readonly string[] => {
  const text = valueAt(metadata, 'emulate');
  return typeof text === 'string' ? text.trim().split(/\s+/) : [];
};

/** What a word like `failed:30s` says becomes of something, and how many milliseconds later. */
const endOf = <T extends string>(word: string, endings: readonly T[]) => {
  const [name, duration = '', paid = '', ...more] = word.split(':');
  const [ending, after] = [endings.find((known) => known === name), parseDuration(duration)];
  if (ending === undefined || after === undefined || more.length > 0) return undefined;
  if (paid === '') return { ending, after };
  return /^[1-9]\d{0,14}$/.test(paid) && name === 'successful' ? { ending, after, paid: Number(paid) } : undefined;
};

const chargeWish = (word: string, medium: string): Scripted | undefined => {
  if (word === 'fail' || word === `fail:${medium}`) return { kind: 'fail' };
  if (word === '402') return { kind: 'unfunded' };
  if (word === 'lost' || word === 'lost:unmade') return { kind: 'lost', made: word === 'lost' };
  const end = endOf(word, ENDINGS);
  return end === undefined || end.ending === 'taken_back' ? undefined : { kind: 'end', ...end };
};

/** What the first word says that `read` can read. */
const firstWish = <T>(ugwo: Asking, read: (word: string) => T | undefined): T | undefined =>
  wordsOf(ugwo)
    .map(read)
    .find((wish) => wish !== undefined);

/** What its next charge is to become. */
export const scriptedOf = (ugwo: Asking, medium: string): Scripted | undefined =>
  firstWish(ugwo, (word) => chargeWish(word, medium));

/** `taken_back:2m`: how many milliseconds after it was paid the provider takes the money back. */
export const takenBackAfter = (ugwo: Asking): number | undefined =>
  firstWish(ugwo, (word) => endOf(word, ['taken_back'])?.after);

/**
 * What becomes of a refund, and when: `refund:failed` (at once), `refund:failed:30s`, `refund:successful:30s`; undefined
 * where nothing is asked for.
 */
export const refundWish = (ugwo: Asking) =>
  firstWish(ugwo, (word) => {
    if (word === 'refund:failed') return { ending: 'failed', after: 0 } as const;
    return word.startsWith('refund:') ? endOf(word.slice('refund:'.length), ['successful', 'failed']) : undefined;
  });

/** `402` (charges and refunds are refused), `402:create` (it can't be made at all), `unrouted` (it gets no checkout). */
export const asksFor = (ugwo: Asking, what: '402' | '402:create' | 'unrouted'): boolean => wordsOf(ugwo).includes(what);
