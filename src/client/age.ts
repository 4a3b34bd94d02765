const LONGEST_S = 10 * 365 * 24 * 3600;

/**
 * How long an answer has lain in a cache (`Age`, RFC 9111 section 5.1), in milliseconds. Undefined where it comes from the
 * service itself, and where the header is no whole number of seconds or says more than ten years.
 */
export const ageOf = (header: string | undefined): number | undefined => {
  if (header === undefined) return undefined;
  const text = header.trim();
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return seconds > 0 && seconds <= LONGEST_S ? seconds * 1000 : undefined;
};
