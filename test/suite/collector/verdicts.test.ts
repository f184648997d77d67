/**
 * Verdicts over HTTP: the judge's own, over windows that the collector collects (evidence:
 * Reconcile).
 */
import type { TurnEvent, Verdict } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import type { TurnsModel } from "../../../collector/src/pages/turns/route.ts";
import { applyChanges, verdictCases } from "../evidence/verdict-cases.ts";
import { openDesk } from "./desk.ts";
import type { Desk } from "./desk.ts";

const now = (): number => Date.parse("2026-11-21T12:00:00Z");

async function over(events: readonly object[]): Promise<Desk> {
  const desk = await openDesk({}, { now, judge: false });
  await desk.put(events as TurnEvent[], "2026-11-21T10:30:00.000000Z");
  return desk;
}

function pathOf(events: readonly object[], taskId: string | null): string {
  const [first] = events as TurnEvent[];
  const query = new URLSearchParams({
    agent_id: first?.agent_id ?? "",
    root_trace_id: first?.root_trace_id ?? "",
    ...(taskId === null ? {} : { task_id: taskId }),
  });
  return `/traces/reconcile.json?${query.toString()}`;
}

async function posted(desk: Desk, body: object): Promise<Verdict> {
  const response = await desk.collector.app.request("http://localhost/traces/reconcile", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Verdict;
}

const codesOf = (verdict: Verdict): string[] =>
  [...new Set(verdict.findings.map((finding) => finding.code))].toSorted();

const cases = verdictCases();
const success = cases.find((entry) => entry.name.includes("rule-01"));
if (success === undefined) throw new Error("the golden success is gone");

describe("golden windows", () => {
  test.each(cases)("$caption", async ({ window, expect: wanted, mutations }) => {
    const desk = await over(window.events);
    const verdict = await desk.json<Verdict>(pathOf(window.events, window.taskId));
    expect([verdict.status, codesOf(verdict)]).toEqual([wanted.status, wanted.codes]);
    for (const mutation of mutations) {
      const { events, metadata, taskId } = applyChanges(window, mutation.change);
      const judged = await posted(desk, {
        events,
        ...(taskId === null ? {} : { task_id: taskId }),
        ...(metadata === null ? {} : { normalization_metadata: metadata }),
      });
      expect([mutation.caption, judged.status]).toEqual([mutation.caption, mutation.expect.status]);
    }
    await desk.collector.close();
  });

  test("a plain list is unverified and never a success", async () => {
    const desk = await openDesk({}, { judge: false });
    const { window } = success;
    const metadata = { normalization_metadata: window.metadata };
    expect((await posted(desk, { events: window.events, ...metadata })).status).toBe("success");
    expect((await posted(desk, { events: window.events })).status).toBe("partial");
    expect((await posted(desk, { events: [] })).status).toBe("unknown");
    const hostile = { events: [null, 1, "x", [], {}, { event_id: {} }] };
    expect((await posted(desk, hostile)).status).toBe("unknown");
    await desk.collector.close();
  });
});

describe("what a verdict over HTTP rests on", () => {
  const report = (producer: string, attributes: object): TurnEvent => ({
    schema_version: 3,
    event_id: `report-${producer}`,
    event_kind: "data_quality",
    operation: "data_quality",
    phase: "event",
    status: "success",
    timestamp: "2026-11-21T10:20:00Z",
    root_trace_id: "another-root",
    producer_id: producer,
    attributes,
  });
  test.each([
    [
      "a producer that lost nothing",
      "desk-1",
      { loss_created: 9, loss_exported: 9, loss_dropped: 0 },
      "success",
    ],
    [
      "a producer that lost two",
      "desk-1",
      { loss_created: 9, loss_exported: 7, loss_dropped: 2 },
      "partial",
    ],
    [
      "a producer that sampled",
      "desk-1",
      { loss_created: 9, loss_exported: 9, loss_dropped: 0, sampled_out: 1 },
      "partial",
    ],
    [
      "the loss of somebody else",
      "desk-2",
      { loss_created: 9, loss_exported: 7, loss_dropped: 2 },
      "success",
    ],
  ])("%s", async (_what, producer, attributes, status) => {
    const desk = await over(success.window.events);
    await desk.put([report(producer, attributes)], "2026-11-21T10:40:00.000000Z");
    const verdict = await desk.json<Verdict>(pathOf(success.window.events, success.window.taskId));
    expect(verdict.status).toBe(status);
    await desk.collector.close();
  });

  test("the background judge labels turns, and lists filter by it", async () => {
    const judge = { quietMs: 1_000, everyMs: 25 };
    let clock = now();
    const desk = await openDesk({}, { now: () => clock, judge });
    const events = success.window.events.map((event) => ({ ...event, received_at: undefined }));
    await desk.put(events as unknown as TurnEvent[], "2026-11-21T11:59:59.500000Z");
    clock += 2_000;
    const list = (query: string): Promise<{ items: { verdict: string | null }[] }> =>
      desk.json(`/traces/turns.json${query}`);
    for (let waited = 0; waited < 200; waited += 1) {
      if ((await list("")).items[0]?.verdict !== null) break;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    expect((await list("")).items.map((row) => row.verdict)).toEqual(["success"]);
    expect((await list("?verdict=success")).items).toHaveLength(1);
    expect((await list("?verdict=unjudged")).items).toHaveLength(0);
    expect((await list("?finding=artifact_missing")).items).toHaveLength(0);
    await desk.collector.close();
  });

  test("findings and insights are filtered and counted apart, each by its own codes", async () => {
    const judge = { quietMs: 1_000, everyMs: 25 };
    let clock = now();
    const desk = await openDesk({}, { now: () => clock, judge });
    const bound = success.window.events.map((event) =>
      event["event_kind"] === "intent"
        ? {
            ...event,
            event_id: "binding",
            event_kind: "context_binding",
            attributes: { client_page_id: "page-1", canonical_page_id: "page-2" },
          }
        : event,
    );
    await desk.put(bound as unknown as TurnEvent[], "2026-11-21T11:59:59.500000Z");
    clock += 2_000;
    const list = (query: string): Promise<TurnsModel> => desk.json(`/traces/turns.json${query}`);
    const judged = (): Promise<TurnsModel> => list("?q=insight:page_thread_mismatch");
    for (let waited = 0; waited < 200 && (await judged()).items.length === 0; waited += 1) {
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    const [row] = (await judged()).items;
    expect(row?.insight_codes).toContain("page_thread_mismatch");
    expect(row?.finding_codes).not.toContain("page_thread_mismatch");
    expect((await list("?q=insight:negative_feedback")).items).toEqual([]);
    const refused = await desk.get("/traces/turns.json?finding=no_such_code");
    expect(refused.status).toBe(400);
    const body = JSON.stringify(await refused.json());
    expect(body).toContain("artifact_missing");
    expect(body).not.toContain("page_thread_mismatch");
    expect((await desk.get("/traces/turns.json?q=finding:page_thread_mismatch")).status).toBe(400);
    // The facets count what the row has, each under its own name.
    const { facets } = await desk.json<{
      facets: { key: string; values: { value: string; count: number }[] }[];
    }>("/traces/facets.json");
    const counted = (key: string): readonly string[] =>
      facets.find((facet) => facet.key === key)?.values.map(({ value }) => value) ?? [];
    expect(counted("insight").toSorted()).toEqual(row?.insight_codes?.toSorted());
    expect(counted("finding").toSorted()).toEqual(row?.finding_codes?.toSorted());
    await desk.collector.close();
  });
});
