/** All that undici takes from node:assert, which loads a good part of Node to show what differs. */
const assert = (holds: unknown, message?: string): void => {
  if (!holds) throw new Error(message ?? 'undici: what it takes for granted does not hold');
};

// As `require` gives it.
export { assert as 'module.exports' };
