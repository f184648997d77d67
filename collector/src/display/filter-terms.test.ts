/** @module The filter bar's language: read, written, sorted between store and page, applied. */
import { foldTurns } from "@turnproof/evidence";
import type { TurnEvent, TurnRow } from "@turnproof/evidence";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  filterKeys,
  keepsRow,
  parametersOf,
  queryOf,
  readTerms,
  storeKeys,
  termText,
  termsOf,
  unclearOf,
} from "./filter-terms.ts";

const event: TurnEvent = {
  schema_version: 3,
  event_id: "e1",
  event_kind: "turn",
  phase: "result",
  status: "success",
  timestamp: "2026-11-21T10:00:02.000Z",
  started_at: "2026-11-21T10:00:00.000Z",
  duration_ms: 2_000,
  agent_id: "writer",
  thread_id: "t",
  root_trace_id: "r",
  turn_id: "u",
  user_id: null,
  attributes: {},
};
const row = foldTurns([event])[0] as TurnRow;

describe("reading", () => {
  test("release and producer are asked of a row's own events", () => {
    const row = { releases: ["1.4.0", "2.0.0"], producers: ["worker-7"] } as unknown as TurnRow;
    const keeps = (text: string): boolean => keepsRow(row, readTerms(text).terms);
    expect(keeps("release:2.0.0 producer:worker-7")).toBe(true);
    expect(keeps("release:3.0.0")).toBe(false);
    expect(keeps("-release:2.0.0")).toBe(false);
  });

  test("terms, negation and quotes; what is not understood is kept apart", () => {
    const { terms, unclear } = readTerms('status:error -agent:"two words" hello colour:red has:x');
    expect(terms).toEqual([
      { key: "status", value: "error", negated: false },
      { key: "agent", value: "two words", negated: true },
    ]);
    expect(unclear).toEqual(["hello", "colour:red", "has:x"]);
  });

  test("a term of a store parameter that rows cannot answer has no negation", () => {
    expect(readTerms("-root:abc").unclear).toEqual(["-root:abc"]);
    expect(readTerms("root:abc").terms).toHaveLength(1);
  });

  test("whatever is written is read back", () => {
    const term = fc.record({
      key: fc.constantFrom("status", "agent", "tool", "thread", "model", "cache"),
      value: fc.stringMatching(/^[A-Za-z0-9_. -]{1,12}$/).filter((text) => text.trim() === text),
      negated: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(term, { maxLength: 6 }), (terms) => {
        expect(readTerms(terms.map(termText).join(" "))).toEqual({ terms, unclear: [] });
      }),
    );
  });
});

describe("the address", () => {
  test("what the store answers is a parameter, the rest is q, and both come back as terms", () => {
    const { terms, unclear } = readTerms(
      "agent:a user:anonymous latency:>2s -tool:x what status:error status:success",
    );
    expect(parametersOf(terms, unclear)).toEqual({
      agent_id: "a",
      scope: "anonymous",
      status: "error",
      q: "latency:>2s -tool:x status:success what",
    });
    const query = new URLSearchParams(
      queryOf(terms, new URLSearchParams("limit=5&cursor=c"), unclear),
    );
    expect(query.get("limit")).toBe("5");
    expect(query.has("cursor")).toBe(false);
    expect(unclearOf(query)).toEqual(["what"]);
    expect(new Set(termsOf(query).map(termText))).toEqual(new Set(terms.map(termText)));
  });

  test("sorting an address a second time changes nothing", () => {
    const words = fc.constantFrom(
      "agent:a",
      "-agent:b",
      "status:error",
      "latency:>2s",
      "x",
      "user:u",
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 8 }), (list) => {
        const first = readTerms(list.join(" "));
        const once = new URLSearchParams(
          queryOf(first.terms, new URLSearchParams(), first.unclear),
        );
        const twice = queryOf(termsOf(once), once, unclearOf(once));
        expect(twice).toBe(once.size === 0 ? "" : `?${once.toString()}`);
      }),
    );
  });

  test("every key of the store is a key of the bar", () => {
    for (const key of Object.keys(storeKeys)) expect(filterKeys).toContain(key);
  });
});

describe("rows", () => {
  test.each([
    ["agent:writer", true],
    ["-agent:writer", false],
    ["user:anonymous", true],
    ["user:unattributed", false],
    ["latency:>1s", true],
    ["latency:<1500ms", false],
    ["latency:2s", true],
    ["tokens:>1", false],
    ["cache:none", true],
    ["has:error", false],
    ["-has:error", true],
    ["verdict:unjudged", true],
  ])("%s", (text, kept) => {
    expect(keepsRow(row, readTerms(text).terms)).toBe(kept);
  });

  test("an unknown duration is neither more nor less", () => {
    const unknown = { ...row, duration_ms: null };
    expect(keepsRow(unknown, readTerms("latency:>0ms").terms)).toBe(false);
    expect(keepsRow(unknown, readTerms("latency:<9h").terms)).toBe(false);
  });
});
