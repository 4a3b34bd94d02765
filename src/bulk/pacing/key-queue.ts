/** Lets what is about the same thing wait for what was begun before it: with --allow-repeats its order counts. */
export const keyQueue = () => {
  const last = new Map<string, Promise<unknown>>();
  return async <R>(key: string, work: () => Promise<R>): Promise<R> => {
    const before = last.get(key);
    const mine = before === undefined ? work() : before.then(work, work);
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
};
