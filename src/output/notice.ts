import type { Beside } from './prose.ts';
import { proseLines, roomOn } from './prose.ts';
import { visibleText } from './sanitize.ts';
import type { Styles } from './style.ts';

/** A notice or hint as lines for stderr: dim where `styles` are given, plain otherwise. */
export const notice = (text: string, { stderr, env }: Beside, styles?: Pick<Styles, 'dim'>): string => {
  const safe = proseLines(visibleText(text), roomOn(stderr), env).join('\n');
  return `${styles === undefined ? safe : styles.dim(safe)}\n`;
};
