/**
 * @module ErasureWorld: evidence and memory of one user and of others whose names are near: longer,
 * shorter, of another case, of another normal form, none. Whatever is the user's alone has a mark.
 */
import type { TurnEvent } from "@turnproof/evidence";
import { recordStored, tenantText } from "@turnproof/store";
import type { AdministeredMemory, EvidenceStore } from "@turnproof/store";
import {
  allTenants,
  receivedAt,
  sampleEvent,
  sampleNote,
  sampleTurn,
} from "@turnproof/store/testing";
import { expect } from "vitest";

import { bytesOf, filesHolding } from "./scan-files.ts";

/** The user who goes. */
export const gone = "zo\u00e9-qz7-kim";
/** Users who stay. */
export const staying: readonly (string | null)[] = [
  "zo\u00e9-qz7-kim2",
  "zo\u00e9-qz7-ki",
  "zo\u00e9-QZ7-kim",
  "ZO\u00c9-qz7-kim",
  "zoe\u0301-qz7-kim",
  "other",
  null,
];

/** Stands in every id and text of the user, and of no other. */
export const mark = "onlyherxq";

/** Turns of all users, under roots of their own. */
function ownTurns(): TurnEvent[] {
  const turn = (root: string, user: string | null): TurnEvent[] =>
    sampleTurn(root, {
      user_id: user,
      agent_id: "helper",
      application_id: "shop",
      thread_id: `thread-${root}`,
      // Not beginning with what a shorter name lacks: columns lie side by side in a file.
      memory_id: `notes-${root}`,
    });
  return [
    ...[1, 2, 3].flatMap((n) => turn(`root-${mark}-${n}`, gone)),
    ...staying.flatMap((user, n) => turn(`root-stays-${n}`, user)),
  ];
}

/** One root of two users: a handoff, rows without a user, and a turn that its parent names. */
function sharedTurn(): TurnEvent[] {
  const stated = (span: string, fields: Partial<TurnEvent>): TurnEvent =>
    sampleEvent(span, {
      root_trace_id: "root-shared",
      timestamp: "2026-03-01T10:00:02Z",
      ...fields,
    });
  const turn = { event_kind: "turn" } as const;
  return [
    stated("a1", { ...turn, user_id: gone, agent_id: "helper", thread_id: `thread-${mark}` }),
    stated("a2", { parent_span_id: "a1", attributes: { tool_name: "search" } }),
    stated("b1", { ...turn, user_id: "other", agent_id: "second", parent_span_id: "a2" }),
    stated("b2", { parent_span_id: "b1", attributes: { tool_name: "sum" } }),
    // Only what stands above it shows which turn it is in, and that goes.
    stated("b3", {
      parent_span_id: "a2",
      user_id: "other",
      attributes: { tool_name: "mail" },
    }),
    stated(`${mark}c1`, { attributes: { tool_name: "loose" } }),
  ];
}

const value = JSON.stringify({ text: `${mark} ${"and more ".repeat(40)}` });
/** What operators noted on turns of the user who goes and of one who stays. */
const notes = [
  sampleNote(`note-${mark}`, { tenant: tenantText(gone), place: `root-${mark}-1`, value }),
  sampleNote("note-stays", { tenant: tenantText(staying[0]), place: "root-stays-0" }),
] as const;

/** Writes everything; every batch holds rows of several users. */
export async function fillEvidence(store: EvidenceStore): Promise<void> {
  const batch = async (
    batchId: string,
    events: readonly TurnEvent[],
    second: number,
  ): Promise<void> => {
    await store.append({ batchId, receivedAt: receivedAt(second), events });
    const roots = events.flatMap(({ root_trace_id: root }) => root ?? []);
    await recordStored(store, allTenants, [...new Set(roots)]);
  };
  await batch("batch-1", ownTurns(), 1);
  await batch("batch-2", sharedTurn().slice(0, 3), 2);
  await batch("batch-3", sharedTurn().slice(3), 3);
  for (const note of notes) await store.operatorRows.write(note);
}

/** What each user who stays can read, and what an operator can of the user who goes. */
export async function readEvidence(store: EvidenceStore): Promise<unknown> {
  const read: unknown[] = [];
  for (const tenant of staying) {
    const page = await store.page({ tenant }, {}, { limit: 500 });
    const events = page.events
      .map(withoutHers)
      // What a row that goes determined is written down, and so it is not derived any more.
      .map(({ identity_derived: _derived, ...event }) => event)
      .toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
    expect(events.length).toBeGreaterThan(0);
    read.push([tenant, events]);
  }
  return read;
}

/** What a row of another user had from her rows is written as erased. */
function withoutHers(event: TurnEvent): TurnEvent {
  const hers = (["thread_id", "run_id", "turn_id"] as const).filter(
    (field) => event[field] === `thread-${mark}` || event[field] === "a1",
  );
  return { ...event, ...Object.fromEntries(hers.map((field) => [field, "erased"])) };
}

const key = (event: Partial<TurnEvent>): string =>
  `${event.root_trace_id}/${event.span_id}/${event.phase}`;

/** Nothing of the user can be read, by the user or by an operator. */
export async function expectGone(store: EvidenceStore): Promise<void> {
  expect((await store.page({ tenant: gone }, {}, { limit: 9 })).events).toEqual([]);
  for (const id of [gone, `root-${mark}-1`, `thread-${mark}`, `${mark}c1`]) {
    expect((await store.find(allTenants, id, {}, { limit: 9 })).events).toEqual([]);
  }
  const all = await store.page(allTenants, {}, { limit: 500 });
  expect(JSON.stringify(all.events)).not.toContain(mark);
  await expectNoTurns(store);
  const [hers, stays] = notes;
  expect(await store.operatorRows.list("note", [hers.tenant], hers.place)).toEqual([]);
  expect(await store.operatorRows.list("note", [stays.tenant], stays.place)).toEqual([stays]);
}

/** No turn of the user stands or comes back, and what is left is recorded under a new epoch. */
async function expectNoTurns(store: EvidenceStore): Promise<void> {
  const every = { scope: allTenants, where: [] };
  const page = { order: { by: "first_received" }, limit: 100 } as const;
  const { records } = await store.ledger.listTurns(every, page);
  expect(JSON.stringify(records)).not.toContain(mark);
  expect(records.filter(({ row }) => row.user_id === gone)).toEqual([]);
  const stayed = records.filter(({ row }) => row.root_trace_id?.startsWith("root-stays"));
  expect(stayed).toHaveLength(staying.length);
  expect(stayed.every(({ version }) => version.epoch === 0)).toBe(true);
  const standing = await store.standing(["root-shared", `root-${mark}-1`]);
  const epoch = standing.get("root-shared")?.epoch ?? 0;
  expect(epoch).toBeGreaterThan(0);
  expect(standing.get(`root-${mark}-1`)).toMatchObject({ rows: 0 });
  expect(standing.get(`root-${mark}-1`)?.epoch).toBeGreaterThan(0);
  const shared = records.filter(({ row }) => row.root_trace_id === "root-shared");
  expect(shared.length).toBeGreaterThan(0);
  for (const { version } of shared) {
    expect(version).toEqual({ epoch, rows: standing.get("root-shared")?.rows, settled: false });
  }
  // A writer that is late read rows that are gone.
  const version = { settled: true, epoch: epoch - 1, rows: 999 };
  await store.ledger.putTurns(shared.map((record) => ({ ...record, version })));
  expect((await store.ledger.listTurns(every, page)).records).toEqual(records);
}

/** Where a store knows the epoch as it writes, not even a turn of a new key comes back. */
export async function expectNothingLate(store: EvidenceStore): Promise<void> {
  const every = { scope: allTenants, where: [] };
  const page = { order: { by: "first_received" }, limit: 100 } as const;
  const { records } = await store.ledger.listTurns(every, page);
  const shared = records.filter(({ row }) => row.root_trace_id === "root-shared");
  expect(shared.length).toBeGreaterThan(0);
  const version = { settled: true, epoch: 0, rows: 999 };
  await store.ledger.putTurns(
    shared.map((record, n) => ({ ...record, key: `late-${n}`, version })),
  );
  expect((await store.ledger.listTurns(every, page)).records).toEqual(records);
}

/** Memory of all users, in every kind. */
export async function fillMemory(memory: AdministeredMemory): Promise<void> {
  for (const kind of ["conversation", "semantic_cache", "entity", "trace_content"] as const) {
    for (const tenant of [gone, ...staying]) {
      const own = tenant === gone ? mark : "plain";
      for (const n of [1, 2, 3]) {
        await memory.put({ tenant }, kind, {
          id: `${own}-${n}`,
          text: `${own} said ${n}`,
          thread_id: `thread-${own}`,
          data: { words: `${own} ${"and more ".repeat(40)}` },
          created_at: "2026-03-01T10:00:00Z",
        });
      }
    }
  }
}

/** Files in which some byte of the user lies. */
export async function leftovers(directory: string): Promise<string[]> {
  return [
    ...(await filesHolding(directory, bytesOf(mark))),
    ...(await filesHolding(directory, bytesOf(gone, "2"))),
  ];
}
