/**
 * @module Every assertion of five tools that needs no content has a clause: the usual turn
 * satisfies it, and a turn that the tool would refuse violates it.
 */
import { readFileSync } from "node:fs";

import { defineContract, evaluateTurns } from "@turnproof/contracts";
import type { Clause, Outcome } from "@turnproof/contracts";
import type { TurnEvent } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { parity, usual } from "./parity.ts";
import { whole } from "./turns.ts";

const page = readFileSync(new URL("../../../docs/operate/contracts.md", import.meta.url), "utf8");

type Clauses = Clause | readonly Clause[];

function listOf(clause: Clauses): Clause[] {
  return "clause" in clause ? [clause] : [...clause];
}

function wordOf(clause: Clauses | null): string {
  if (clause === null) return "needs content";
  const names = new Set(listOf(clause).map((one) => `\`${one.clause}\``));
  return [...names].join(" and ");
}

function resultOf(clause: Clauses, events: readonly TurnEvent[]): Outcome | undefined {
  const contract = defineContract({ name: "one", expect: listOf(clause) });
  const options = { metadata: whole, priceOf: () => 0.5 };
  return evaluateTurns(events, [contract], options)[0]?.contracts[0]?.result;
}

describe.each(parity)("$tool: $assertion", ({ tool, assertion, clause, broken, met }) => {
  test("is a clause with both results, or needs content; the page says so", () => {
    expect(page).toContain(`| ${tool} | ${assertion} | ${wordOf(clause)} |`);
    if (clause === null) return;
    expect(resultOf(clause, met ?? usual)).toBe("holds");
    expect(resultOf(clause, broken ?? [])).toBe("violated");
  });
});
