/** @module EvidenceClauses: the contract of every evidence store, one clause each. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";

import type { TurnEvent } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";

import type { EvidenceStore } from "../evidence-store.ts";
import type { EvidenceScope } from "../scope.ts";
import { calledClauses } from "./called-clauses.ts";
import { clockClauses } from "./clock-clauses.ts";
import type { KitClause } from "./contract.ts";
import type { TurnRecord } from "../ledger/turn-record.ts";
import { issueOperatorGrant } from "../scope.ts";
import { ledgerClauses } from "./ledger-clauses.ts";
import { groupOrderClauses } from "./group-order-clauses.ts";
import { orderClauses } from "./order-clauses.ts";
import { numberClauses } from "./number-clauses.ts";
import { onStore } from "./on-store.ts";
import { operatorClauses } from "./operator-clauses.ts";
import { sampleRecord } from "./sample-record.ts";
import { allTenants, receivedAt, sampleEvent, sampleTurn, withoutReceipt } from "./sample-event.ts";
import { rangeClauses } from "./range-clauses.ts";
import { evidenceTieClauses } from "./tie-clauses.ts";
import { eventsOf, walkPages } from "./walk-pages.ts";

const who = { agent_id: "helper", user_id: "u-1", thread_id: "t-1", application_id: "desk" };

const writing: readonly KitClause[] = [
  onStore("what was appended is read, with identity from the root", async (store, put) => {
    await put(1, sampleTurn("root-1", who));
    const page = await store.page({ tenant: "u-1" }, {}, { limit: 10 });
    deepEqual(
      page.events.map((event) => event.span_id),
      ["aa", "cc", "bb"],
    );
    for (const event of page.events) {
      equal(event.thread_id, "t-1");
      equal(event.turn_id, "aa");
    }
    equal(page.next, null);
    equal(page.bounded, false);
  }),
  onStore("the same batch sent twice leaves one copy", async (store, put) => {
    await put(1, sampleTurn("root-1", who), "same");
    await put(1, sampleTurn("root-1", who), "same");
    const page = await store.page(allTenants, {}, { limit: 10 });
    equal(page.events.length, 3);
    equal(page.sourceRows, 3);
    deepEqual(await store.readBack("same", receivedAt(1)), { rows: 3, complete: true });
  }),
  onStore("a batch never seen has no rows", async (store) => {
    deepEqual(await store.readBack("never", receivedAt(1)), { rows: 0, complete: false });
  }),
  onStore("an event in two batches is one event at its first place", async (store, put) => {
    await put(1, sampleTurn("root-1", who));
    await put(2, [sampleEvent("zz", { root_trace_id: "root-2" })]);
    await put(3, sampleTurn("root-1", who));
    const [first] = await walkPages((o) => store.page(allTenants, {}, o), { limit: 1 });
    equal(first?.events[0]?.span_id, "zz");
    const page = await store.page(allTenants, {}, { limit: 10 });
    equal(page.events.length, 4);
    equal(page.duplicatesRemoved, 3);
    equal(page.events.find((event) => event.span_id === "aa")?.received_at, receivedAt(1));
  }),
  onStore("new content under one id is a revision, and the latest is shown", async (store, put) => {
    const common = { timestamp: "2026-03-01T10:00:02Z", external_id: "x" };
    await put(1, [sampleEvent("aa", { status: "partial" })]);
    await put(2, [sampleEvent("aa", { ...common, status: "success" })]);
    const page = await store.page(allTenants, {}, { limit: 10 });
    equal(page.events.length, 1);
    equal(page.events[0]?.status, "success");
    equal(page.events[0]?.revision, 2);
    const found = await store.page(allTenants, { status: "success" }, { limit: 10 });
    equal(found.events.length, 1);
    const older = await store.page(allTenants, { status: "partial" }, { limit: 10 });
    equal(older.events.length, 0);
  }),
  onStore("contents of one time and one receipt are marked as contested", async (store, put) => {
    const contents = ["success", "error"] as const;
    await put(
      1,
      contents.map((status) => sampleEvent("aa", { status })),
    );
    await put(2, [sampleEvent("bb"), sampleEvent("bb", { status: "partial", producer_seq: 90 })]);
    const { events } = await store.page(allTenants, {}, { limit: 10 });
    equal(events.length, 2);
    deepEqual(
      events.map(({ contested }) => contested),
      [true, true],
    );
    await put(3, [sampleEvent("aa", { status: "partial" })]);
    const later = await store.page(allTenants, {}, { limit: 10 });
    const known = later.events.find(({ span_id }) => span_id === "aa");
    deepEqual([known?.status, known?.contested, known?.revision], ["partial", undefined, 3]);
  }),
  onStore("a row that no store can keep is refused with its batch", async (store, put) => {
    const bad = sampleEvent("bb", { user_id: "u\ud800" });
    await rejects(put(1, [sampleEvent("aa"), bad]), (error: unknown) => {
      return CodedError.is(error) && error.code === "store_rejected_row" && !error.retryable;
    });
    await rejects(put(2, [sampleEvent("aa", { thread_id: "x".repeat(241) })]));
    await rejects(put(3, [sampleEvent("aa", { attributes: { score: Number.NaN } })]));
    equal((await store.page(allTenants, {}, { limit: 10 })).events.length, 0);
  }),
  onStore("a root's standing counts its stored events", async (store, put) => {
    await put(1, sampleTurn("root-1", who), "same");
    await put(1, sampleTurn("root-1", who), "same");
    await put(2, [sampleEvent("zz", { root_trace_id: "root-2" })]);
    await put(3, [sampleEvent("zz", { root_trace_id: "root-2" })]);
    const standing = await store.standing(["root-2", "nobody", "root-1"]);
    deepEqual(
      [...standing].toSorted(([a], [b]) => (a < b ? -1 : 1)),
      [
        ["root-1", { rows: 3, epoch: 0 }],
        ["root-2", { rows: 2, epoch: 0 }],
      ],
    );
  }),
  onStore("a root with fewer events than a turn rests on is short", async (store, put) => {
    await put(1, sampleTurn("root-1", who), "same");
    await put(1, sampleTurn("root-1", who), "same");
    await put(2, sampleTurn("root-2", who));
    const turn = (key: string, root_trace_id: string, rows: number): TurnRecord =>
      sampleRecord(key, { root_trace_id }, { epoch: 0, rows, settled: true });
    // Another version of a turn that rested on less, and a root without any event.
    await store.ledger.putTurns([turn("a", "root-1", 1), turn("b", "root-2", 4)]);
    await store.ledger.putTurns([turn("a", "root-1", 3), turn("c", "root-3", 1)]);
    const short = await store.shortRoots(allTenants, null);
    deepEqual(
      { ...short, roots: [...short.roots].toSorted() },
      {
        roots: ["root-2", "root-3"],
        turns: 3,
        next: null,
      },
    );
    equal((await store.shortRoots({ tenant: "nobody" }, null)).turns, 0);
  }),
  onStore("all stored events are counted", async (store, put) => {
    deepEqual(await store.held(), { events: 0, deletions: 0 });
    await put(1, sampleTurn("root-1", who));
    await put(2, sampleTurn("root-2", { ...who, user_id: "ben" }));
    deepEqual(await store.held(), { events: 6, deletions: 0 });
    // Nothing of it is damaged.
    await store.readAll?.();
  }),
  onStore("an empty batch is complete", async (store, put) => {
    await put(1, [], "empty");
    deepEqual(await store.readBack("empty", receivedAt(1)), { rows: 0, complete: true });
  }),
];

const order: readonly KitClause[] = [
  {
    name: "a trace sent whole, span by span, backwards or twice is the same",
    async run(harness) {
      const turn = sampleTurn("root-1", who);
      const ways: readonly (readonly TurnEvent[])[][] = [
        [turn],
        turn.map((event) => [event]),
        turn.toReversed().map((event) => [event]),
        [turn, turn],
      ];
      const seen: unknown[] = [];
      for (const way of ways) {
        const store = await harness.open();
        for (const [i, events] of way.entries()) {
          await store.append({ batchId: `b${i}`, receivedAt: receivedAt(i), events });
        }
        await harness.settle(store);
        const page = await store.page({ tenant: "u-1" }, { thread_id: "t-1" }, { limit: 10 });
        const root = await store.root(allTenants, "root-1", { limit: 10 });
        seen.push({
          page: page.events.map(withoutReceipt),
          root: root.events.map(withoutReceipt),
        });
        await store.close();
      }
      for (const way of seen) deepEqual(way, seen[0]);
    },
  },
  onStore("pages neither lose nor repeat while rows arrive", async (store, put) => {
    const ids = Array.from({ length: 12 }, (_, i) => `s${i}`);
    for (const [i, id] of ids.entries()) {
      await put(i, [sampleEvent(id, { root_trace_id: `root-${i % 5}` })]);
    }
    const seen: TurnEvent[] = [];
    let page = await store.page(allTenants, {}, { limit: 5 });
    for (let i = 0; ; i += 1) {
      seen.push(...page.events);
      if (page.next === null) break;
      await put(100 + i, [sampleEvent(`new${i}`, { root_trace_id: "root-1" })]);
      await put(200 + i, [sampleEvent("s3", { root_trace_id: "root-3" })]);
      page = await store.page(allTenants, {}, { limit: 5, after: page.next });
    }
    deepEqual(new Set(seen.map((event) => event.span_id)), new Set(ids));
    equal(seen.length, ids.length);
  }),
  onStore("a scan budget ends a page early and the next goes on", async (store, put) => {
    for (let i = 0; i < 30; i += 1) {
      const status = i % 10 === 0 ? "error" : "success";
      await put(i * 4000, [sampleEvent(`s${i}`, { root_trace_id: `root-${i}`, status })]);
    }
    const read = { limit: 2, budgetRows: 1 };
    const pages = await walkPages((o) => store.page(allTenants, { status: "error" }, o), read);
    deepEqual(
      eventsOf(pages).map((event) => event.span_id),
      ["s20", "s10", "s0"],
    );
  }),
  onStore("a rare application is read without the roots of others", async (store, put) => {
    const of = (n: number, application_id: string) =>
      sampleEvent(`s${n}`, { root_trace_id: `root-${n}`, application_id, user_id: "u-1" });
    await put(1, [of(0, "rare")]);
    const others = Array.from({ length: 90 }, (_, n) => of(n + 1, "common"));
    await put(9_000, others);
    const operator = issueOperatorGrant({ applicationId: "rare" });
    // Fewer rows than the newer ones of the other application.
    const read = { limit: 9, budgetRows: 8 };
    for (const [scope, query] of [
      [allTenants, { application_id: "rare" }],
      [{ operator }, {}],
      [{ tenant: "u-1", applicationId: "rare" }, {}],
    ] as const) {
      const page = await store.page(scope, query, read);
      deepEqual([page.events.map(({ span_id }) => span_id), page.next], [["s0"], null]);
      equal(page.bounded, false);
    }
  }),
  onStore("many roots read at once are what each is alone", async (store, put) => {
    await put(1, [...sampleTurn("root-1", who), ...sampleTurn("root-2", { user_id: "u-2" })]);
    // The second part of a root comes minutes later, together with a copy of the first.
    await put(900, [...sampleTurn("root-1", who), sampleEvent("zz", { root_trace_id: "root-2" })]);
    const ids = ["root-1", "root-2", "nobody"];
    for (const scope of [allTenants, { tenant: "u-1" }, { tenant: null }]) {
      for (const limit of [2, 10]) {
        const read = await store.roots(scope, ids, { limit });
        deepEqual([...read.keys()], ids);
        for (const id of ids) deepEqual(read.get(id), await store.root(scope, id, { limit }));
      }
    }
    const few = await store.roots(allTenants, ids, { limit: 10, budgetRows: 2 });
    equal(few.size, 0);
  }),
  onStore("a budget of rows reads the first ones received", async (store, put) => {
    const part = (from: number) =>
      [0, 1, 2].map((at) => sampleEvent(`s${from + at}`, { root_trace_id: "root-1", ...who }));
    for (const from of [0, 3, 6]) await put(from * 100, part(from));
    const read = async (budgetRows: number, scope: EvidenceScope = allTenants) => {
      const slice = await store.root(scope, "root-1", { limit: 20, budgetRows });
      return [slice.bounded, slice.next, new Set(slice.events.map((event) => event.span_id))];
    };
    deepEqual(await read(0), [true, null, first(0)]);
    deepEqual(await read(3), [true, null, first(3)]);
    // Within a batch as well.
    deepEqual(await read(4), [true, null, first(4)]);
    deepEqual(await read(8, { tenant: "u-1" }), [true, null, first(8)]);
    deepEqual(await read(9), [false, null, first(9)]);
    deepEqual(await read(9, { tenant: "u-2" }), [false, null, first(0)]);
  }),
  onStore("a root is read oldest first and bounded by the limit", async (store, put) => {
    await put(1, sampleTurn("root-1", who));
    const pages = await walkPages((o) => store.root(allTenants, "root-1", o), { limit: 2 });
    deepEqual(
      eventsOf(pages).map((event) => event.span_id),
      ["bb", "cc", "aa"],
    );
    deepEqual(
      pages.map((page) => page.bounded),
      [true, false],
    );
  }),
];

const first = (count: number): ReadonlySet<string> =>
  new Set(Array.from({ length: count }, (_, at) => `s${at}`));

const finding: readonly KitClause[] = [
  onStore("the three states of a tenant are three", async (store, put) => {
    await put(1, sampleTurn("root-1", { ...who, user_id: "u-1" }));
    await put(2, sampleTurn("root-2", { ...who, user_id: null }));
    await put(3, [sampleEvent("xx", { root_trace_id: "root-3" })]);
    const roots = async (scope: Parameters<EvidenceStore["page"]>[0]): Promise<unknown> => [
      ...new Set((await store.page(scope, {}, { limit: 9 })).events.map((e) => e.root_trace_id)),
    ];
    deepEqual(await roots({ tenant: "u-1" }), ["root-1"]);
    deepEqual(await roots({ tenant: null }), ["root-2"]);
    deepEqual(((await roots(allTenants)) as string[]).toSorted(), ["root-1", "root-2", "root-3"]);
    const anonymous = await store.page(allTenants, { user_id: null }, { limit: 9 });
    equal(anonymous.events.length, 3);
    deepEqual(await roots({ tenant: "u-1", applicationId: "other" }), []);
  }),
  onStore("filters see inherited identity", async (store, put) => {
    await put(1, sampleTurn("root-1", { ...who, memory_id: "m-1" }));
    await put(2, sampleTurn("root-2", { ...who, thread_id: "t-2" }));
    const count = async (query: Parameters<EvidenceStore["page"]>[1]): Promise<number> =>
      (await store.page(allTenants, query, { limit: 9 })).events.length;
    equal(await count({ thread_id: "t-2" }), 3);
    equal(await count({ thread_id: "t-2", tool_name: "search" }), 1);
    equal(await count({ agent_id: "helper", event_kind: "model_call" }), 2);
    equal(await count({ memory_id: "m-1", status: "success" }), 3);
    equal(await count({ turn_id: "aa", root_trace_id: "root-1" }), 3);
    equal(await count({ run_id: "aa" }), 6);
    equal(await count({ application_id: "desk" }), 6);
    equal(await count({ start_time: "2026-03-01T10:00:04Z" }), 4);
    equal(await count({ end_time: "2026-03-01T10:00:04.123456789Z" }), 2);
    equal(await count({ store: "tool_log" }), 0);
    equal(await count({ store: "all" }), 6);
  }),
  onStore("every opaque id finds its events over the whole history", async (store, put) => {
    const refs = [{ resource_type: "document", ref: "doc-9", version: "3" }];
    const ids = { request_id: "req-9", tool_call_id: "call-9", error_code: "E9", job_ref: "job-9" };
    await put(1, [
      ...sampleTurn("root-9", { ...who, user_id: "u-9", thread_id: "t-9" }),
      sampleEvent("dd", { root_trace_id: "root-9", task_id: "task-9", input_refs: refs }),
      sampleEvent("ee", { root_trace_id: "root-9", attributes: ids }),
    ]);
    for (let i = 0; i < 5; i += 1) {
      await put(1_000_000 * (i + 1), sampleTurn(`other-${i}`, who));
    }
    const wanted = ["u-9", "t-9", "root-9", "doc-9", "task-9", ...Object.values(ids)];
    for (const id of wanted) {
      const found = await store.find(allTenants, id, {}, { limit: 9 });
      ok(found.events.length > 0, `nothing for ${id}`);
      ok(found.events.every((event) => event.root_trace_id === "root-9"));
    }
    equal((await store.find({ tenant: "u-9" }, "doc-9", {}, { limit: 9 })).events.length, 1);
    equal((await store.find({ tenant: "u-1" }, "doc-9", {}, { limit: 9 })).events.length, 0);
    equal((await store.find(allTenants, "nobody", {}, { limit: 9 })).events.length, 0);
  }),
  onStore("a bundle is one turn of one tenant", async (store, put) => {
    await put(1, sampleTurn("root-1", who));
    await put(2, sampleTurn("root-2", { ...who, user_id: "u-2" }));
    const page = await store.bundles(allTenants, {}, { limit: 9 });
    equal(page.bundles.length, 2);
    equal(page.bundles[0]?.record_type, "trace_bundle");
    const own = await store.bundles({ tenant: "u-1" }, { status: "error" }, { limit: 9 });
    equal(own.bundles.length, 1);
    equal((own.bundles[0]?.payload as { event_count: number } | undefined)?.event_count, 3);
  }),
  onStore("roots that grew quiet are named, the longest quiet first", async (store, put) => {
    await put(10, sampleTurn("root-1", who));
    await put(20, sampleTurn("root-2", who));
    await put(30, sampleTurn("root-3", who));
    await put(40, [sampleEvent("dd", { root_trace_id: "root-1" })]);
    const quiet = (from: number, to: number, limit: number): Promise<readonly string[]> =>
      store.quietRoots(receivedAt(from), receivedAt(to), limit);
    deepEqual(await quiet(0, 35, 9), ["root-2", "root-3"]);
    deepEqual(await quiet(25, 50, 9), ["root-3", "root-1"]);
    deepEqual(await quiet(0, 50, 1), ["root-2"]);
  }),
];

const living: readonly KitClause[] = [
  onStore("check answers and never throws, closing twice is harmless", async (store) => {
    equal((await store.check()).ok, true);
    await store.close();
    await store.close();
    equal((await store.check()).ok, false);
    await rejects(store.append({ batchId: "late", receivedAt: receivedAt(1), events: [] }));
  }),
];

/** All clauses about storing and finding. */
export const evidenceClauses: readonly KitClause[] = [
  ...writing,
  ...order,
  ...evidenceTieClauses,
  ...clockClauses,
  ...finding,
  ...ledgerClauses,
  ...orderClauses,
  ...groupOrderClauses,
  ...calledClauses,
  ...numberClauses,
  ...rangeClauses,
  ...operatorClauses,
  ...living,
];
