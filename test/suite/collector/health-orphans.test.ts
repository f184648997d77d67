/**
 * Orphans of the health view: a span whose parent is not among the rows that were read is an orphan
 * only where all of its trace was read.
 */
import type { TurnEvent } from "@turnproof/evidence";
import { expect, test } from "vitest";

import type { HealthModel } from "../../../collector/src/pages/health/route.ts";
import { openDesk } from "./desk.ts";

const now = (): number => Date.parse("2026-11-21T12:00:00Z");

function span(id: string, root: string, agent: string, parent?: string): TurnEvent {
  return {
    schema_version: 3,
    event_id: `${id}:result`,
    event_kind: "tool_call",
    phase: "result",
    status: "success",
    timestamp: "2026-11-21T10:00:00Z",
    span_id: id,
    ...(parent === undefined ? {} : { parent_span_id: parent }),
    agent_id: agent,
    user_id: "user-1",
    thread_id: "thread-1",
    turn_id: `turn-${agent}`,
    root_trace_id: root,
    attributes: {},
  };
}

test("a filter that leaves the parent out makes no orphan, a parent that nobody sent does", async () => {
  const desk = await openDesk({}, { now, judge: false });
  const shared = [span("a1", "root-1", "one"), span("b1", "root-1", "two", "a1")];
  await desk.put([...shared, span("b2", "root-2", "two", "never-sent")], "2026-11-21T10:30:00Z");
  const counts = async (query: string): Promise<unknown> => {
    const { orphan_spans, parents_beyond_window } = await desk.json<HealthModel>(
      `/traces/health.json${query}`,
    );
    return [orphan_spans, parents_beyond_window];
  };
  expect(await counts("")).toEqual([1, 0]);
  expect(await counts("?agent_id=two")).toEqual([1, 1]);
  expect(await counts("?agent_id=one")).toEqual([0, 0]);
  await desk.collector.close();
});
