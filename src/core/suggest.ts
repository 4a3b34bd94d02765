/** Edits (insert, delete, replace, swap of neighbours) that turn one word into the other. */
const distance = (left: string, right: string): number => {
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let i = 1; i <= left.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= right.length; j += 1) {
      const same = left[i - 1] === right[j - 1];
      let best = Math.min(at(i - 1, j) + 1, (row[j - 1] ?? 0) + 1, at(i - 1, j - 1) + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      if (swapped) best = Math.min(best, at(i - 2, j - 2) + 1);
      row.push(best);
    }
  }
  return at(left.length, right.length);
};

/** Shorter than this, a shared beginning says nothing. */
const SHORTEST = 3;

/**
 * The known word that was probably meant: the only one that starts with what was typed, else the nearest one within a
 * third of its length, else the longest one that what was typed starts with (`gtbank`: gtb). Undefined when nothing is
 * near, so that no wild guess is offered.
 */
export const didYouMean = (typed: string, known: readonly string[]): string | undefined => {
  const word = typed
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
  if (word === '' || word.length > 64) return undefined;
  const starting = known.filter((candidate) => word.length >= SHORTEST && candidate.toLowerCase().startsWith(word));
  if (starting.length === 1) return starting[0];
  const ranked = known
    .map((candidate) => ({ candidate, edits: distance(word, candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= Math.max(1, Math.floor(candidate.length / 3)))
    .sort((a, b) => a.edits - b.edits);
  if (ranked[0] !== undefined) return ranked[0].candidate;
  return known
    .filter((candidate) => candidate.length >= SHORTEST && word.startsWith(candidate.toLowerCase()))
    .sort((a, b) => b.length - a.length)[0];
};
