/**
 * Lost evidence in Health and in Incidents: one number for one range, which equals a recount by
 * the verdict of each turn; a cause of its own where nothing more urgent is found.
 */
import type { TurnEvent, TurnRow, Verdict } from "@turnproof/evidence";
import { expect, test, vi } from "vitest";

import type { HealthModel } from "../../../collector/src/pages/health/route.ts";
import type { IncidentsModel } from "../../../collector/src/pages/incidents/route.ts";
import { at, success } from "../evidence/text-windows.ts";
import { judgeTurns, openDesk } from "./desk.ts";
import type { Desk } from "./desk.ts";

const minute = 60_000;
const noon = Date.parse("2026-11-21T12:00:00Z");

/** A turn that succeeds, begun some minutes before noon; `failed`: with a tool that failed. */
function turn(before: number, failed = false): TurnEvent[] {
  const base = Date.parse("2026-11-21T08:00:00Z");
  const root = before.toString(16).padStart(32, "0");
  const events = success().map((event) => {
    const since = Date.parse(String(event["timestamp"])) - base;
    const timestamp = new Date(noon - before * minute + since).toISOString();
    return { ...event, timestamp, root_trace_id: root, producer_id: "pod-1" } as never;
  });
  const [first] = events as TurnEvent[];
  if (!failed || first === undefined) return events;
  const call = {
    event_id: `${root}-call`,
    event_kind: "tool_call",
    status: "error",
    phase: "result",
    attributes: { tool_name: "search", tool_outcome: "error" },
  } as const;
  return [...events, { ...first, ...call, input_refs: [], output_refs: [] }];
}

function report(before: number, loss_dropped: number): TurnEvent {
  const event = at(1, "data_quality", {
    quality_code: "producer_losses",
    loss_created: 9,
    loss_exported: 9,
    loss_dropped,
  });
  const { agent_id: _a, user_id: _u, thread_id: _t, turn_id: _i, ...rest } = event;
  const id = `report-${before}`;
  const timestamp = new Date(noon - before * minute).toISOString();
  const own = { application_id: "billing", producer_id: "pod-1", event_id: id, root_trace_id: id };
  return { ...rest, ...own, timestamp } as unknown as TurnEvent;
}

const ranges = ["", "start_time=2026-11-21T11:12:00Z", "end_time=2026-11-21T11:12:00Z"];

/** Turns of a range whose verdict, judged again for this request, names a loss. */
async function recounted(desk: Desk, range: string): Promise<number> {
  const { items } = await desk.json<{ items: TurnRow[] }>(`/traces/turns.json?${range}`);
  let lost = 0;
  for (const { root_trace_id: root } of items) {
    const path = `/traces/reconcile.json?agent_id=clerk&root_trace_id=${root}`;
    const { window } = await desk.json<Verdict>(path);
    if (window.reasons.includes("known_loss")) lost += 1;
  }
  return lost;
}

test("Health and Incidents have one number of turns that a loss may concern for each range", async () => {
  let now = noon;
  const judge = { quietMs: 300, everyMs: 20 };
  const desk = await openDesk({}, { judge, now: () => now });
  // Clean until 55 minutes before noon; of the turns until 40 minutes before it some lost events.
  const undelivered = turn(60).filter(({ event_kind: kind }) => kind !== "delivery");
  const events = [...turn(70), ...undelivered];
  events.push(report(55, 0), ...turn(52), ...turn(50, true), ...turn(45), report(40, 3));
  events.push(...turn(30), report(20, 3));
  now += minute;
  await desk.put(events, new Date(now).toISOString());
  now += 10_000;
  const read = async (range: string): Promise<readonly unknown[]> => {
    const health = await desk.json<HealthModel>(`/traces/health.json?${range}`);
    const incidents = await desk.json<IncidentsModel>(`/traces/incidents.json?${range}`);
    const list = await desk.json<{ turns: number }>(`/traces/trend.json?${range}&q=has:lost`);
    const known = { turns: list.turns, turns_unknown: 0 };
    expect(incidents.lost_evidence).toEqual(health.range?.lost_evidence);
    expect(incidents.lost_evidence).toEqual(known);
    const reasons = incidents.items.map(({ kind, name, turns, q_turns: q }) => [
      kind,
      name,
      turns,
      q,
    ]);
    return [list.turns, reasons];
  };
  await vi.waitFor(
    async () => {
      // Answers are cached for five seconds.
      now += 6_000;
      const [lost, reasons] = await read("");
      expect(lost).toBe(3);
      // One of the three has a failed call, which is more urgent.
      expect(reasons).toContainEqual(["evidence", "known_loss", 2, 2]);
    },
    { timeout: 20_000, interval: 50 },
  );
  const counted = [];
  for (const range of ranges) {
    const [lost] = await read(range);
    expect([range, lost]).toEqual([range, await recounted(desk, range)]);
    counted.push(lost);
  }
  expect(counted).toEqual([3, 1, 2]);
  const page = await (await desk.get("/traces/incidents", { accept: "text/html" })).text();
  expect(page.replaceAll(/<[^>]+>/g, "").replaceAll(/\s+/g, " ")).toContain(
    "Evidence was lost while 3 turns were open",
  );
  expect(page).toContain("Evidence was lost while the turn was open");
  await desk.collector.close();
});

test("turns of a version without reasons are counted as not known, and named so", async () => {
  const desk = await openDesk({}, { judge: false });
  const events = [70, 60, 50].flatMap((before) => turn(before));
  await desk.put(events);
  const [first, second] = [70, 60].map((before) => before.toString(16).padStart(32, "0"));
  await judgeTurns(desk.store, [first ?? ""], { verdict: "partial", finding_codes: [] });
  await judgeTurns(desk.store, [second ?? ""], { verdict: "success", finding_codes: [] });
  const { lost_evidence: lost, items } = await desk.json<IncidentsModel>("/traces/incidents.json");
  // The partial one and the one that is not judged; a success rests on a whole window.
  expect(lost).toEqual({ turns: 0, turns_unknown: 2 });
  expect(items.map(({ kind, name, turns, q_turns: q }) => [kind, name, turns, q])).toEqual([
    ["evidence", null, 1, 1],
  ]);
  const health = await (await desk.get("/traces/health", { accept: "text/html" })).text();
  expect(health).toMatch(/turns a loss may concern[^]*?≥ 0[^]*?2 not known/);
  await desk.collector.close();
});
