/** @module The accessible text of a waterfall row: unknown values are not left out. */
import { buildCausalWaterfall } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { rowSummary } from "./row-summary.ts";
import { waterfallRows } from "./waterfall-rows.ts";

const shown = { collapsed: false, priority: undefined } as const;

function event(id: string, more: Partial<TurnEvent>): TurnEvent {
  return {
    schema_version: 3,
    event_id: `${id}:result`,
    event_kind: "application_action",
    operation: id,
    phase: "result",
    status: "success",
    timestamp: "2026-11-21T10:00:01.000Z",
    started_at: "2026-11-21T10:00:00.000Z",
    duration_ms: 1_000,
    span_id: id,
    agent_id: "desk",
    thread_id: "thread",
    turn_id: "turn-1",
    root_trace_id: "root",
    attributes: {},
    ...more,
  };
}

const summaries = (events: readonly TurnEvent[]): readonly string[] =>
  waterfallRows(buildCausalWaterfall(events)).rows.map((row) => rowSummary(row, shown));

test("a result without times says that its duration is unknown", () => {
  const { duration_ms: _, started_at: __, ...silent } = event("late", { status: "unknown" });
  const [line] = summaries([silent]);
  expect(line).toMatch(/^late, application action, unknown status, (unknown duration|a point)/);
});

test("several turns of one root stand under rows that name them", () => {
  const lines = summaries([event("one", {}), event("two", { turn_id: "turn-2" })]);
  expect(lines).toContain("desk, turn turn-1, 1 s");
  expect(lines).toContain("desk, turn turn-2, 1 s");
});

test("a finding and what a closed row hides are said", () => {
  const { rows } = waterfallRows(
    buildCausalWaterfall([event("top", {}), event("below", { parent_span_id: "top" })]),
  );
  const [top] = rows;
  if (top === undefined) throw new Error("no row");
  expect(rowSummary(top, { collapsed: true, priority: 0 })).toBe(
    "top, application action, success, 1 s, finding P0, 1 row hidden",
  );
});
