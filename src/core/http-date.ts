const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const FORM = /^[A-Za-z]{3}, (\d{2}) ([A-Za-z]{3}) (\d{4}) ([01]\d|2[0-3]):([0-5]\d):([0-5]\d) GMT$/;

/**
 * An HTTP date (RFC 9110 section 5.6.7, the form that is sent) in milliseconds since the epoch; undefined for any other text,
 * and for a date that there is not. The day of the week says nothing more.
 */
export const httpDate = (text: string): number | undefined => {
  const [, day, month = '', year, ...time] = FORM.exec(text) ?? [];
  const [hours = 0, minutes = 0, seconds = 0] = time.map(Number);
  const date = new Date(
    Date.UTC(Number(year), MONTHS.indexOf(month.toLowerCase()), Number(day), hours, minutes, seconds),
  );
  // 31 February would be a day in March, the year 26 be 1926, and a month that there is not last December.
  return date.getUTCDate() === Number(day) && date.getUTCFullYear() === Number(year) ? date.getTime() : undefined;
};
