/** The kind of intent of which the service shows afterwards what became of it. */
export const CHARGE = 'charge';

/** What a write does, for what is said of it when nobody knows whether it was done. */
export interface Effect {
  /** What it makes or does, in one word: `charge`, `payment_request`, `update`. */
  readonly kind: string;
  /** `made`, `applied`. */
  readonly done: string;
  /** What to mind before it is sent again. */
  readonly hint: string;
}

export const CHARGE_EFFECT: Effect = {
  kind: CHARGE,
  done: 'made',
  hint: "don't run it again until you know, or the customer may pay twice",
};

/** What a write does of which nothing more is known. */
export const ANY_EFFECT: Effect = {
  kind: 'request',
  done: 'applied',
  hint: "don't send it again until you know, or it may be applied twice",
};

/** A kind in plain words. */
export const kindWord = (kind: string): string => kind.replaceAll('_', ' ');

/** The beginning of a sentence about a write whose end is unknown. */
export const mayBeDone = ({ kind, done }: Pick<Effect, 'kind' | 'done'>): string =>
  `the ${kindWord(kind)} may have been ${done}`;

/** How many of what there are: `1 charge`, `2 refunds`; `3 requests` where they are of several kinds. */
export const countText = (entries: readonly { readonly kind: string }[]): string => {
  const [kind = CHARGE, ...others] = new Set(entries.map((entry) => entry.kind));
  return `${entries.length} ${others.length > 0 ? 'request' : kindWord(kind)}${entries.length === 1 ? '' : 's'}`;
};
