import { parseDuration } from './duration.ts';

/** At most `count` starts in any `ms` milliseconds. */
export interface Rate {
  readonly count: number;
  readonly ms: number;
}

/** `50/s`, `100/m`, `1000/h`; undefined for anything else. */
export const parseRate = (text: string): Rate | undefined => {
  const [, count, unit] = /^([1-9]\d{0,5})\/([smh])$/.exec(text.trim()) ?? [];
  const ms = parseDuration(`1${unit}`);
  return ms === undefined ? undefined : { count: Number(count), ms };
};
