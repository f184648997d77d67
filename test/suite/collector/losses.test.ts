/**
 * @module Who sees which loss: one process serves two tenants, numbers what it sends and accounts
 * for it. A reader of all of it sees the number; a part of it shows no loss, and no gap.
 */
import type { LossAccounting, TurnEvent } from "@turnproof/evidence";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

const accounts = {
  boss: { token: "boss-q7KxZt4Wm9Rc2Yd8", role: "admin" },
  left: { token: "left-q7KxZt4Wm9Rc2Yd8", role: "viewer", user_id: "cust_left" },
  till: { token: "till-q7KxZt4Wm9Rc2Yd8", role: "viewer", application_id: "till" },
};

let desk: Desk;

/** Numbers 1 to 6 go to one tenant and 7 to 12 to the other; 4 and 10 never arrive. */
function numbered(): TurnEvent[] {
  const roots = ["root-a", "root-b", "root-c", "root-d"];
  const all = roots.flatMap((root, at) =>
    turnEvents({ root, user: at % 2 === 0 ? "cust_left" : "cust_right", application: "till" }),
  );
  return all
    .map((event, at) => ({ ...event, producer_id: "pod-1", producer_seq: at + 1 }))
    .filter(({ producer_seq: seq }) => seq !== 4 && seq !== 10);
}

beforeAll(async () => {
  desk = await openDesk({ TURNPROOF_UI_ACCOUNTS: JSON.stringify(accounts) });
  const report: TurnEvent = {
    schema_version: 3,
    event_id: "report",
    event_kind: "data_quality",
    phase: "event",
    status: "success",
    timestamp: "2026-11-21T10:00:01.000Z",
    application_id: "till-host",
    root_trace_id: "report",
    producer_id: "pod-1",
    attributes: { loss_created: 12, loss_exported: 10, loss_dropped: 2, last_seq: 12 },
  };
  await desk.put([...numbered(), report]);
});

afterAll(() => desk.collector.close());

async function lossesOf(token: string, query = ""): Promise<LossAccounting> {
  const headers = { authorization: `Bearer ${token}` };
  return desk.json<LossAccounting>(`/traces/health.json${query}`, headers);
}

test("who reads everything sees the number, though its gaps are in the window as well", async () => {
  const { producers, dropped_events: lost } = await lossesOf(accounts.boss.token);
  expect(lost).toEqual({ value: 2, state: "known" });
  expect(producers).toMatchObject([
    { producer_id: "pod-1", application_ids: ["till-host", "till"], lost: 2, sequence_gaps: 2 },
  ]);
});

test("a filter leaves the producer's own account, and finds no gap in a part", async () => {
  const { producers } = await lossesOf(accounts.boss.token, "?user_id=cust_left");
  expect(producers).toMatchObject([{ lost: 2, state: "lost", sequence_gaps: null }]);
});

test("who is bound to a tenant or an application reads a part, which shows no loss", async () => {
  for (const { token } of [accounts.left, accounts.till]) {
    const { producers, dropped_events: lost } = await lossesOf(token);
    expect(lost).toEqual({ value: null, state: "unknown" });
    expect(producers).toMatchObject([{ lost: null, state: "unknown", sequence_gaps: null }]);
    const headers = { authorization: `Bearer ${token}` };
    const page = await (await desk.get("/traces/health", headers)).text();
    expect(page).toContain("You may read a part of its events, and a part shows no loss.");
    expect(page).not.toMatch(/numbers are missing/);
  }
});

test("a turn under way and mere structure leave the number known where they name their producer", async () => {
  const rest = turnEvents({ root: "root-open", application: "till" }).map((event, at) => ({
    ...event,
    ...(at === 0 ? { event_id: "open:start", phase: "start" as const } : {}),
    event_kind: at === 0 ? ("turn" as const) : ("span" as const),
  }));
  const named = await openDesk();
  const nameless = await openDesk();
  try {
    const report = {
      ...rest[0],
      event_id: "report",
      event_kind: "data_quality",
      phase: "event",
      root_trace_id: "report",
      producer_id: "pod-1",
      attributes: { loss_created: 3, loss_exported: 3, loss_dropped: 0, last_seq: 3 },
    } as TurnEvent;
    await named.put([report, ...rest.map((event) => ({ ...event, producer_id: "pod-1" }))]);
    await nameless.put([report, ...rest]);
    const lost = async (of: Desk): Promise<unknown> =>
      (await of.json<LossAccounting>("/traces/health.json")).dropped_events;
    expect(await lost(named)).toEqual({ value: 0, state: "known" });
    expect(await lost(nameless)).toEqual({ value: null, state: "unknown" });
  } finally {
    await named.collector.close();
    await nameless.collector.close();
  }
});

test("evidence is not called whole where the comparison found no turn to compare", async () => {
  const fresh = await openDesk({ TURNPROOF_BACKEND: "filesystem" });
  interface Health {
    readonly collector: {
      readonly ingest: { readonly missing: { readonly turns: number } | null };
    };
  }
  await vi.waitFor(async () => {
    const { collector } = await fresh.json<Health>("/traces/health.json");
    expect(collector.ingest.missing).toMatchObject({ turns: 0 });
  }, 60_000);
  await fresh.put(turnEvents({ root: "root-later" }));
  const page = await (await fresh.get("/traces/health")).text();
  expect(page).toContain("not compared with its turns");
  expect(page).not.toContain("all of it, in 0 turns");
  await fresh.collector.close();
});
