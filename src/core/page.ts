/** The bounds of `limit`: interface.md section 8. */
export const PAGE_DEFAULT = 10;
export const PAGE_MAX = 100;

/** Where a page has its records, and the way on: interface.md 2.6. */
export const PAGE_FIELDS = ['data', 'next_cursor'] as const;
