/**
 * @module ListViews: named filters of the list of turns. A few are built in; the reader's own are
 * stored in the browser, and each is a link with all filters in its address.
 */
import { queryOf, readTerms, termText, termsOf } from "./filter-terms.ts";
import { inRange } from "./time-range.ts";

/** A view: its name, its address, and one sentence about it. */
export interface ListView {
  readonly name: string;
  /** The query of the address, with its question mark; empty for all turns. */
  readonly query: string;
  readonly title: string;
}

const fixed: readonly (readonly [name: string, text: string, title: string])[] = [
  [
    "Not delivered",
    "has:undelivered",
    "The delivery is missing, was not emitted, was not acknowledged, or was of something else.",
  ],
  ["Unknown outcome", "verdict:unknown", "The evidence proves neither success nor failure."],
  ["Memory degraded", "has:degraded", "Memory returned less than was requested."],
  ["Fallbacks", "has:fallback", "A tool was answered by its fallback."],
  // One bound for every page: it depends neither on the rows nor on their order.
  ["Over 10 s", "latency:>10s", "Turns with a known duration of more than ten seconds."],
];

/** The built-in views. Each searches the whole history, or the time range that is chosen. */
export const builtInViews: readonly ListView[] = fixed.map(([name, text, title]) =>
  viewOf(name, text, title),
);

/** The query of a view under an address: a view without times of its own keeps the chosen range. */
export function viewInRange(view: string, query: string): string {
  return inRange(view, new URLSearchParams(query));
}

function viewOf(name: string, text: string, title: string): ListView {
  return { name, title, query: queryOf(readTerms(text).terms, new URLSearchParams()) };
}

/** True when two addresses have the same filters, in any order. */
export function sameView(a: string, b: string): boolean {
  return sortedTerms(a) === sortedTerms(b);
}

function sortedTerms(query: string): string {
  const parameters = new URLSearchParams(query);
  const texts = termsOf(parameters).map(termText);
  return [...texts, `chart:${parameters.get("chart") ?? ""}`].toSorted().join(" ");
}

/** A saved view of the reader. */
export interface SavedView {
  readonly name: string;
  readonly query: string;
  readonly density: "normal" | "dense";
}

/** Longest name of a view, in characters. */
export const viewNameMax = 60;
const savedMax = 50;

/** Views from the browser's storage; invalid entries are left out. */
export function readSaved(text: string | null): readonly SavedView[] {
  let kept: unknown;
  try {
    kept = JSON.parse(text ?? "[]");
  } catch {
    return [];
  }
  return (Array.isArray(kept) ? (kept as readonly unknown[]) : []).flatMap((one): SavedView[] => {
    const { name, query, density } = (one ?? {}) as Record<string, unknown>;
    if (typeof name !== "string" || typeof query !== "string" || name === "") return [];
    // A view is a query of this list, and no other link.
    if (query !== "" && !query.startsWith("?")) return [];
    return [{ name, query, density: density === "dense" ? "dense" : "normal" }];
  });
}

/**
 * The views with one more, replacing one with the same name; the oldest are dropped beyond the
 * bound.
 */
export function withSaved(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  const name = view.name.trim().slice(0, viewNameMax);
  if (name === "") return views;
  const named = { ...view, name };
  const at = views.findIndex((other) => other.name === name);
  return at === -1 ? [...views, named].slice(-savedMax) : views.with(at, named);
}

/** The query of an address without its paging. */
export function viewQuery(query: URLSearchParams): string {
  const kept = new URLSearchParams(query);
  kept.delete("cursor");
  const text = kept.toString();
  return text === "" ? "" : `?${text}`;
}
