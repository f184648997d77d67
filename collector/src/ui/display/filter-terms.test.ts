/** @module The filter bar's language: parsed, written, and converted to parameters. */
import { eventKinds, verdictStatuses } from "@turnproof/semconv";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { filterKeys, storeKeys, typedKeys } from "./filter-keys.ts";
import {
  firstUnclear,
  parametersOf,
  queryOf,
  readTerms,
  termText,
  termsOf,
  unclearOf,
  unclearReason,
} from "./filter-terms.ts";
import type { Term } from "./filter-terms.ts";

describe("reading", () => {
  test("terms, negation and quotes; what is not understood is kept apart", () => {
    const { terms, unclear } = readTerms(
      'status:error -agent:"two words" hello -"a: phrase" colour:red has:x verdict:good -',
    );
    expect(terms).toEqual([
      { key: "status", value: "error", negated: false },
      { key: "agent", value: "two words", negated: true },
      { key: "text", value: "hello", negated: false },
      { key: "text", value: "a: phrase", negated: true },
    ]);
    expect(unclear).toEqual(["colour:red", "has:x", "verdict:good", "-"]);
    expect(unclear.map(unclearReason)).toEqual([
      "colour: is no key; in quotes it is searched as text",
      expect.stringMatching(/^has: is one of finding, /),
      "verdict: is one of success, partial, failed, unknown, unjudged",
      "is no text",
    ]);
  });

  test("a quote that is not closed is marked, and the text stays the same when it is read again", () => {
    for (const [text, marked] of [
      ['"open two', '"open'],
      ['two agent:"desk', 'agent:"desk'],
      ['two o"p', 'o"p'],
    ] as const) {
      const { terms, unclear } = readTerms(text);
      expect([terms.map(termText), unclear]).toEqual([["two"], [marked]]);
      expect(unclearReason(marked)).toBe("has a quote that is not closed");
      expect(readTerms(`two ${marked}`).unclear).toEqual([marked]);
    }
  });

  test("a comma is either, also of two terms where a turn has one value; quotes keep a comma", () => {
    const agents = { key: "agent", value: "a", others: ["b c", "d"], negated: false };
    expect(readTerms('agent:a,"b c",d')).toEqual({ terms: [agents], unclear: [] });
    expect(readTerms('agent:a agent:"b c" agent:d,a').terms).toEqual([agents]);
    expect(parametersOf([agents])).toEqual({ q: 'agent:a,"b c",d' });
    expect(readTerms('-verdict:failed,partial agent:"a,b"').terms).toEqual([
      { key: "verdict", value: "failed", others: ["partial"], negated: true },
      { key: "agent", value: "a,b", negated: false },
    ]);
    expect(termText({ key: "agent", value: "a,b", negated: false })).toBe('agent:"a,b"');
    // A turn has several tools and releases: two terms are both.
    expect(readTerms("tool:a tool:b -agent:a -agent:b").terms).toHaveLength(4);
  });

  test("a word of another language, and half of a list, are marked with a hint", () => {
    const { terms, unclear } = readTerms(
      'agent:a OR tool:b AND NOT || && , agent:c, agent:,d verdict:failed,good tokens:>1,000 "OR" or',
    );
    expect(terms.map(termText)).toEqual(["agent:a", "tool:b", '"OR"', "or"]);
    expect(unclear).toEqual(
      "OR AND NOT || && , agent:c, agent:,d verdict:failed,good tokens:>1,000".split(" "),
    );
    for (const word of ["OR", "AND", "||", ","]) {
      expect(unclearReason(word)).toContain("agent:a,b is either");
    }
    expect(unclearReason("agent:c,")).toBe("agent: needs a value on each side of a comma");
    expect(unclearReason("tokens:>1,000")).toBe("tokens: takes one value");
    expect(unclearReason("verdict:failed,good")).toMatch(/^verdict: is one of/);
  });

  test("every key can be negated, and a time must be one", () => {
    for (const key of filterKeys) {
      const value =
        {
          has: "error",
          call: "tool:search:*",
          latency: ">2s",
          tokens: ">5",
          status: "error",
          verdict: "failed",
          finding: "delivery_missing",
          insight: "memory_supply_missing",
          kind: "tool_call",
          contract: "refund=violated",
          reason: "known_loss",
        }[key] ?? "2026-11-21";
      expect(readTerms(`-${key}:${value}`).unclear).toEqual([]);
    }
    const { terms, unclear } = readTerms("after:2026-11-21T10:00:00+02:00 before:soon after:1");
    expect(terms).toHaveLength(1);
    expect(unclear).toEqual(["before:soon", "after:1"]);
  });

  test("tenant is user, a star is explained, and signs of ids are text", () => {
    const user = { key: "user", value: "usr_bo", negated: true };
    expect(readTerms("-tenant:usr_bo")).toEqual({ terms: [user], unclear: [] });
    expect(unclearReason("tenant:")).toBe("tenant: needs a value");
    expect(readTerms("_ % -")).toMatchObject({
      terms: [{ value: "_" }, { value: "%" }],
      unclear: ["-"],
    });
    expect(readTerms("agent:order* call:tool:*:failed").unclear).toEqual(["agent:order*"]);
    expect(unclearReason("agent:order*")).toMatch(/^agent: takes a whole value, without \*/);
    const whole = { key: "agent", value: "order*", negated: false };
    expect(readTerms(termText(whole))).toEqual({ terms: [whole], unclear: [] });
  });

  test("whatever is written is read back", () => {
    const value = fc
      .stringMatching(/^[A-Za-z0-9_., -]{1,12}$/)
      .filter((text) => text.trim() === text && /[a-z0-9]/i.test(text));
    const keys = ["agent", "tool", "thread", "model", "cache"] as const;
    const term = fc.oneof(
      fc.record({ key: fc.constantFrom("text", ...keys), value, negated: fc.boolean() }),
      fc.uniqueArray(value, { minLength: 2, maxLength: 3 }).chain(([first = "", ...others]) =>
        fc.record({
          key: fc.constantFrom(...keys),
          value: fc.constant(first),
          others: fc.constant(others),
          negated: fc.boolean(),
        }),
      ),
    );
    // Two terms of a key of which a turn has one value are read as one list.
    const place = ({ key, negated, ...of }: Term): string =>
      ["agent", "thread", "cache"].includes(key) && !negated
        ? key
        : JSON.stringify([key, negated, of]);
    const some = fc.uniqueArray<Term, string>(term, { maxLength: 6, selector: place });
    fc.assert(
      fc.property(some, (terms) => {
        expect(readTerms(terms.map(termText).join(" "))).toEqual({ terms, unclear: [] });
      }),
    );
  });
});

describe("the address", () => {
  test("what the store answers is a parameter, the rest is q, and both come back as terms", () => {
    const { terms, unclear } = readTerms(
      "agent:a user:anonymous latency:>2s -tool:x is:it status:error status:success user:u",
    );
    expect(parametersOf(terms, unclear)).toEqual({
      agent_id: "a",
      status: "error",
      q: "user:anonymous,u latency:>2s -tool:x status:success is:it",
    });
    const query = new URLSearchParams(
      queryOf(terms, new URLSearchParams("limit=5&cursor=c"), unclear),
    );
    expect(query.get("limit")).toBe("5");
    expect(query.has("cursor")).toBe(false);
    expect(unclearOf(query)).toEqual(["is:it"]);
    expect(new Set(termsOf(query).map(termText))).toEqual(new Set(terms.map(termText)));
  });

  test("sorting an address a second time changes nothing", () => {
    const words = fc.constantFrom(
      "agent:a",
      "-agent:b",
      "status:error",
      "latency:>2s",
      "x",
      '"two words"',
      "latency:soon",
      "user:u",
      "user:anonymous",
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

test.each([
  ["status:error colour:red", { place: 2, allowed: typedKeys }],
  ["verdict:nice", { place: 1, key: "verdict", allowed: [...verdictStatuses, "unjudged"] }],
  ["a -latency:fast", { place: 2, key: "latency", allowed: [">2s", "<150ms"] }],
  ['"a phrase" kind:nonsense', { place: 2, key: "kind", allowed: eventKinds }],
  ["agent:", { place: 1, key: "agent", allowed: [] }],
])("the first unclear term of %s is named without its text", (text, unclear) => {
  expect(firstUnclear(text)).toEqual(unclear);
  expect(JSON.stringify(firstUnclear(text))).not.toMatch(/red|nice|fast|nonsense/);
});

test("a text that is understood has no unclear term", () => {
  expect(firstUnclear("status:error search")).toBeUndefined();
});

test("every form that is offered for a value is understood", () => {
  for (const key of typedKeys) {
    for (const value of firstUnclear(`${key}:\u0001`)?.allowed ?? []) {
      expect([key, value, readTerms(`${key}:${value}`).unclear]).toEqual([key, value, []]);
    }
  }
});
