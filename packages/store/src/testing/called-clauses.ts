/** @module CalledClauses: an event is found by its own id and by its span's. */
import { deepEqual, equal } from "node:assert/strict";

import type { TurnEvent } from "@turnproof/evidence";

import type { EvidenceStore } from "../evidence-store.ts";
import type { KitClause } from "./contract.ts";
import { onStore } from "./on-store.ts";
import { allTenants, sampleEvent, sampleTurn } from "./sample-event.ts";
import { eventsOf, walkPages } from "./walk-pages.ts";

const who = { agent_id: "helper", user_id: "u-1", thread_id: "t-1", application_id: "desk" };
/** Roots with the same producer-chosen id: it is counted inside each turn only. */
const sharedRoots = 1_100;

const placeOf = (event: TurnEvent): string => `${event.root_trace_id}/${event.event_id}`;

/** The clauses. */
export const calledClauses: readonly KitClause[] = [
  onStore("an event is found by its own id and by its span", async (store, put) => {
    const own = { root_trace_id: "root-1", parent_span_id: "aa" };
    await put(1, [
      ...sampleTurn("root-1", who),
      sampleEvent("dd", { ...own, event_id: "evt-7" }),
      // A marker is a span of its own that describes another.
      sampleEvent("mark", { ...own, event_id: "ee:start", phase: "start" }),
      sampleEvent("odd:result", { ...own, event_id: "derived:5" }),
    ]);
    await put(2, [
      ...sampleTurn("root-2", { ...who, user_id: "u-2" }),
      sampleEvent("ff", { root_trace_id: "root-2", caused_by_event_id: "evt-7" }),
    ]);
    for (let i = 0; i < 5; i += 1) await put(1_000_000 * (i + 1), sampleTurn(`other-${i}`, {}));
    const found = async (id: string, scope = allTenants): Promise<readonly string[]> =>
      (await store.find(scope, id, {}, { limit: 99 })).events.map(placeOf).toSorted();
    deepEqual(await found("evt-7"), ["root-1/evt-7", "root-2/ff:result"]);
    deepEqual(await found("evt-7", { tenant: "u-2" }), ["root-2/ff:result"]);
    deepEqual(await found("evt-7", { tenant: null }), []);
    deepEqual(await found("dd"), ["root-1/evt-7"]);
    deepEqual(await found("dd:result"), []);
    deepEqual(await found("cc:result", { tenant: "u-1" }), ["root-1/cc:result"]);
    deepEqual(await found("cc:start"), []);
    deepEqual(await found("ee:start"), ["root-1/ee:start"]);
    deepEqual(await found("mark"), ["root-1/ee:start"]);
    deepEqual(await found("odd:result"), ["root-1/derived:5"]);
    deepEqual(await found("derived:5"), ["root-1/derived:5"]);
    deepEqual(await found(":result"), []);
    const later = { start_time: "2026-03-01T10:00:02Z" };
    equal((await store.find(allTenants, "dd", later, { limit: 9 })).events.length, 0);
  }),
  onStore("an id that events of many roots have is found in all of them", async (store, put) => {
    const rare = new Set([0, 1, 700]);
    const roots = Array.from({ length: sharedRoots }, (_, n) => [
      sampleEvent("aa", {
        ...who,
        user_id: rare.has(n) ? "u-rare" : "u-1",
        event_kind: "turn",
        root_trace_id: `root-${n}`,
      }),
      sampleEvent(`s-${n}`, { root_trace_id: `root-${n}`, event_id: "evt-1" }),
    ]);
    await put(1, roots.slice(0, 400).flat());
    await put(2, roots.slice(400, 800).flat());
    await put(900, roots.slice(800).flat());
    const found = await allOf(store, { limit: 300 });
    equal(found.length, sharedRoots);
    equal(new Set(found).size, sharedRoots);
    const own = await allOf(store, { limit: 50, tenant: "u-rare" });
    deepEqual(
      own.toSorted(),
      [...rare].map((n) => `root-${n}/evt-1`),
    );
  }),
];

async function allOf(
  store: EvidenceStore,
  { limit, tenant }: { readonly limit: number; readonly tenant?: string },
): Promise<readonly string[]> {
  const scope = tenant === undefined ? allTenants : { tenant };
  const pages = await walkPages((o) => store.find(scope, "evt-1", {}, o), { limit });
  return eventsOf(pages).map(placeOf);
}
