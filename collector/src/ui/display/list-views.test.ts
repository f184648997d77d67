/** @module Views of the list: built in, saved, renamed; stored data is validated. */
import fc from "fast-check";
import { expect, test } from "vitest";

import { readTerms, termsOf } from "./filter-terms.ts";
import {
  builtInViews,
  readSaved,
  sameView,
  viewInRange,
  viewQuery,
  withSaved,
} from "./list-views.ts";

test("every built-in view is made of terms that the bar understands", () => {
  expect(builtInViews.map(({ name }) => name)).toEqual([
    "Not delivered",
    "Unknown outcome",
    "Memory degraded",
    "Fallbacks",
    "Over 10 s",
  ]);
  for (const { query } of builtInViews) {
    const parameters = new URLSearchParams(query);
    expect(termsOf(parameters)).toHaveLength(1);
    expect(readTerms(parameters.get("q") ?? "").unclear).toEqual([]);
  }
});

test("a view keeps the chosen range, unless it has times of its own", () => {
  const query = "?start_time=-24h&agent_id=a&sort=verdict";
  expect(viewInRange("?q=has%3Afallback", query)).toBe("?q=has%3Afallback&start_time=-24h");
  expect(viewInRange("", query)).toBe("?start_time=-24h");
  const own = "?agent_id=b&start_time=-7d";
  expect(viewInRange(own, query)).toBe(own);
  expect(viewInRange("?agent_id=b", "?agent_id=a")).toBe("?agent_id=b");
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
