/**
 * An HTTP date (RFC 9110 section 5.6.7, the form that is sent) in milliseconds since the epoch; undefined for any other text,
 * and for a date that there is not: Date.parse takes 31 February for a day in March, and the year 0026 for 2026.
 */
export const httpDate = (text: string): number | undefined => {
  if (!/^[A-Za-z]{3}, \d{2} [A-Za-z]{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return undefined;
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) return undefined;
  // The day of the week says nothing more.
  const [written, read] = [text, new Date(ms).toUTCString()].map((date) => date.slice(date.indexOf(',')).toLowerCase());
  return written === read ? ms : undefined;
};
