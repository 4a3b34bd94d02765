const UNITS = { s: 1000, m: 60_000, h: 3_600_000 } as const;

/** `90s`, `10m`, `1h` in milliseconds; undefined for anything else. */
export const parseDuration = (text: string): number | undefined => {
  const match = /^(\d{1,6})(s|m|h)$/.exec(text.trim());
  if (match === null) return undefined;
  return Number(match[1]) * UNITS[match[2] as keyof typeof UNITS];
};

/** Whole seconds as the word that `parseDuration` takes back: `90s`, `15m`, `1h`. */
export const durationWord = (ms: number): string => {
  const [unit, size] = Object.entries(UNITS).findLast(([, size]) => ms >= size && ms % size === 0) ?? ['s', UNITS.s];
  return `${Math.ceil(ms / size)}${unit}`;
};

/** Milliseconds in the largest two units that matter: `12 min`, `45 s`, `1 h 5 min`. */
export const formatDuration = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  const hours = Math.floor(minutes / 60);
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
};
