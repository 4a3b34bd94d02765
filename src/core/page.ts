/** The bounds of `limit`: interface.md section 8. */
export const PAGE_DEFAULT = 10;
export const PAGE_MAX = 100;
