/**
 * @module Each contract of the page: a turn on which it holds, one that violates it, one that does
 * not establish it.
 */
import { readFileSync } from "node:fs";

import { evaluateTurns, parseContracts } from "@turnproof/contracts";
import type { TurnEvent } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { cut, end, model, step, tool, whole } from "./turns.ts";

const page = readFileSync(new URL("../../../docs/operate/contracts.md", import.meta.url), "utf8");
const section = page.split("## Ten contracts")[1]?.split("\n## ")[0] ?? "";
const files = [...section.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = ""]) => {
  const { contracts, goldens } = parseContracts(text);
  return { name: contracts[0]?.name ?? "", contracts, goldens };
});

const fallback = { tool_outcome: "fallback" } as const;
const empty = { tool_outcome: "empty" } as const;
const publicDesk = { agent_id: "public-desk" };
const production = { deployment_environment: "production" };
const modelOf = (response_model: string): readonly TurnEvent[] => [
  model(10, { model: "gpt-5", response_model }),
  { ...end(), attributes: { service_version: "3.2", ...production } },
];
const intent = (name: string): TurnEvent => step("intent", 1, { intent_name: name });
const supplied = (supplied_count: number): TurnEvent =>
  step("memory_supply", 5, { supplied_count, memory_degraded: false });
const notes = { artifact_type: "study_notes", artifact_version: "v1" } as const;
const delivery = (acknowledged: boolean): TurnEvent =>
  step("delivery", 60, { ...notes, delivery_target: "page", emitted: true, acknowledged });
const artifact = step("artifact", 40, { ...notes, persistence_verified: true });

/** By contract: a turn that keeps it, and one that does not. */
const turns: Readonly<Record<string, readonly (readonly TurnEvent[])[]>> = {
  refund: [
    [tool("find_order", 1), tool("refund", 20), end()],
    [tool("find_order", 1), tool("refund", 20), tool("refund", 40), end()],
  ],
  "approval-before-deletion": [
    [tool("approve", 1), tool("delete_user", 20), end()],
    [tool("approve", 1), tool("search", 20), tool("delete_user", 40), end()],
  ],
  "public-tools": [
    [tool("search", 1, {}, publicDesk), end(publicDesk)],
    [tool("refund", 1, {}, publicDesk), end(publicDesk)],
  ],
  budget: [
    [model(1), end()],
    [model(1, { input_tokens: 70_000 }), end()],
  ],
  "pinned-model": [modelOf("gpt-5-2026-08-07"), modelOf("gpt-4")],
  "calm-calls": [
    [model(1), tool("search", 20, { retry_count: 0 }), end()],
    [model(1), tool("search", 20, fallback), tool("search", 40, fallback), end()],
  ],
  "hand-over-when-nothing-is-found": [
    [tool("search", 1, empty), tool("handover", 20), end()],
    [tool("search", 1, empty), end()],
  ],
  remembers: [
    [intent("follow_up"), supplied(2), end()],
    [intent("follow_up"), supplied(0), end()],
  ],
  "study-notes-arrive": [
    [intent("study_notes"), artifact, delivery(true), end()],
    [intent("study_notes"), artifact, delivery(false), end()],
  ],
  "approved-way": [
    [tool("find_invoice", 1), tool("check_limit", 20), tool("pay", 40), end()],
    [tool("find_invoice", 1), tool("pay", 40), end()],
  ],
};

/**
 * Turns of a window with a gap: the missing part may have what decides. Else the one that keeps it.
 */
const withGap: Readonly<Record<string, readonly TurnEvent[]>> = {
  "approval-before-deletion": [tool("delete_user", 20), end()],
  "hand-over-when-nothing-is-found": [tool("search", 1, empty), end()],
  remembers: [intent("follow_up"), end()],
  "study-notes-arrive": [intent("study_notes"), artifact, end()],
};

test("there are ten, each with a turn that keeps it", () => {
  expect(files.map(({ name }) => name)).toEqual(Object.keys(turns));
  expect(files).toHaveLength(10);
});

describe.each(files)("$name", ({ name, contracts, goldens }) => {
  const resultOf = (events: readonly TurnEvent[], metadata = whole): unknown => {
    const options = { metadata, goldens, priceOf: () => 0.01, otherwise: null };
    return evaluateTurns(events, contracts, options)[0]?.contracts[0];
  };
  test("holds on one turn, is violated on another and not established with a gap", () => {
    const [kept = [], broken = []] = turns[name] ?? [];
    expect(resultOf(kept)).toMatchObject({ result: "holds", applies: true });
    expect(resultOf(broken)).toMatchObject({ result: "violated", applies: true });
    const unclear = resultOf(withGap[name] ?? kept, cut);
    // With a gap, whether a condition on an outcome applies can be open too.
    expect(unclear).toMatchObject({ result: "not_established" });
  });
});

/** Turns that the sentence of a contract excludes, though the calls begin in its order. */
const excluded: readonly (readonly [string, string, readonly TurnEvent[]])[] = [
  [
    "approval-before-deletion",
    "a deletion during the approval",
    [tool("approve", 1_000, {}, { ms: 3_000 }), tool("delete_user", 3_000), end()],
  ],
  [
    "approval-before-deletion",
    "a second deletion",
    [tool("approve", 1), tool("delete_user", 20), tool("delete_user", 40), end()],
  ],
  [
    "refund",
    "a refund during the search",
    [tool("find_order", 1_000, {}, { ms: 3_000 }), tool("refund", 1_001), end()],
  ],
  [
    "refund",
    "a search that failed",
    [tool("find_order", 1, { tool_outcome: "error" }), tool("refund", 20), end()],
  ],
];

test.each(excluded)("%s is violated by %s", (name, _, events) => {
  const { contracts = [] } = files.find((file) => file.name === name) ?? {};
  const [turn] = evaluateTurns(events, contracts, { metadata: whole, otherwise: null });
  expect(turn?.contracts[0]?.result).toBe("violated");
});

test("budget and calm calls are decided without a price and without a number of retries", () => {
  const decided = files.filter(({ name }) => name === "budget" || name === "calm-calls");
  const { retry_count: _, ...attributes } = model(1).attributes;
  const call = { ...model(1), attributes };
  const events = [call, step("tool_call", 20, { tool_name: "search" }), end()];
  const contracts = decided.flatMap((file) => file.contracts);
  const options = { metadata: whole, priceOf: () => null, otherwise: null };
  const [turn] = evaluateTurns(events, contracts, options);
  expect(turn?.contracts.map(({ result }) => result)).toEqual(["holds", "holds"]);
  const open = turn?.contracts.flatMap(({ clauses }) =>
    clauses.flatMap(({ clause, result }) => (result === "holds" ? [] : `${clause} ${result}`)),
  );
  expect(open).toEqual(["cost not_established", "retries not_established"]);
});

test("a whole turn without a model call is within the budget", () => {
  const { contracts = [] } = files.find(({ name }) => name === "budget") ?? {};
  const options = { metadata: whole, priceOf: () => null, otherwise: null };
  const [turn] = evaluateTurns([tool("search", 20), end()], contracts, options);
  expect(turn?.contracts[0]?.clauses.map(({ result }) => result)).toEqual(["holds", "holds"]);
});
