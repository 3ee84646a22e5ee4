/** A long list in parts. */

export interface Part<T> {
  readonly items: readonly T[];
  /** Such as "files 101 to 200 of 250". */
  readonly words: string;
}

export function partsOf<T>(items: readonly T[], most: number): readonly Part<T>[] {
  const parts: Part<T>[] = [];
  for (let start = 0; start < items.length; start += most) {
    const some = items.slice(start, start + most);
    parts.push({ items: some, words: `files ${String(start + 1)} to ${String(start + some.length)} of ${String(items.length)}` });
  }
  return parts;
}
