/**
 * @module `turnproof check` of pages and statements: a loss that the collector knows, and an item
 * that is gone, keep absence from deciding.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { EventPage, TurnEvent } from "@turnproof/evidence";
import { ephemeral } from "@turnproof/store";
import { afterAll, expect, test } from "vitest";

import { openCollector } from "../agent/collector-on-port.ts";
import type { PortedCollector } from "../agent/collector-on-port.ts";
import { recordEvents } from "../collector/desk.ts";
import { turnproof } from "./command.ts";
import { end, tool } from "./turns.ts";

const folder = mkdtempSync(join(tmpdir(), "turnproof-check-pages-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const never = { clause: "calls", tool: "refund", at_most: 0 };
const some = { clause: "calls", tool: "lookup", at_least: 1 };
const contracts = [
  { name: "never", expect: [never] },
  { name: "needed", expect: [some] },
];
const contract = file("contracts.json", JSON.stringify({ version: 1, contracts }));

/** A report of the turn's producer about itself, under another root. */
function report(dropped: number): TurnEvent {
  return {
    schema_version: 3,
    event_id: "report",
    event_kind: "data_quality",
    phase: "event",
    status: "success",
    timestamp: "2026-01-01T00:30:00.000Z",
    root_trace_id: "report",
    producer_id: "pod-1",
    attributes: { loss_created: 12, loss_exported: 12 - dropped, loss_dropped: dropped },
  };
}

async function collectorOf(events: readonly TurnEvent[]): Promise<PortedCollector> {
  const store = ephemeral();
  await store.append({ batchId: "b", receivedAt: "2026-01-01T01:00:00.000000Z", events });
  await recordEvents(store, events);
  return openCollector({ store });
}

const turn = [tool("lookup", 1), tool("lookup", 2, {}, { event_id: "t2" }), end()].map((event) => ({
  ...event,
  producer_id: "pod-1",
}));

const check = (...how: string[]) => turnproof("check", "--contract", contract, "--json", ...how);

test.each([
  [0, 0, "holds"],
  [6, 3, "not_established"],
])(
  "with %d lost events, a file of pages is judged as the collector does",
  async (lost, code, never) => {
    await using collector = await collectorOf([...turn, report(lost)]);
    const at = ["--url", collector.url, "--root", "root"];
    const pages = file(`${lost}.ndjson`, (await turnproof("export", ...at, "--pages")).out);
    const list = file(`${lost}-list.ndjson`, (await turnproof("export", ...at)).out);
    const jws = await fetch(
      `${collector.url}/traces/reconcile.jws?root_trace_id=root&agent_id=agent`,
    );
    const statement = ["--statement", file(`${lost}.jws`, await jws.text())];
    for (const how of [
      at,
      ["--events", pages],
      ["--events", pages, ...statement],
      ["--events", list, ...statement],
    ]) {
      const ran = await check(...how);
      expect([how, ran.code]).toEqual([how, code]);
      const { turns } = JSON.parse(ran.out) as {
        turns: { reasons: string[]; contracts: { contract: string; result: string }[] }[];
      };
      const results = turns[0]?.contracts.map((one) => [one.contract, one.result]);
      expect([how, results]).toEqual([
        how,
        [
          ["never", never],
          ["needed", "holds"],
        ],
      ]);
      expect(turns[0]?.reasons.includes("known_loss")).toBe(lost > 0);
    }
  },
);

test("a page with fewer items than it counts is a window of which a part is gone", async () => {
  await using collector = await collectorOf(turn);
  const at = ["--url", collector.url, "--root", "root"];
  const { out } = await turnproof("export", ...at, "--pages");
  const page = JSON.parse(out) as EventPage;
  expect((await check("--events", file("all.json", out))).code).toBe(0);
  const reasons = new Set<string>();
  for (const gone of page.items) {
    const items = page.items.filter((item) => item !== gone);
    const ran = await check("--events", file("less.json", JSON.stringify({ ...page, items })));
    expect(ran.code).toBe(3);
    const { turns } = JSON.parse(ran.out) as { turns: { whole: boolean; reasons: string[] }[] };
    expect(turns.map(({ whole }) => whole)).toEqual([false]);
    for (const reason of turns[0]?.reasons ?? []) reasons.add(reason);
  }
  expect([...reasons].toSorted()).toEqual(["read_incomplete", "truncated", "window_incomplete"]);
});
