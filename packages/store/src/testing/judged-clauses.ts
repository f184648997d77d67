/** @module JudgedClauses: a list of turns may be narrowed to what was judged so, and loses none. */
import { deepEqual } from "node:assert/strict";

import type { EvidenceStore, Judged, TurnVerdict } from "../evidence-store.ts";
import type { Clause } from "./contract.ts";
import { onStore } from "./on-store.ts";
import { everybody, receivedAt, sampleTurn } from "./sample-event.ts";
import { walkPages } from "./walk-pages.ts";

const who = { agent_id: "helper", user_id: "u-1", thread_id: "t-1", application_id: "desk" };
const roots = [1, 2, 3, 4, 5, 6].map((place) => `root-${place}`);
const failed = ["root-5", "root-3", "root-1"];

function judged(root: string, verdict: string, codes: readonly string[]): TurnVerdict {
  return {
    root_trace_id: root,
    turn_id: "aa",
    agent_id: "helper",
    thread_id: "t-1",
    user_id: "u-1",
    verdict,
    finding_codes: codes,
    judged_at: "2026-03-01T12:00:00.000Z",
    as_of: receivedAt(9),
  };
}

const verdicts = [
  judged("root-1", "failed", ["artifact_missing"]),
  judged("root-2", "success", []),
  judged("root-3", "failed", ["artifact_missing", "delivery_unconfirmed"]),
  judged("root-5", "failed", ["delivery_unconfirmed"]),
];

/** Which of the failed are listed. Leaving the others out is allowed and not asked for. */
async function listed(store: EvidenceStore, hint: Judged): Promise<readonly string[]> {
  const pages = await walkPages((o) => store.turns(everybody, {}, { ...o, judged: hint }), {
    limit: 1,
  });
  const all = pages.flatMap((page) => page.roots);
  deepEqual(
    all,
    all.toSorted((a, b) => roots.indexOf(b) - roots.indexOf(a)),
  );
  return all.filter((root) => failed.includes(root));
}

/** Clauses of the hint. */
export const judgedClauses: readonly Clause[] = [
  onStore("turns that were judged so are all listed, newest first", async (store, put) => {
    for (const [at, root] of roots.entries()) await put(at + 1, sampleTurn(root, who));
    await store.putVerdicts(verdicts);
    deepEqual(await listed(store, { verdict: "failed" }), failed);
    const both = { verdict: "failed", finding: "delivery_unconfirmed" };
    deepEqual((await listed(store, both)).slice(0, 2), ["root-5", "root-3"]);
    const hint = { limit: 9, judged: { verdict: "failed" } };
    deepEqual((await store.turns({ tenant: "u-2" }, {}, hint)).roots, []);
    deepEqual((await store.turns(everybody, { agent_id: "nobody" }, hint)).roots, []);
  }),
];
