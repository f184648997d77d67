/** @module Views of the list: built in, saved, renamed; stored data is validated. */
import type { TurnRow } from "@turnproof/evidence";
import fc from "fast-check";
import { expect, test } from "vitest";

import { readTerms, termsOf } from "./filter-terms.ts";
import { builtInViews, readSaved, sameView, viewQuery, withSaved } from "./list-views.ts";

const row = (duration_ms: number | null): TurnRow => ({ duration_ms }) as TurnRow;

test("every built-in view is made of terms that the bar understands", () => {
  const views = builtInViews(Array.from({ length: 40 }, (_, index) => row(index * 100)));
  expect(views.map(({ name }) => name)).toEqual([
    "Not delivered",
    "Unknown outcome",
    "Memory degraded",
    "Fallbacks",
    "Over 3.7 s",
  ]);
  for (const { query } of views) {
    const parameters = new URLSearchParams(query);
    expect(termsOf(parameters)).toHaveLength(1);
    expect(readTerms(parameters.get("q") ?? "").unclear).toEqual([]);
  }
});

test("the slowest are told by known durations alone, and by enough of them", () => {
  const unknown = Array.from({ length: 40 }, () => row(null));
  expect(builtInViews(unknown)).toHaveLength(4);
  expect(builtInViews([...unknown, ...Array.from({ length: 19 }, () => row(50))])).toHaveLength(4);
  expect(builtInViews(Array.from({ length: 20 }, () => row(50))).at(-1)?.query).toBe(
    "?q=latency%3A%3E%3D50ms",
  );
});

test("views are the same whatever order their terms have, and pages of one view too", () => {
  expect(sameView("?agent_id=a&status=error", "?status=error&agent_id=a")).toBe(true);
  expect(sameView("?agent_id=a", "?agent_id=b")).toBe(false);
  expect(sameView("?agent_id=a", "?agent_id=a&chart=duration")).toBe(false);
  expect(viewQuery(new URLSearchParams("agent_id=a&cursor=xyz"))).toBe("?agent_id=a");
  expect(viewQuery(new URLSearchParams("cursor=xyz"))).toBe("");
});

test("a kept view takes the place of its namesake; a name is never empty or endless", () => {
  const one = { name: "mine", query: "?status=error", density: "normal" } as const;
  const kept = withSaved(withSaved([], one), { ...one, query: "?agent_id=a" });
  expect(kept).toEqual([{ ...one, query: "?agent_id=a" }]);
  expect(withSaved(kept, { ...one, name: "  " })).toBe(kept);
  expect(withSaved([], { ...one, name: "n".repeat(200) })[0]?.name).toHaveLength(60);
  const many = Array.from({ length: 60 }, (_, index) => ({ ...one, name: `${index}` }));
  expect(many.reduce(withSaved, [] as ReturnType<typeof withSaved>)).toHaveLength(50);
});

test("what a browser kept can be anything, and only queries of this list come out", () => {
  expect(readSaved('[{"name":"x","query":"//evil.example"},{"name":"y","query":"?q=a"}]')).toEqual([
    { name: "y", query: "?q=a", density: "normal" },
  ]);
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      for (const { name, query } of readSaved(text)) {
        expect(name).not.toBe("");
        expect(query === "" || query.startsWith("?")).toBe(true);
      }
    }),
  );
  expect(readSaved(null)).toEqual([]);
});
