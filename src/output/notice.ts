import { visibleText } from './sanitize.ts';
import type { Styles } from './style.ts';

/** A notice or hint as a line for stderr: dim where `styles` are given, plain otherwise. */
export const notice = (text: string, styles?: Pick<Styles, 'dim'>): string => {
  const safe = visibleText(text);
  return `${styles === undefined ? safe : styles.dim(safe)}\n`;
};
