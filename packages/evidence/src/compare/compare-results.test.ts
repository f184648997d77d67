/**
 * @module Results side by side: sources by version; artifacts, contracts and deliveries by state.
 */
import { describe, expect, test } from "vitest";

import { compareResults } from "./compare-results.ts";
import type { EventResource, TurnEvent } from "../event/event.ts";

let second = 0;

function event(kind: TurnEvent["event_kind"], extra: Partial<TurnEvent> = {}): TurnEvent {
  second += 1;
  return {
    schema_version: 3,
    event_id: `${kind}-${second}`,
    event_kind: kind,
    phase: "event",
    status: "success",
    timestamp: new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString(),
    attributes: {},
    ...extra,
  };
}

const doc = (ref: string, version?: string, resource_type = "document"): EventResource => ({
  resource_type,
  ref,
  ...(version === undefined ? {} : { version }),
});
const uses = (...input_refs: EventResource[]): TurnEvent => event("artifact", { input_refs });
const artifact = (
  artifact_type: string | undefined,
  attributes: TurnEvent["attributes"] = {},
  extra: Partial<TurnEvent> = {},
): TurnEvent =>
  event("artifact", {
    output_refs: [doc("out", "1", artifact_type ?? "none")],
    ...extra,
    attributes: { ...(artifact_type === undefined ? {} : { artifact_type }), ...attributes },
  });

describe("sources", () => {
  const rows = (before: readonly TurnEvent[], after: readonly TurnEvent[]): unknown[] =>
    compareResults(before, after).sources.map((row) => Object.values(row));

  test("are told by type and ref, in the order of their names", () => {
    const before = [uses(doc("b", "1"), doc("a", "1")), uses(doc("z", "1", "book"))];
    const after = [uses(doc("b", "2"), doc("c", "1")), uses(doc("b", "1", "note"))];
    expect(rows(before, after)).toEqual([
      ["book", "z", "removed", ["1"], null],
      ["document", "a", "removed", ["1"], null],
      ["document", "b", "changed", ["1"], ["2"]],
      ["document", "c", "added", null, ["1"]],
      ["note", "b", "added", null, ["1"]],
    ]);
  });

  test("have every version in which they were used, one without a version first", () => {
    const before = [uses(doc("a", "2")), uses(doc("a", "1")), uses(doc("a"))];
    expect(rows(before, before.toReversed())).toEqual([
      ["document", "a", "unchanged", [null, "1", "2"], [null, "1", "2"]],
    ]);
    expect(rows(before, before.slice(1))[0]).toContain("changed");
    expect(rows(before.slice(1), before)[0]).toContain("changed");
    const swapped = [uses(doc("a", "2")), uses(doc("a", "3")), uses(doc("a"))];
    expect(rows(before, swapped)[0]).toContain("changed");
  });

  test("are not what a delivery carries", () => {
    const carries = event("delivery", { input_refs: [doc("a", "1")] });
    expect(rows([carries], [uses(doc("b", "1"))])).toEqual([
      ["document", "b", "added", null, ["1"]],
    ]);
  });
});

describe("states", () => {
  test("of artifacts say what became of them and whether that is persisted", () => {
    const stated = [
      artifact("a", { artifact_status: "updated", persistence_verified: true }),
      artifact("b", { artifact_status: "created", persistence_verified: false }),
      artifact("c"),
      artifact("d", {}, { phase: "start", status: "started" }),
    ];
    expect(compareResults([], stated).artifacts).toEqual(
      [
        ["a", "updated verified"],
        ["b", "created unverified"],
        ["c", "unknown unknown"],
      ].map(([name, state]) => ({ name, change: "added", baseline: null, candidate: [state] })),
    );
  });

  test("of several artifacts of one type are all told, in one order", () => {
    const two = [
      artifact("a", { artifact_status: "updated" }, { output_refs: [doc("x", "1", "a")] }),
      artifact("a", { artifact_status: "created" }, { output_refs: [doc("y", "1", "a")] }),
    ];
    const { artifacts } = compareResults(two, two.toReversed());
    const both = ["created unknown", "updated unknown"];
    expect(artifacts).toEqual([
      { name: "a", change: "unchanged", baseline: both, candidate: both },
    ]);
  });

  test("of contracts are the latest of each name: what the parser said, and a recovery", () => {
    const contract = (contract_name: string, attributes: TurnEvent["attributes"]): TurnEvent =>
      event("contract", { attributes: { contract_name, ...attributes } });
    const stated = [
      contract("form", { parser_status: "failed" }),
      contract("form", { parser_status: "success" }),
      contract("list", {}),
      contract("chart", { parser_status: "partial", recovery_used: true }),
      { ...contract("begun", {}), phase: "start" as const },
    ];
    const { contracts } = compareResults(stated, []);
    expect(contracts.map(({ name, change, baseline }) => [name, change, baseline])).toEqual([
      ["chart", "removed", ["partial recovered"]],
      ["form", "removed", ["success"]],
      ["list", "removed", ["unknown"]],
    ]);
  });

  test("of deliveries say whether they were emitted and acknowledged", () => {
    const delivery = (
      target: string | undefined,
      emitted: boolean | undefined,
      acknowledged: boolean | null,
    ): TurnEvent =>
      event("delivery", {
        attributes: {
          ...(target === undefined ? {} : { delivery_target: target }),
          ...(emitted === undefined ? {} : { emitted }),
          acknowledged,
        },
      });
    const stated = [
      delivery("mail", true, true),
      delivery("page", false, false),
      delivery(undefined, undefined, null),
    ];
    const { deliveries } = compareResults(stated, stated.slice(0, 1));
    expect(deliveries).toEqual([
      {
        name: "mail",
        change: "unchanged",
        baseline: ["emitted acknowledged"],
        candidate: ["emitted acknowledged"],
      },
      {
        name: "page",
        change: "removed",
        baseline: ["not_emitted not_acknowledged"],
        candidate: null,
      },
      { name: null, change: "removed", baseline: ["unknown unknown"], candidate: null },
    ]);
  });
});
