/** Counts the turns of the event loop from now on: each is a chance for a signal to be heard. The count is told once. */
export const turnsSince = (): (() => number) => {
  let [turns, over] = [0, false];
  const turn = (): void => {
    if (over) return;
    turns += 1;
    setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    over = true;
    return turns;
  };
};
