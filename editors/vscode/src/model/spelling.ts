/** Words that were probably meant. */

/** How many letters have to be changed, put in, left out or swapped with the next to get from a word to another. */
export function distance(one: string, other: string): number {
  let before: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const now = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const [here, there] = [one.slice(Math.max(row - 2, 0), row), other.slice(Math.max(column - 2, 0), column)];
      const isSwapped = here.length === 2 && here[0] === there[1] && here[1] === there[0];
      now.push(Math.min(
        at(last, column) + 1,
        at(now, column - 1) + 1,
        at(last, column - 1) + (here.at(-1) === there.at(-1) ? 0 : 1),
        isSwapped ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY,
      ));
    }
    [before, last] = [last, now];
  }
  return at(last, other.length);
}

function at(numbers: readonly number[], index: number): number {
  return numbers[index] ?? Number.POSITIVE_INFINITY;
}

/** The nearest of some words, and how far it is; of several that are as near the first. */
export function nearest(word: string, words: readonly string[]): { readonly word: string; readonly distance: number } {
  const all = words.map((other) => ({ word: other, distance: distance(word.toLowerCase(), other) }));
  return all.reduce((best, one) => (one.distance < best.distance ? one : best), { word: "", distance: Number.POSITIVE_INFINITY });
}
