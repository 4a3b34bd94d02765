/** Closes a switch over a union: does not compile while a case is missing, throws when one slips through at run time. */
export const unreachable = (value: never): never => {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
};
