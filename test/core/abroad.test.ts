import { describe, expect, it } from 'vitest';

describe('the time zone and locale run (scripts/test-all.ts)', () => {
  it('is fourteen hours ahead of UTC', () => {
    expect(new Date(Date.UTC(2026, 10, 20, 12)).getHours()).toBe(2);
    expect(new Intl.DateTimeFormat().resolvedOptions().timeZone).toBe('Pacific/Kiritimati');
  });

  it('uses Slovak, which groups digits with spaces and has a decimal comma', () => {
    expect(new Intl.NumberFormat().resolvedOptions().locale).toBe('sk-SK');
    expect((1234.5).toLocaleString()).toBe('1\u00a0234,5');
  });
});
