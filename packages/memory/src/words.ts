/**
 * @module Words: a text as comparable words, for duplicate detection, literals and exact overlap.
 */

/** Lower-case words of any script, in order. */
export function wordsOf(text: string): string[] {
  return (
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** Two texts with the same key have the same words in the same order. */
export function sameWordsKey(text: string): string {
  return wordsOf(text).join(" ");
}

/** Every run of `length` words. */
export function runsOf(words: readonly string[], length: number): Set<string> {
  const runs = new Set<string>();
  for (let at = 0; at + length <= words.length; at += 1) {
    runs.add(words.slice(at, at + length).join(" "));
  }
  return runs;
}
