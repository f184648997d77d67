/**
 * Health over a range of time: exact numbers of the range, from spans on the wire, across a
 * restart. What was not recorded is unknown.
 */
import { mkdtempSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { TurnEvent } from "@turnproof/evidence";
import { allTenants } from "@turnproof/store/testing";
import { expect, test } from "vitest";

import type { HealthModel } from "../../../collector/src/pages/health/route.ts";
import type { HealthRange } from "../../../collector/src/pages/health/range.ts";
import type { TurnsModel } from "../../../collector/src/pages/turns/route.ts";
import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

const startMs = Date.parse("2026-11-21T10:00:10.000Z");
const clock = { now: startMs };
const now = (): number => clock.now;

async function rangeOf(desk: Desk, query = "", headers = {}): Promise<HealthRange> {
  const { range } = await desk.json<HealthModel>(`/traces/health.json${query}`, headers);
  if (range === null) throw new Error("no range");
  return range;
}

function report(of: { id: string; service: string; at: string; dropped: number }): TurnEvent {
  return {
    schema_version: 3,
    event_id: `report-${of.id}-${of.at}`,
    event_kind: "data_quality",
    phase: "event",
    status: "success",
    timestamp: of.at,
    application_id: of.service,
    root_trace_id: `report-${of.id}`,
    producer_id: of.id,
    attributes: {
      loss_created: 100,
      loss_exported: 100 - of.dropped,
      loss_dropped: of.dropped,
      loss_reasons: ["queue_full"],
      loss_reason_counts: [of.dropped],
    },
  };
}

/** A turn of a service whose process numbers its events, or has no id. */
function turnOf(service: string, at: string, producer?: string): TurnEvent[] {
  const events = turnEvents({ root: `root-${service}-${at}`, application: service, at });
  return producer === undefined
    ? events
    : events.map((event) => ({ ...event, producer_id: producer }));
}

const spans = {
  resourceSpans: [
    {
      resource: { attributes: [{ key: "service.name", value: { stringValue: "shop" } }] },
      scopeSpans: [
        {
          spans: [
            {
              traceId: "0af7651916cd43dd8448eb211c80319c",
              spanId: "b7ad6b7169203331",
              name: "invoke_agent",
              startTimeUnixNano: "1795255200000000000",
              endTimeUnixNano: "1795255201000000000",
              attributes: [
                { key: "gen_ai.operation.name", value: { stringValue: "invoke_agent" } },
                { key: "gen_ai.agent.name", value: { stringValue: "order-desk" } },
              ],
            },
            { traceId: "00", spanId: "00", name: "no ids" },
          ],
        },
      ],
    },
  ],
};

async function send(desk: Desk, token: string, body: unknown): Promise<number> {
  const { status } = await desk.collector.app.request("http://localhost:4318/v1/traces", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  return status;
}

test("what was received and refused in a range is exact by sender, and outlives a restart", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "turnproof-range-"));
  const env = {
    TURNPROOF_DATA_DIR: dataDir,
    TURNPROOF_INGEST_TOKENS: "till:till-q7KxZt4Wm9Rc2Yd8,desk:desk-q7KxZt4Wm9Rc2Yd8",
  };
  clock.now = startMs;
  const first = await openDesk(env, { now, judge: false });
  try {
    expect(await send(first, "till-q7KxZt4Wm9Rc2Yd8", spans)).toBe(200);
    expect(await send(first, "desk-q7KxZt4Wm9Rc2Yd8", { resourceSpans: 7 })).toBe(400);
    expect(await send(first, "wrong-token", spans)).toBe(401);
    clock.now += 20_000;
    const { ingest } = await rangeOf(first, "?start_time=2026-11-21T10:00:00Z");
    expect(ingest).toMatchObject({ received: 2, requests: 3 });
    expect(ingest?.refusals).toEqual(
      expect.arrayContaining([
        { sender: "till", code: expect.any(String), requests: 0, items: 1 },
        { sender: "desk", code: expect.any(String), requests: 1, items: 0 },
        { sender: null, code: "unauthenticated", requests: 1, items: 0 },
      ]),
    );
    expect(ingest?.refusals).toHaveLength(3);
    expect(ingest?.recorded?.from).toBe("2026-11-21T10:00:10.000Z");
    expect(ingest?.unrecorded).toEqual([
      { from: "2026-11-21T10:00:00.000Z", to: "2026-11-21T10:00:10.000Z" },
    ]);
  } finally {
    await first.collector.close();
  }
  clock.now += 600_000;
  const second = await openDesk(env, { now, judge: false });
  try {
    expect(await send(second, "till-q7KxZt4Wm9Rc2Yd8", spans)).toBe(200);
    clock.now += 1_000;
    const whole = (await rangeOf(second)).ingest;
    expect(whole).toMatchObject({ received: 4, requests: 4 });
    expect(whole?.unrecorded).toEqual([{ from: null, to: "2026-11-21T10:00:10.000Z" }]);
    const later = (await rangeOf(second, "?start_time=2026-11-21T10:05:00Z")).ingest;
    expect(later).toMatchObject({ received: 2, requests: 1, unrecorded: [] });
    const page = await (await second.get("/traces/health?start_time=-1h")).text();
    expect(page).toContain("Counts of these times are unknown.");
    expect(page).toContain("≥ 4");
    const before = await (await second.get("/traces/health?end_time=2026-11-20")).text();
    expect(before).toContain("Nothing of this range was recorded.");
  } finally {
    await second.collector.close();
  }
});

test("a judge is behind by what is beyond its wait for quiet turns", async () => {
  for (const [markAgeMs, behindMs, keptBy] of [
    [14_000, 0, "this process"],
    [74_000, 60_000, "this process"],
    [3_600_000, null, "an earlier process"],
  ] as const) {
    const dataDir = mkdtempSync(join(tmpdir(), "turnproof-range-"));
    clock.now = startMs;
    const since = new Date(startMs - markAgeMs).toISOString();
    const mark = JSON.stringify({ version: 1, store: "filesystem ", since, seen: [], named: [] });
    const file = join(dataDir, "judge.json");
    writeFileSync(file, mark);
    if (keptBy === "an earlier process") {
      const before = performance.timeOrigin / 1_000 - 60;
      utimesSync(file, before, before);
    }
    const desk = await openDesk({ TURNPROOF_DATA_DIR: dataDir }, { now, judge: false });
    try {
      // The reading is of the start; a range needs some time after it.
      clock.now += 20_000;
      const { ingest } = await rangeOf(desk, "?start_time=2026-11-21T10:00:00Z");
      expect(ingest?.peaks?.judge_behind_ms).toBe(behindMs);
      const page = await desk.get("/traces/health?start_time=2026-11-21T10:00:00Z");
      const text = (await page.text()).includes("longest delay after a turn was due");
      expect([markAgeMs, text]).toEqual([markAgeMs, behindMs !== null]);
    } finally {
      await desk.collector.close();
    }
  }
});

test("a row per service: losses of the range, what is not known, and what to do", async () => {
  clock.now = Date.parse("2026-11-21T12:00:00Z");
  const accounts = {
    left: { token: "left-q7KxZt4Wm9Rc2Yd8", role: "viewer", user_id: "cust" },
  };
  const boss = { token: "boss-q7KxZt4Wm9Rc2Yd8", role: "admin" };
  const all = JSON.stringify({ ...accounts, boss });
  const desk = await openDesk({ TURNPROOF_UI_ACCOUNTS: all }, { now, judge: false });
  const headers = { authorization: `Bearer ${boss.token}` };
  await desk.put([
    ...turnOf("shop", "2026-11-21T09:00:00.000Z", "pod-1"),
    report({ id: "pod-1", service: "shop", at: "2026-11-21T09:10:00.000Z", dropped: 3 }),
    ...turnOf("shop", "2026-11-21T10:00:00.000Z", "pod-1"),
    report({ id: "pod-1", service: "shop", at: "2026-11-21T10:10:00.000Z", dropped: 5 }),
    ...turnOf("mail", "2026-11-21T10:00:00.000Z", "pod-2"),
    report({ id: "pod-2", service: "mail", at: "2026-11-21T09:30:00.000Z", dropped: 0 }),
    ...turnOf("quiet", "2026-11-21T10:00:00.000Z"),
  ]);
  try {
    const rows = async (query: string): Promise<Record<string, unknown>> => {
      const { producers } = await rangeOf(desk, query, headers);
      return Object.fromEntries(
        producers.map(({ service, lost, lost_state: state, turns }) => [
          service ?? "",
          [state, lost, turns],
        ]),
      );
    };
    const nine = "?start_time=2026-11-21T09:00:00Z&end_time=2026-11-21T09:20:00Z";
    const ten = "?start_time=2026-11-21T09:20:00Z&end_time=2026-11-21T11:00:00Z";
    expect(await rows(nine)).toEqual({ shop: ["known", 3, 1] });
    expect(await rows(ten)).toEqual({
      shop: ["known", 2, 1],
      mail: ["at_least", 0, 1],
      quiet: ["unknown", null, 1],
    });
    expect((await rows(""))["shop"]).toEqual(["known", 5, 2]);
    const { processes } = await rangeOf(desk, `${ten}&limit=1`, headers);
    expect(
      processes.map(({ producer_id: id, service, lost_state: state, lost, turns }) => [
        id,
        service,
        state,
        lost,
        turns,
      ]),
    ).toEqual([
      ["pod-1", "shop", "known", 2, 1],
      [null, "quiet", "unknown", null, 1],
      ["pod-2", "mail", "at_least", 0, 1],
    ]);
    const page = await (await desk.get(`/traces/health${ten}`, headers)).text();
    expect(page).toContain("Give its span processor a larger queue or a spool");
    expect(page).toContain("see whether it was killed");
    expect(page).toContain("Add Turnproof&#39;s span processor to it");
    const own = await rangeOf(desk, ten, {
      authorization: `Bearer ${accounts.left.token}`,
    });
    expect(own).toMatchObject({ turns: 0, ingest: null, orphans: null, producers: [] });
    expect(own.processes).toEqual([]);
  } finally {
    await desk.collector.close();
  }
});

test("an export that failed leads to refusals only where there are some", async () => {
  clock.now = Date.parse("2026-11-21T12:00:00Z");
  const env = { TURNPROOF_INGEST_TOKENS: "till:till-q7KxZt4Wm9Rc2Yd8" };
  const desk = await openDesk(env, { now, judge: false });
  const lost = report({
    id: "pod-1",
    service: "shop",
    at: "2026-11-21T11:59:00.000Z",
    dropped: 3,
  });
  const failed = { ...lost.attributes, loss_reasons: ["export_failed"] } as const;
  await desk.put([
    ...turnOf("shop", "2026-11-21T11:58:00.000Z", "pod-1"),
    { ...lost, attributes: failed },
  ]);
  const page = async (): Promise<string> => (await desk.get("/traces/health")).text();
  try {
    const before = await page();
    expect(before).toContain("Check its log and its connection to this collector");
    expect(before).not.toContain("Check the refusals");
    expect(await send(desk, "till-q7KxZt4Wm9Rc2Yd8", { resourceSpans: 7 })).toBe(400);
    clock.now += 1_000;
    // In the services and in the producers.
    expect((await page()).match(/Check the refusals on this page/g)).toHaveLength(2);
  } finally {
    await desk.collector.close();
  }
});

test("each producer has one row on the page, with a range and without one", async () => {
  clock.now = Date.parse("2026-11-21T12:00:00Z");
  const desk = await openDesk({}, { now, judge: false });
  const at = "2026-11-21T11:58:00.000Z";
  await desk.put([
    ...turnOf("shop", at, "pod-old"),
    report({ id: "pod-old", service: "shop", at: "2026-11-21T11:58:30.000Z", dropped: 3 }),
  ]);
  // So many that the newest rows have none of the first producer's.
  for (let n = 10; n < 50; n += 1) {
    const later = `2026-11-21T11:58:${n}.000Z`;
    await desk.put(turnOf("shop", later, "pod-new"), later);
  }
  try {
    for (const query of ["?limit=25", "?limit=25&start_time=-1h"]) {
      const page = await (await desk.get(`/traces/health${query}`, { accept: "text/html" })).text();
      for (const id of ["pod-old", "pod-new"]) {
        const rows = page.match(new RegExp(`<tr>(?:(?!</tr>).)*${id}(?:(?!</tr>).)*</tr>`, "gs"));
        expect([query, id, rows]).toEqual([query, id, [expect.any(String)]]);
      }
    }
  } finally {
    await desk.collector.close();
  }
});

test("the edge of a range makes no orphan, and a turn that still arrives is none yet", async () => {
  clock.now = Date.parse("2026-11-21T12:00:00Z");
  const desk = await openDesk({}, { now, judge: false });
  const span = (id: string, turn: string, at: string, parent?: string): TurnEvent => ({
    schema_version: 3,
    event_id: `${id}:result`,
    event_kind: "tool_call",
    phase: "result",
    status: "success",
    timestamp: at,
    span_id: id,
    ...(parent === undefined ? {} : { parent_span_id: parent }),
    agent_id: "one",
    user_id: "user-1",
    thread_id: "thread-1",
    turn_id: turn,
    root_trace_id: `root-${parent === "gone" ? id : "shared"}`,
    attributes: {},
  });
  await desk.put(
    [
      span("a1", "turn-a", "2026-11-21T09:00:00Z"),
      span("b1", "turn-b", "2026-11-21T10:00:00Z", "a1"),
      span("c1", "turn-c", "2026-11-21T10:00:00Z", "gone"),
    ],
    "2026-11-21T10:30:00Z",
  );
  await desk.put([span("d1", "turn-d", "2026-11-21T11:59:50Z", "gone")], "2026-11-21T11:59:55Z");
  try {
    const orphans = async (query: string): Promise<unknown> => (await rangeOf(desk, query)).orphans;
    const complete = { complete: true };
    expect(await orphans("?start_time=2026-11-21T09:30:00Z")).toEqual({
      ...complete,
      spans: 1,
      turns: 1,
      turns_known: 2,
      turns_unknown: 0,
      turns_arriving: 1,
    });
    expect(await orphans("?end_time=2026-11-21T09:30:00Z")).toMatchObject({ spans: 0, turns: 0 });
    clock.now += 120_000;
    expect(await orphans("")).toMatchObject({ spans: 2, turns: 2, turns_arriving: 0 });
    const { items } = await desk.json<TurnsModel>("/traces/turns.json?q=has:orphan");
    expect(items.map(({ turn_id }) => turn_id)).toEqual(["turn-d", "turn-c"]);
    const page = await (await desk.get("/traces/health")).text();
    expect(page).toContain("/traces?q=has%3Aorphan");
    // A row of a version that did not count orphans.
    const order = { by: "first_received" } as const;
    const where = [{ text: "turn_id", is: "turn-c" }] as const;
    const { ledger } = desk.store;
    const { records } = await ledger.listTurns({ scope: allTenants, where }, { order, limit: 2 });
    await ledger.putTurns(
      records.map(({ row: { orphan_spans, ...row }, version, ...rest }) => {
        expect(orphan_spans).toBe(1);
        return { ...rest, row, version: { ...version, rows: version.rows + 1 } };
      }),
    );
    expect(await orphans("")).toEqual({
      ...complete,
      spans: 1,
      turns: 1,
      turns_known: 3,
      turns_unknown: 1,
      turns_arriving: 0,
    });
  } finally {
    await desk.collector.close();
  }
});

test("a range without anything has no zero and nothing unknown", async () => {
  const desk = await openDesk({}, { now, judge: false });
  await desk.put(turnEvents({ root: "root-1", at: "2026-11-21T09:00:00Z" }));
  const tiles = async (query: string): Promise<string> => {
    const page = await desk.get(`/traces/health${query}`, { accept: "text/html" });
    const text = (await page.text()).replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
    return text.slice(text.indexOf("turns"), text.indexOf("Services in this range"));
  };
  const empty = await tiles("?start_time=2020-01-01T00:00:00Z&end_time=2020-01-02T00:00:00Z");
  expect(empty).toContain("none in this range");
  expect(empty).toContain("no turn in this range");
  expect(empty).toContain("no service in this range");
  expect(empty).not.toMatch(/services not known|all of them judged|every parent is there/);
  expect(empty).not.toMatch(/accounted for/);
  const some = await tiles("?start_time=2026-11-21T08:00:00Z&end_time=2026-11-21T10:00:00Z");
  expect(some).not.toMatch(/in this range/);
  await desk.collector.close();
});

test("what does not follow the range states it, with and without one", async () => {
  const desk = await openDesk({}, { now, judge: false });
  for (const [query, words] of [
    ["", "Independent of the range:"],
    ["?start_time=-1h", "Independent of the range that is chosen:"],
  ] as const) {
    const page = await desk.get(`/traces/health${query}`, { accept: "text/html" });
    const [, second = ""] = (await page.text()).split("Now, and in the newest rows");
    expect(second.replaceAll(/<!--.*?-->/gu, "")).toContain(words);
  }
  await desk.collector.close();
});
