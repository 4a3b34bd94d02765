/** What `act` gives; undefined where it throws, for questions whose failure says no more than that there is no answer. */
export const tried = <T>(act: () => T): T | undefined => {
  try {
    return act();
  } catch {
    return undefined;
  }
};
