import { visible } from '../core/sanitize.ts';
import type { Beside } from './prose.ts';
import { proseLines, roomOn } from './prose.ts';
import type { Styles } from './style.ts';

/** A notice, or several, as lines for stderr: dim where `styles` are given, plain otherwise. */
export const notice = (said: string | readonly string[], beside: Beside, styles?: Pick<Styles, 'dim'>): string => {
  const room = roomOn(beside.stderr);
  const safe = [said]
    .flat()
    .flatMap((text) => proseLines(visible(text), room, beside))
    .join('\n');
  return `${styles === undefined ? safe : styles.dim(safe)}\n`;
};
