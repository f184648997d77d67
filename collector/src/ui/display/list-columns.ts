/**
 * @module ListColumns: the columns of the list of turns that can be hidden, by their names in the
 * address (`hide=memory,cache`). The time, which is the row's link, always stays.
 */

/** Turns on a page of the list. */
export const turnsShown = 20;

/** The sizes that the foot of the list offers. */
export const pageSizes: readonly number[] = [turnsShown, 50, 100, 250];

/** Names and words in the order of the list. */
export const turnColumnNames: readonly (readonly [name: string, word: string])[] = [
  ["agent", "Agent"],
  ["thread", "Thread"],
  ["verdict", "Verdict"],
  ["whole", "Stages"],
  ["memory", "Memory"],
  ["cache", "Cache"],
  ["tools", "Tools"],
  ["tokens", "Tokens"],
  ["duration", "Duration"],
  ["findings", "Findings"],
];

/** The hidden columns of an address; other words are ignored. */
export function hiddenColumns(query: URLSearchParams): ReadonlySet<string> {
  const known = new Set(turnColumnNames.map(([name]) => name));
  return new Set((query.get("hide") ?? "").split(",").filter((name) => known.has(name)));
}

/** Classes of a table with this address. */
export function listClasses(query: URLSearchParams): string {
  const hidden = [...hiddenColumns(query)].map((name) => `hide-${name}`);
  return [...hidden, ...(query.get("rows") === "dense" ? ["dense-rows"] : [])].join(" ");
}
