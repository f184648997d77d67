/**
 * @module One turn, two services, a collector: a child that another service sends before the turn's
 * own event is there leaves it judged, and what comes later judges it again, wherever it is shown.
 */
import type { TurnEvent, TurnRow } from "@turnproof/evidence";
import { ephemeral, filesystem } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { afterAll, expect, test, vi } from "vitest";

import { artifact, at, success, turn, work } from "../evidence/text-windows.ts";
import { temporaryDirectories } from "../store/temporary-directory.ts";
import { openDesk } from "./desk.ts";
import type { Desk } from "./desk.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

const stores: Record<string, () => Promise<EvidenceStore>> = {
  ephemeral: async () => ephemeral(),
  filesystem: async () => (await filesystem({ directory: await directories.make() })).evidence,
};

const root = String(turn["root_trace_id"]);
const elsewhere = { application_id: "invoice-worker", producer_id: "worker" };
const fromWorker = [work({}, elsewhere), artifact({}, elsewhere)];
const own = at(
  45,
  "turn",
  {},
  {
    event_id: "turn",
    phase: "result",
    span_id: "bbbbbbbbbbbbbb01",
    started_at: "2026-11-21T08:00:00Z",
  },
);
const paid = (stated: string, second: number): object =>
  at(second, "outcome", { outcome: stated, verified: true }, { event_id: `paid-${stated}` });

/** The verdict of the turn wherever one is shown: list, page, finder; null is not judged. */
async function shown(desk: Desk): Promise<readonly (string | null | undefined)[]> {
  const list = await desk.json<{ items: TurnRow[] }>("/traces/turns.json");
  const page = await desk.json<{ turns: TurnRow[] }>(`/traces/${root}.json`);
  const found = await desk.json<{
    items: { root_trace_id: string; verdicts: { verdict: string | null }[] }[];
  }>(`/traces/find.json?id=${String(turn["thread_id"])}`);
  expect([list.items.length, page.turns.length]).toEqual([1, 1]);
  return [
    list.items[0]?.verdict,
    page.turns[0]?.verdict,
    found.items[0]?.verdicts[0]?.verdict ?? null,
  ];
}

test.each(Object.keys(stores))("over %s", async (name) => {
  let now = Date.parse("2026-11-21T08:10:00Z");
  const store = (await stores[name]?.()) as EvidenceStore;
  const judge = { quietMs: 1_000, everyMs: 20 };
  const desk = await openDesk({}, { store, judge, now: () => now });
  // Stored first, quiet afterwards: what is stored later than it is quiet waits for the wide look.
  const received = async (events: readonly object[]): Promise<void> => {
    await desk.put(events as TurnEvent[], new Date(now).toISOString());
    now += 30_000;
  };
  const becomes = (verdict: string): Promise<void> =>
    vi.waitFor(async () => expect(await shown(desk)).toEqual([verdict, verdict, verdict]), {
      timeout: 20_000,
      interval: 20,
    });
  const listed = async (verdict: string): Promise<number> => {
    const path = `/traces/turns.json?verdict=${verdict}`;
    return (await desk.json<{ items: TurnRow[] }>(path)).items.length;
  };
  try {
    await received(success({ work: null, artifact: null }));
    await becomes("partial");
    // Two applications, and it is not known yet which one's turn it is.
    await received(fromWorker);
    await becomes("partial");
    await received([own]);
    await becomes("success");
    expect([await listed("partial"), await listed("success")]).toEqual([0, 1]);
    await received([paid("failure", 50)]);
    await becomes("failed");
    expect([await listed("success"), await listed("failed")]).toEqual([0, 1]);
    const { records } = await store.ledger.listTurns(
      { scope: { tenant: String(turn["user_id"]) }, where: [{ text: "root_trace_id", is: root }] },
      { order: { by: "first_received" }, limit: 10 },
    );
    expect(records.map(({ row }) => row.verdict)).toEqual(["failed"]);
  } finally {
    await desk.collector.close();
    await store.close();
  }
});
