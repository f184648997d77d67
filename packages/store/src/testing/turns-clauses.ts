/**
 * @module TurnsClauses: a list of turns keeps its order in a burst, and the events behind rows.
 */
import { deepEqual } from "node:assert/strict";

import { foldTurns } from "@turnproof/evidence";

import type { KitClause } from "./contract.ts";
import { onStore } from "./on-store.ts";
import { everybody, sampleEvent, sampleTurn } from "./sample-event.ts";
import { walkPages } from "./walk-pages.ts";

const who = { agent_id: "helper", user_id: "u-1", thread_id: "t-1", application_id: "desk" };

/** Clauses of lists of turns. */
export const turnsClauses: readonly KitClause[] = [
  onStore("many roots within a minute are listed newest first, each once", async (store, put) => {
    const roots = Array.from({ length: 30 }, (_, at) => `root-${at}`);
    for (const [at, root] of roots.entries()) await put(at + 1, sampleTurn(root, who));
    // One of the first receives another event, in the middle and at the end.
    for (const second of [15, 31]) {
      const again = sampleEvent(`at-${second}`, { root_trace_id: "root-3", parent_span_id: "aa" });
      await put(second, [again], `again ${second}`);
    }
    // Events that are no evidence move no turn.
    const spans = ["root-5", "root-6", "root-7"].map((root) =>
      sampleEvent("ss", { root_trace_id: root, event_kind: "span", parent_span_id: "aa" }),
    );
    await put(32, spans);
    const newest = ["root-3", ...roots.toReversed().filter((root) => root !== "root-3")];
    for (const limit of [1, 2, 7, 40]) {
      const query = { agent_id: "helper" };
      const pages = await walkPages((o) => store.turns(everybody, query, o), { limit });
      deepEqual(
        pages.flatMap((page) => page.roots),
        newest,
      );
    }
  }),
  onStore("turns that will only be folded give the same rows", async (store, put) => {
    const roots = Array.from({ length: 8 }, (_, at) => `root-${at}`);
    const ref = { resource_type: "note", ref: "note-1" };
    const turns = roots.flatMap((root) => [
      ...sampleTurn(root, who),
      sampleEvent("mm", {
        root_trace_id: root,
        event_kind: "memory_supply",
        parent_span_id: "aa",
        input_refs: [ref],
        attributes: { supplied_count: 4, memory_degraded: true },
      }),
    ]);
    await put(1, turns);
    // Copies that differ in the row's fields; the rest of them determines the latest.
    for (const text of ["one", "two", "three"]) {
      const copies = roots.map((root) =>
        sampleEvent("cc", {
          root_trace_id: root,
          parent_span_id: "bb",
          timestamp: "2026-03-01T10:00:04.123456789Z",
          attributes: { tool_name: text, call_fingerprint: `${text} ${root}` },
        }),
      );
      await put(2, copies, text);
    }
    for (const query of [{}, { tool_name: "two" }, { resource_ref: "note-1" }]) {
      const whole = await store.turns(everybody, query, { limit: 20 });
      const folded = await store.turns(everybody, query, { limit: 20, folded: true });
      deepEqual(folded.roots, whole.roots);
      deepEqual(foldTurns(folded.events), foldTurns(whole.events));
    }
  }),
];
