/** What single traces lack makes the answers about their turns incomplete, and no others. */
import { afterAll, beforeAll, expect, test } from "vitest";

import type { Receiver } from "../../../collector/src/receive/otlp/receiver-contract.ts";
import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({}, { judge: false });
  await desk.put(turnEvents({ root: "a", user: "user-1", at: "2026-11-21T09:00:00.000Z" }));
  await desk.put(turnEvents({ root: "b", user: "user-2", at: "2026-11-21T09:30:00.000Z" }));
});
afterAll(() => desk.collector.close());

/** Rows of these traces are gone, by a comparison; the account of events knows of none. */
function noteGone(roots: readonly string[], count = roots.length): void {
  (desk.collector.receiver as Receiver).noteMissing({
    turns: 2,
    roots_missing: count,
    rows_missing: count,
    events_missing: 0,
    account: "kept",
    parts_set_aside: 0,
    parts: [],
    roots,
  });
}

test("a number of missing rows that is not known has no sample", async () => {
  const rows = async (): Promise<string | undefined> =>
    /^turnproof_evidence_missing_rows (\d+)$/m.exec(await (await desk.get("/metrics")).text())?.[1];
  const receiver = desk.collector.receiver as Receiver;
  const counted = { account: "kept", parts_set_aside: 0, parts: [], roots: [] } as const;
  const unknown = { turns: null, roots_missing: null, rows_missing: null };
  receiver.noteMissing({ ...counted, ...unknown, events_missing: 0 });
  expect(await rows()).toBeUndefined();
  const health = await (await desk.get("/traces/health", { Accept: "text/html" })).text();
  expect(health).toContain("not compared with its turns");
  receiver.noteMissing({ ...counted, ...unknown, events_missing: 600 });
  expect(await rows()).toBe("600");
  const gone = await (await desk.get("/traces/health", { Accept: "text/html" })).text();
  expect(gone).toContain("600 events are gone");
  expect(gone).toContain("Turns are compared with their evidence now.");
  const compared = { turns: 2, roots_missing: 0, rows_missing: 0, events_missing: 0 };
  receiver.noteMissing({ ...counted, ...compared });
  expect(await rows()).toBe("0");
});

const pages = [
  "/traces/turns.json",
  "/traces/overview.json",
  "/traces/facets.json",
  "/traces/trend.json",
  "/threads.json",
  "/agents.json",
  "/cost.json",
  "/tools.json",
  "/traces/incidents.json",
  "/traces/compare/releases.json",
  "/graph.json",
  "/traces/events.json",
];

/** Whether each page is complete for a query, where all of them agree; a list where not. */
async function complete(query: string): Promise<unknown> {
  const found = new Map<boolean, string[]>();
  const note = (page: string, is: boolean): void =>
    void found.set(is, [...(found.get(is) ?? []), page]);
  for (const page of pages) {
    const answer = await desk.json<Record<string, unknown>>(`${page}?${query}`);
    note(page, (answer["complete"] ?? answer["window_complete"]) === true);
  }
  for (const table of ["turns", "events"]) {
    const file = await desk.get(`/traces/export?table=${table}&format=csv&${query}`);
    expect(file.status).toBe(200);
    await file.arrayBuffer();
    note(`export ${table}`, file.headers.get("turnproof-window") === "complete");
  }
  return found.size === 1 ? [...found.keys()][0] : Object.fromEntries(found);
}

test("missing rows of a trace concern the answers that have its turns", async () => {
  expect(await complete("")).toBe(true);
  noteGone(["a"]);
  expect(await complete("")).toBe(false);
  expect(await complete("user_id=user-1")).toBe(false);
  expect(await complete("user_id=user-2")).toBe(true);
  const [before, after] = ["end_time=2026-11-21T09:10:00Z", "start_time=2026-11-21T09:10:00Z"];
  for (const page of ["/traces/turns.json", "/traces/facets.json"]) {
    const of = async (query: string): Promise<unknown> => {
      const answer = await desk.json<Record<string, unknown>>(`${page}?${query}`);
      return answer["complete"] ?? answer["window_complete"];
    };
    expect([page, await of(before), await of(after)]).toEqual([page, false, true]);
  }
  expect(await (await desk.get("/traces", { Accept: "text/html" })).text()).toContain(
    "data-store-damaged",
  );
});

test("a trace without a turn, and more traces than are compared, concern every answer", async () => {
  for (const [roots, count] of [
    [["no-turn"], 1],
    [["a"], 2],
    [Array.from({ length: 201 }, (_, at) => `root-${at}`), 201],
  ] as const) {
    noteGone(roots, count);
    expect(await complete("user_id=user-2")).toBe(false);
  }
  noteGone([]);
  expect(await complete("user_id=user-2")).toBe(true);
});
