/**
 * @module ClockClauses: rows of a clock that was far ahead are not the newest of every list. A time
 * of its own counts no later than its receipt; a receipt that is later than now, which the reader
 * states, comes last (faults R12 and R29).
 */
import { deepEqual } from "node:assert/strict";

import type { TurnRow } from "@turnproof/evidence";

import type { SliceOptions } from "../evidence-store.ts";
import { microsOf } from "../ledger/turn-fields.ts";
import type { GroupField, GroupPosition, GroupsPaging } from "../ledger/turn-query.ts";
import type { EvidenceStore } from "../evidence-store.ts";
import type { KitClause } from "./contract.ts";
import { onStore } from "./on-store.ts";
import { sampleRecord } from "./sample-record.ts";
import { allTenants, receivedAt, sampleEvent } from "./sample-event.ts";
import { eventsOf, walkPages } from "./walk-pages.ts";

const farAhead = "2199-01-01T00:00:00Z";
const lists: readonly GroupField[] = ["agent_id", "thread_id"];

/** Agents or threads, page by page. */
async function walkGroups(
  { ledger }: EvidenceStore,
  by: GroupField,
  paging: GroupsPaging,
): Promise<(readonly [value: string | null, turns: number])[]> {
  const query = { scope: allTenants, where: [] };
  const groups: (readonly [string | null, number])[] = [];
  let after: GroupPosition | null = null;
  do {
    const next = after === null ? {} : { after };
    const page = await ledger.turnGroups(query, by, { ...paging, ...next });
    groups.push(...page.groups.map(({ value, turns }) => [value, turns] as const));
    after = page.next;
  } while (after !== null);
  return groups;
}

function turnAt(name: string, received: number, fields: Partial<TurnRow> = {}) {
  const at = receivedAt(received);
  const [agent, key] = name.split(" ");
  const who = { agent_id: agent ?? "", thread_id: agent ?? "" };
  const row = { ...who, started_at: at, ended_at: at, received_at: at, ...fields };
  return { ...sampleRecord(key ?? name, row), first_received: at };
}

/** The clauses. */
export const clockClauses: readonly KitClause[] = [
  onStore("an event's time after its receipt does not make it the newest", async (store, put) => {
    const at = (span: string, root: string, timestamp: string) =>
      sampleEvent(span, { root_trace_id: root, timestamp, thread_id: "t", user_id: "u" });
    await put(1, [at("ahead", "root-1", farAhead), at("first", "root-1", receivedAt(0))]);
    await put(2, [at("second", "root-2", receivedAt(1.5)), at("late", "root-2", receivedAt(0.5))]);
    await put(3, [at("third", "root-3", receivedAt(2.5))]);
    const spans = async (read: (options: SliceOptions) => ReturnType<EvidenceStore["page"]>) =>
      eventsOf([await read({ limit: 9 })]).map(({ span_id: span }) => span);
    const newest = ["third", "second", "ahead", "late", "first"];
    deepEqual(await spans((o) => store.page(allTenants, {}, o)), newest);
    deepEqual(await spans((o) => store.page({ tenant: "u" }, { thread_id: "t" }, o)), newest);
    deepEqual(await spans((o) => store.find(allTenants, "t", {}, o)), newest);
    const pages = await walkPages((o) => store.page(allTenants, {}, o), { limit: 1 });
    deepEqual(
      eventsOf(pages).map(({ span_id: span }) => span),
      ["third", "second", "late", "ahead", "first"],
    );
  }),
  onStore("a turn's time after its receipt makes no agent or thread the newest", async (store) => {
    await store.ledger.putTurns([
      turnAt("skewed one", 1, { ended_at: farAhead }),
      turnAt("right two", 2),
      turnAt("late three", 3, { ended_at: receivedAt(0) }),
    ]);
    for (const by of lists) {
      for (const limit of [1, 2, 9]) {
        const groups = await walkGroups(store, by, { limit });
        deepEqual(
          groups.map(([value]) => value),
          ["right", "skewed", "late"],
        );
      }
    }
  }),
  onStore("agents and threads are dated by what is not ahead", async (store) => {
    const day = 86_400;
    await store.ledger.putTurns([
      turnAt("both one", 1),
      turnAt("both two", day),
      turnAt("ahead three", day + 1),
      turnAt("ahead four", day + 2),
      turnAt("further five", day + 3),
      turnAt("right six", 2),
      turnAt("older seven", 0),
    ]);
    const wanted = [
      ["right", 1],
      ["both", 2],
      ["older", 1],
      ["further", 1],
      ["ahead", 2],
    ];
    const aheadFrom = microsOf(receivedAt(day));
    for (const by of lists) {
      for (const limit of [1, 2, 3, 4, 5, 9]) {
        deepEqual(await walkGroups(store, by, { limit, aheadFrom }), wanted);
      }
      // Once their time has come they are in their place.
      const later = await walkGroups(store, by, { limit: 2, aheadFrom: aheadFrom * 2 });
      deepEqual(
        later.map(([value]) => value),
        ["further", "ahead", "both", "right", "older"],
      );
    }
  }),
  onStore("a walk that is bounded by receipt ends there", async (store, put) => {
    for (let at = 1; at <= 6; at += 1) {
      const own = { thread_id: "t", user_id: "u", root_trace_id: `root-${at % 3}` };
      await put(at * 100, [
        sampleEvent(`${at}-a`, { ...own, turn_id: `turn-${at}` }),
        sampleEvent(`${at}-b`, { ...own, turn_id: `turn-${at}` }),
      ]);
    }
    const from = (at: number): number => microsOf(receivedAt(at * 100));
    for (const [first, own] of [
      [1, {}],
      [3, {}],
      [4, { thread_id: "t" }],
      [6, {}],
      [7, {}],
    ] as const) {
      const wanted = Array.from({ length: 7 - first }, (_, at) => first + at).flatMap((at) => [
        `${at}-a`,
        `${at}-b`,
      ]);
      for (const limit of [1, 2, 3, 99]) {
        const bound = { limit, receivedFrom: from(first) };
        const pages = await walkPages((o) => store.page(allTenants, own, o), bound);
        deepEqual(pages.at(-1)?.bounded, false);
        const spans = eventsOf(pages).map(({ span_id: span }) => span);
        deepEqual(new Set(spans), new Set(wanted));
        deepEqual(spans.length, wanted.length);
        const found = await walkPages((o) => store.find({ tenant: "u" }, "t", own, o), bound);
        deepEqual(eventsOf(found).length, wanted.length);
        const bundles = await walkPages((o) => store.bundles(allTenants, own, o), bound);
        deepEqual(bundles.flatMap((page) => page.bundles).length, wanted.length / 2);
      }
    }
  }),
];
