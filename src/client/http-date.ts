/** An HTTP date (RFC 9110 section 5.6.7, the form that is sent) in milliseconds since the epoch; undefined for any other text. */
export const httpDate = (text: string): number | undefined => {
  if (!/^[A-Za-z]{3}, \d{2} [A-Za-z]{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
};
