import { paidTwiceText } from '../../charge/words.ts';
import type { TargetOptions } from '../../core/input.ts';
import type { Entry } from '../../ledger/entry.ts';

/** A line for each payment request of these charges that was paid twice, with the command that pays the excess back. */
export const paidTwiceLines = (charges: Iterable<Entry>, place: TargetOptions): string[] => {
  const lines = new Map<string, string>();
  for (const { about, asked, money } of charges) {
    if (money?.isPaidTwice !== true) continue;
    lines.set(
      about,
      `${about} was ${paidTwiceText({ excess: money.excess, surplus: money.surplus }, asked?.currency ?? '', place)}`,
    );
  }
  return [...lines.values()];
};
