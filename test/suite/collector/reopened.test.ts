/**
 * The background judge and the filters of Turns, from the text: a turn is unjudged until it was
 * quiet, what arrives later takes its verdict away until it is judged again, and a verdict never
 * holds more than the collector's answer now.
 */
import { readFileSync } from "node:fs";

import type { TurnEvent, Verdict } from "@turnproof/evidence";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { openDesk } from "./desk.ts";
import type { Desk } from "./desk.ts";

const golden = new URL("../../golden/windows/completeness.json", import.meta.url);
const { events } = JSON.parse(readFileSync(golden, "utf8")) as { events: TurnEvent[] };
const [first, ...others] = events as [TurnEvent, ...TurnEvent[]];
const shown = others.at(-1) as TurnEvent;
const { agent_id = "", root_trace_id = "" } = first;
const start = Date.parse("2026-10-05T08:01:00Z");
const quietMs = 1_000;

let clock = start;
let desk: Desk;

/** Puts events into the store as received now; the turn is quiet when the clock has moved on. */
async function arrive(list: readonly TurnEvent[]): Promise<void> {
  await desk.put(list, new Date(clock).toISOString());
}

interface Row {
  readonly turn_id: string;
  readonly verdict: string | null;
  readonly finding_codes: readonly string[] | null;
}

async function rows(query = ""): Promise<readonly Row[]> {
  return (await desk.json<{ items: Row[] }>(`/traces/turns.json${query}`)).items;
}

async function verdicts(query = ""): Promise<readonly (string | null)[]> {
  return (await rows(query)).map(({ verdict }) => verdict);
}

/** The collector's answer. */
async function now(): Promise<string> {
  const query = new URLSearchParams({ agent_id, root_trace_id });
  return (await desk.json<Verdict>(`/traces/reconcile.json?${query.toString()}`)).status;
}

const counted = (list: readonly (string | null)[]): Record<string, number> =>
  list.reduce<Record<string, number>>(
    (counts, verdict) => ({
      ...counts,
      [verdict ?? "unjudged"]: (counts[verdict ?? "unjudged"] ?? 0) + 1,
    }),
    {},
  );

/** Lets the turn grow quiet, and waits until the list has this. */
async function judged(wanted: readonly string[]): Promise<void> {
  clock += 2 * quietMs;
  await vi.waitFor(async () => expect(counted(await verdicts())).toEqual(counted(wanted)), 60_000);
}

beforeEach(async () => {
  clock = start;
  desk = await openDesk({}, { now: () => clock, judge: { quietMs, everyMs: 20 } });
});
afterEach(() => desk.collector.close());

test("what has not been judged is labelled so, and found by it", async () => {
  await arrive(events);
  expect(await verdicts()).toEqual([null]);
  expect(await verdicts("?verdict=unjudged")).toEqual([null]);
  for (const status of ["success", "partial", "failed", "unknown"]) {
    expect(await verdicts(`?verdict=${status}`)).toEqual([]);
  }
  await judged(["success"]);
  expect(await verdicts("?verdict=unjudged")).toEqual([]);
  expect(await verdicts("?verdict=success")).toEqual(["success"]);
});

test("a turn judged partial that completes becomes a success", async () => {
  await arrive(events.filter((event) => event !== shown));
  await judged(["partial"]);
  expect(await verdicts("?finding=contract_not_emitted")).toEqual(["partial"]);
  clock += quietMs;
  await arrive([shown]);
  // The old verdict is about less than is there now: it is gone at once, from filters as well.
  expect(await verdicts()).toEqual([null]);
  expect(await verdicts("?verdict=partial")).toEqual([]);
  expect(await verdicts("?finding=contract_not_emitted")).toEqual([]);
  await judged(["success"]);
  expect(await rows("?verdict=success")).toMatchObject([{ finding_codes: [] }]);
});

test("evidence against it takes a success away", async () => {
  await arrive(events);
  await judged(["success"]);
  clock += quietMs;
  const denied = { ...shown.attributes, acknowledged: false };
  const timestamp = "2026-10-05T08:00:30.000Z";
  await arrive([{ ...shown, event_id: "denied", timestamp, attributes: denied }]);
  expect(await verdicts("?verdict=success")).toEqual([]);
  await judged(["failed"]);
  expect(await verdicts("?finding=delivery_unconfirmed")).toEqual(["failed"]);
  expect(await now()).toBe("failed");
});

test("another turn of the root has its own verdict and leaves the first one's alone", async () => {
  await arrive(events);
  await judged(["success"]);
  clock += quietMs;
  await arrive(
    events
      .slice(0, 3)
      .map((event) => ({ ...event, event_id: `2-${event.event_id}`, turn_id: "t-2" })),
  );
  expect((await rows()).filter(({ turn_id }) => turn_id === "t-1")).toMatchObject([
    { verdict: "success" },
  ]);
  await judged(["partial", "success"]);
  expect(await rows("?verdict=partial")).toMatchObject([{ turn_id: "t-2" }]);
});

test("a loss that its producer reports later takes the success away as well", async () => {
  await arrive(events.map((event) => ({ ...event, producer_id: "till" })));
  await judged(["success"]);
  clock += quietMs;
  const report: TurnEvent = {
    schema_version: 3,
    event_id: "report",
    event_kind: "data_quality",
    phase: "event",
    status: "success",
    timestamp: "2026-10-05T08:00:40.000Z",
    root_trace_id: "a-root-of-its-own",
    producer_id: "till",
    attributes: { loss_created: 9, loss_exported: 5, loss_dropped: 4 },
  };
  await arrive([report]);
  expect(await now()).toBe("partial");
  clock += 2 * quietMs;
  await vi.waitFor(async () => expect(await verdicts("?verdict=success")).toEqual([]), 60_000);
});

test.each([
  ["another tenant's", { user_id: "ben" }],
  ["an anonymous", { user_id: null }],
])("%s intent of the same turn has its own verdict", async (_whose, identity) => {
  await arrive([...events, { ...first, event_id: "theirs", ...identity }]);
  await judged(["partial", "success"]);
  expect(await verdicts("?verdict=success")).toEqual(["success"]);
});

test("what is nobody's is judged for itself where two tenants are in the turn", async () => {
  const theirs = { ...first, event_id: "theirs", user_id: "ben" };
  const nobodys = events.map((event) => {
    const copy: Record<string, unknown> = { ...event, event_id: `nobody-${event.event_id}` };
    delete copy["user_id"];
    if (event.span_id !== undefined) copy["span_id"] = "span-nobody";
    if (event.attributes.producing_span_id === undefined) return copy;
    return { ...copy, attributes: { ...event.attributes, producing_span_id: "span-nobody" } };
  }) as unknown as TurnEvent[];
  await arrive([...events, theirs, ...nobodys]);
  await judged(["partial", "success", "success"]);
});
