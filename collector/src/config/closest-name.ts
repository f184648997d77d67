/** @module ClosestName: the known name that is most like one that is not known. */

/** The name with the fewest changed letters, where most of it is the same; else undefined. */
export function closestName(typed: string, known: readonly string[]): string | undefined {
  // Beyond the length of any name nothing is close.
  const text = typed.slice(0, 100);
  const [closest] = known
    .map((name) => ({ name, changes: changesOf(text, name) }))
    .filter(({ name, changes }) => changes <= Math.max(2, name.length / 2))
    .toSorted((a, b) => a.changes - b.changes);
  return closest?.name;
}

/** Letters that are inserted, removed or replaced on the way from one text to another. */
function changesOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let at = 0; at < from.length; at += 1) {
    const next = [at + 1];
    for (let of = 0; of < to.length; of += 1) {
      const replaced = (row[of] ?? 0) + Number(from[at] !== to[of]);
      next.push(Math.min(replaced, (row[of + 1] ?? 0) + 1, (next[of] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
