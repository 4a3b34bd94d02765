/** How a checkout stands, in the order of the numbers that the service filters by, from 1 on (public material, Checkouts). */
export const CHECKOUT_STATUSES = ['active', 'inactive'] as const;
