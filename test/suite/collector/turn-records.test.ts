/**
 * @module TurnRecords: the ledger beside the evidence. Whatever happens to a root, its turns are
 * what a recount from the stored rows has, with the verdicts of its judge.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { buildCausalWaterfall, foldTurns, turnKey } from "@turnproof/evidence";
import type { TurnEvent, TurnRow } from "@turnproof/evidence";
import { clickhouse, ephemeral, filesystem, readRoots, recordStored } from "@turnproof/store";
import type { EvidenceStore, TurnRecord } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";
import { afterAll, describe, expect, test, vi } from "vitest";

import type { IngestDesk } from "../../../collector/src/receive/ingest.ts";
import { temporaryDirectories } from "../store/temporary-directory.ts";
import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

async function records(store: EvidenceStore): Promise<readonly TurnRecord[]> {
  const page = { order: { by: "first_received" }, limit: 1_000 } as const;
  return (await store.ledger.listTurns({ scope: allTenants, where: [] }, page)).records;
}

/** Turns by key, from the stored rows now. */
async function recount(store: EvidenceStore, roots: readonly string[]): Promise<object> {
  const whole = await readRoots(store, allTenants, roots);
  const rows = whole.flatMap(({ events }) =>
    foldTurns(events).map((row) => ({ ...row, orphan_spans: orphansOf(events, row) })),
  );
  return byKey(rows);
}

function byKey(rows: readonly TurnRow[]): object {
  const plain = rows.map(
    ({ verdict: _v, finding_codes: _f, insight_codes: _i, verdict_reasons: _r, ...row }) => row,
  );
  return Object.fromEntries(
    plain.map((row) => [turnKey(row as TurnRow), JSON.parse(JSON.stringify(row)) as unknown]),
  );
}

/** Spans of a turn without a parent in the root, by the waterfall. */
function orphansOf(events: readonly TurnEvent[], row: TurnRow): number {
  const fields = ["turn_id", "agent_id", "thread_id", "user_id"] as const;
  const own = buildCausalWaterfall(events).groups.filter(({ identity }) =>
    fields.every((field) => (identity[field] ?? null) === (row[field] ?? null)),
  );
  return own.flatMap(({ nodes }) => nodes).filter((node) => node.missing_parent).length;
}

async function expectRecount(store: EvidenceStore, roots: readonly string[]): Promise<void> {
  const rows = (await records(store)).map(({ row }) => row);
  expect(byKey(rows)).toEqual(await recount(store, roots));
  expect(await store.ledger.countTurns({ scope: allTenants, where: [] })).toBe(rows.length);
}

const stores: Readonly<Record<string, () => Promise<EvidenceStore>>> = {
  ephemeral: async () => ephemeral(),
  filesystem: async () => (await filesystem({ directory: await directories.make() })).evidence,
  clickhouse: async () => clickhouse({ connection: { dataDir: await directories.make() } }),
};

const judge = { quietMs: 250, everyMs: 50 } as const;

function spansOf(events: readonly TurnEvent[]): object {
  const text = (key: string, value: string): object => ({ key, value: { stringValue: value } });
  const spans = events.map((event, at) => ({
    traceId: event.root_trace_id,
    spanId: `${(event.root_trace_id ?? "").slice(0, 12)}000${at}`,
    ...(at === 0 ? {} : { parentSpanId: `${(event.root_trace_id ?? "").slice(0, 12)}0000` }),
    name: event.event_kind === "turn" ? "invoke_agent helper" : "execute_tool search",
    kind: 1,
    startTimeUnixNano: "1795255140000000000",
    endTimeUnixNano: "1795255141000000000",
    attributes: [
      text("gen_ai.operation.name", event.event_kind === "turn" ? "invoke_agent" : "execute_tool"),
      ...(event.event_kind === "turn"
        ? [text("gen_ai.agent.name", "helper")]
        : [text("gen_ai.tool.name", "search")]),
    ],
  }));
  return { resourceSpans: [{ scopeSpans: [{ scope: { name: "t" }, spans }] }] };
}

async function send(desk: Desk, body: object): Promise<void> {
  const response = await desk.collector.app.request("http://localhost:4318/v1/traces", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
}

/** Waits until nothing that was acknowledged waits in the journal. */
async function readable({ collector }: Desk): Promise<void> {
  const ingest = collector.receiver as unknown as IngestDesk;
  expect(await ingest.settled(10_000)).toBe(0);
}

const rootOf = (at: number): string => `${at}`.padStart(12, "b").padEnd(32, "0");

function onlySome(body: object, which: (at: number) => boolean): object {
  const copy = structuredClone(body) as {
    resourceSpans: { scopeSpans: { spans: object[] }[] }[];
  };
  const [first] = copy.resourceSpans[0]?.scopeSpans ?? [];
  if (first !== undefined) first.spans = first.spans.filter((_span, at) => which(at));
  return copy;
}

describe.each(Object.entries(stores))("%s", (_name, open) => {
  test("turns stand as soon as their spans are readable, and follow late ones", async () => {
    const store = await open();
    const desk = await openDesk({}, { store, judge: false });
    const roots = [1, 2, 3].map(rootOf);
    try {
      const bodies = roots.map((root) => spansOf(turnEvents({ root })));
      for (const body of bodies)
        await send(
          desk,
          onlySome(body, (at) => at > 0),
        );
      await readable(desk);
      await expectRecount(store, roots);
      for (const body of bodies)
        await send(
          desk,
          onlySome(body, (at) => at === 0),
        );
      await readable(desk);
      await expectRecount(store, roots);
      expect((await records(store)).map(({ version }) => version)).toEqual(
        roots.map(() => ({ epoch: 0, rows: 3, settled: false })),
      );
      // The same spans again are three more rows and no more events.
      await send(desk, bodies[0] as object);
      await readable(desk);
      await expectRecount(store, roots);
    } finally {
      await desk.collector.close();
      await store.close();
    }
  });

  test("the judge settles turns, and late evidence makes them new", async () => {
    const store = await open();
    const desk = await openDesk({}, { store, judge });
    const root = rootOf(7);
    const settled = async (rows: number): Promise<TurnRecord | undefined> => {
      const [record] = await records(store);
      expect(record?.version).toEqual({ epoch: 0, rows, settled: true });
      return record;
    };
    try {
      const body = spansOf(turnEvents({ root }));
      await send(
        desk,
        onlySome(body, (at) => at < 2),
      );
      const first = await vi.waitFor(() => settled(2), { timeout: 10_000 });
      expect(first?.row.verdict).toBe("unknown");
      await send(
        desk,
        onlySome(body, (at) => at === 2),
      );
      const second = await vi.waitFor(() => settled(3), { timeout: 10_000 });
      expect(second?.first_received).toBe(first?.first_received);
      await expectRecount(store, [root]);
    } finally {
      await desk.collector.close();
      await store.close();
    }
  });

  test("a start judges nothing again, and reads no root", async () => {
    const held = await open();
    const roots = [11, 12].map(rootOf);
    const judged = async (): Promise<readonly string[]> => {
      const found = await records(held);
      expect(found.map(({ version }) => version.settled)).toEqual(roots.map(() => true));
      return found.map(({ key, judged_at }) => `${key} ${judged_at}`).toSorted();
    };
    const dataDir = await directories.make();
    const env = { TURNPROOF_DATA_DIR: dataDir };
    // An ephemeral store keeps no mark: what is young is compared with the ledger.
    const mark = held.name === "ephemeral" ? undefined : join(dataDir, "judge.json");
    const desks: Desk[] = [];
    try {
      const desk = await openDesk(env, { store: held, judge });
      desks.push(desk);
      for (const root of roots) await send(desk, spansOf(turnEvents({ root })));
      const first = await vi.waitFor(judged, { timeout: 10_000 });
      if (mark !== undefined) await vi.waitFor(() => readFileSync(mark), { timeout: 10_000 });
      await desk.collector.close();
      const read = { root: vi.spyOn(held, "root"), standing: vi.spyOn(held, "standing") };
      const many = held.roots === undefined ? undefined : vi.spyOn(held, "roots");
      const again = await openDesk(env, { store: held, judge: { ...judge, quietMs: 1 } });
      desks.push(again);
      if (mark === undefined) await vi.waitFor(() => expect(read.standing).toHaveBeenCalled());
      else expect(JSON.parse(readFileSync(mark, "utf8"))).toMatchObject({ version: 1 });
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(read.root).not.toHaveBeenCalled();
      expect(many?.mock.calls ?? []).toEqual([]);
      expect(await judged()).toEqual(first);
    } finally {
      vi.restoreAllMocks();
      for (const { collector } of desks) await collector.close();
      await held.close();
    }
  });

  test("two collectors that store parts of a root settle all of it", async () => {
    const store = await open();
    const desks = [await openDesk({}, { store, judge }), await openDesk({}, { store, judge })];
    const root = rootOf(21);
    const body = spansOf(turnEvents({ root }));
    try {
      await Promise.all(
        desks.map((desk, own) =>
          send(
            desk,
            onlySome(body, (at) => at % 2 === own),
          ),
        ),
      );
      await vi.waitFor(
        async () => {
          const [record] = await records(store);
          expect(record?.version).toEqual({ epoch: 0, rows: 3, settled: true });
        },
        { timeout: 10_000 },
      );
      await expectRecount(store, [root]);
    } finally {
      for (const { collector } of desks) await collector.close();
      await store.close();
    }
  });

  test("a turn whose identity moves leaves no second row", async () => {
    const store = await open();
    const root = "moves";
    const events = turnEvents({ root, user: "u-1" }).map(
      ({ turn_id: _t, run_id: _r, ...event }, at) =>
        at === 0 ? event : { ...event, agent_id: `part-${at}`, identity_derived: ["agent_id"] },
    ) as TurnEvent[];
    try {
      const append = async (batchId: string, some: readonly TurnEvent[]): Promise<void> => {
        await store.append({ batchId, receivedAt: "2026-11-21T10:00:00.000000Z", events: some });
        await recordStored(store, allTenants, [root]);
        await expectRecount(store, [root]);
      };
      await append("parts", events.slice(1));
      await append("turn", events.slice(0, 1));
    } finally {
      await store.close();
    }
  });
});
