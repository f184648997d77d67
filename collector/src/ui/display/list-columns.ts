/**
 * @module ListColumns: the columns of the list of turns that can be hidden or shown, by their names
 * in the address (`hide=memory&show=cache`). Without either, some depend on the room of the list.
 * The time, which is the row's link, always stays.
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
  ["insights", "Insights"],
];

/** Columns that a list without enough room leaves out unless they are chosen; insights always. */
export const roomColumns: readonly string[] = [
  "cache",
  "whole",
  "thread",
  "memory",
  "tools",
  "tokens",
  "insights",
];

/** The columns that an address hides, and those that it shows whatever the room. */
export interface ChosenColumns {
  readonly hidden: ReadonlySet<string>;
  readonly shown: ReadonlySet<string>;
}

/** The chosen columns of an address; other words are ignored, and hidden ones are not shown. */
export function chosenColumns(query: URLSearchParams): ChosenColumns {
  const named = (parameter: string): readonly string[] => (query.get(parameter) ?? "").split(",");
  const hidden = new Set(
    turnColumnNames.flatMap(([name]) => (named("hide").includes(name) ? name : [])),
  );
  const shown = new Set(
    roomColumns.filter((name) => named("show").includes(name) && !hidden.has(name)),
  );
  return { hidden, shown };
}

/** Classes of a table with this address. */
export function listClasses(query: URLSearchParams): string {
  const { hidden, shown } = chosenColumns(query);
  return [
    ...[...hidden].map((name) => `hide-${name}`),
    ...(shown.size === 0 ? [] : ["scrolls"]),
    ...[...shown].map((name) => `show-${name}`),
    ...(query.get("rows") === "dense" ? ["dense-rows"] : []),
  ].join(" ");
}
