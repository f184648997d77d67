/** @module Refs: parallel lists read back as what was written. */
import fc from "fast-check";
import { expect, test } from "vitest";

import { screen } from "./guard.ts";
import { attribute } from "./registry.ts";
import { ledgerFromLists, ledgerToAttributes, refsFromLists, refsToAttributes } from "./refs.ts";

const id = fc.stringMatching(/^[a-z][a-z0-9]{1,8}$/);
const ref = fc.record(
  {
    resource_type: id,
    ref: id,
    version: fc.constantFrom("1", "v2"),
    role: id,
    ownership_verified: fc.boolean(),
    provenance_status: fc.constantFrom("verified" as const, "unverified" as const),
  },
  { requiredKeys: ["resource_type", "ref"] },
);

test("references come back as they went, and every list passes the guard", () => {
  fc.assert(
    fc.property(fc.array(ref, { maxLength: 32 }), (refs) => {
      const stated = refsToAttributes("input", refs);
      expect(screen(stated, { names: "span" }).refusedCount).toBe(0);
      const list = (name: string): never => stated[name] as never;
      const back = refsFromLists({
        types: list(attribute.input_types.span),
        refs: list(attribute.input_refs.span),
        versions: list(attribute.input_versions.span),
        roles: list(attribute.input_roles.span),
        ownership: list(attribute.input_ownership.span),
        provenance: list(attribute.input_provenance.span),
      });
      expect(back).toEqual(refs);
    }),
  );
});

test("a ledger comes back with what was known of each line", () => {
  const ledger = [
    { resource: { resource_type: "doc", ref: "d1" }, candidate_rank: 1, selected: true },
    { resource: { resource_type: "doc", ref: "d2" }, relevance_score: -0.5, selected: false },
    { resource: { resource_type: "doc", ref: "d3" }, selection_reason: "budget", selected: false },
  ];
  const stated = ledgerToAttributes(ledger);
  expect(screen(stated, { names: "span" }).refusedCount).toBe(0);
  const list = (name: string): never => stated[name] as never;
  const back = ledgerFromLists({
    types: list(attribute.ledger_types.span),
    refs: list(attribute.ledger_refs.span),
    ranks: list(attribute.ledger_ranks.span),
    scores: list(attribute.ledger_scores.span),
    selected: list(attribute.ledger_selected.span),
    reasons: list(attribute.ledger_reasons.span),
  });
  expect(back).toEqual(ledger);
});

test("shorter lists and entries without a ref say nothing instead of shifting others", () => {
  const lists = { versions: undefined, roles: undefined, ownership: ["true"], provenance: ["x"] };
  expect(refsFromLists({ types: ["doc"], refs: ["a", "", "c"], ...lists })).toEqual([
    { resource_type: "doc", ref: "a", ownership_verified: true },
    { resource_type: "resource", ref: "c" },
  ]);
});
