/** A preview of silences reads the range, and not each pause; its counts are those of the rule. */
import { recordStored, ephemeral } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";
import { expect, test } from "vitest";

import { measureRule } from "../../../collector/src/alerts/measure.ts";
import { previewRule } from "../../../collector/src/alerts/preview.ts";
import { parseAlertRules } from "../../../collector/src/config/alert-rules.ts";
import type { AlertRule } from "../../../collector/src/config/alert-rules.ts";
import { measureParts } from "./alert-desk.ts";
import { turnEvents } from "./desk.ts";

const start = Date.parse("2026-11-21T12:00:00Z");
const minute = 60_000;

function ruleOf(of: string): AlertRule {
  const [rule] = parseAlertRules(`version: 1\nrules:\n  - {name: one, measure: silence, ${of}}`);
  if (rule === undefined) throw new Error("no rule");
  return rule;
}

let batches = 0;
async function receive(store: EvidenceStore, atMs: number, root: string): Promise<void> {
  const at = new Date(atMs).toISOString();
  const own = turnEvents({ root, agent: root.split(" ")[0] ?? "", at });
  // The second receipt of a root is another event of its turn.
  const events = own.map((one) => ({ ...one, event_id: `${one.event_id} ${(batches += 1)}` }));
  await store.append({ batchId: `r-${batches}`, receivedAt: at.replace("Z", "000Z"), events });
  await recordStored(store, allTenants, [root]);
}

test("silences of a range are a few reads, with the counts of the rule", async () => {
  const store = ephemeral();
  const clock = { ms: start + 60 * minute };
  const receipts: [number, string][] = [];
  for (let at = 0; at < 60; at += 4) receipts.push([at, `four ${at}`], [at + 1, `beside ${at}`]);
  for (const at of [0, 2, 3, 20, 40]) receipts.push([at, `rare ${at}`]);
  // A turn in parts, over several steps and before a pause.
  for (const at of [5, 6, 7]) receipts.push([at, "parts of-one"]);
  for (const [at, root] of receipts.toSorted(([a], [b]) => a - b)) {
    await receive(store, start + at * minute + minute / 2, root);
  }
  let reads = 0;
  const ledger = new Proxy(store.ledger, {
    get(of, name) {
      const own: unknown = Reflect.get(of, name);
      if (typeof own !== "function") return own;
      return (...given: unknown[]): unknown => {
        reads += 1;
        return Reflect.apply(own, of, given);
      };
    },
  });
  const parts = await measureParts({ ...store, ledger, roots: store.roots.bind(store) }, clock);
  for (const more of ["", ", min_count: 3"]) {
    const rule = ruleOf(`by: agent, window: 2m${more}`);
    reads = 0;
    const past = await previewRule(parts, rule, { nowMs: clock.ms, days: 60 / 1_440 });
    if (!("windows" in past)) throw new Error(past.not_recorded);
    expect([more, past.alerts > 20, past.unclear, reads < 10]).toEqual([more, true, 0, true]);
    // Evaluated at that time, on what had been received by then.
    for (const { group, from_ms: from, count } of past.windows) {
      const then = ephemeral();
      const end = from + rule.window_ms;
      for (const [at, root] of receipts.toSorted(([a], [b]) => a - b)) {
        const atMs = start + at * minute + minute / 2;
        if (atMs < end) await receive(then, atMs, root);
      }
      const found = await measureRule(await measureParts(then, { ms: end }), rule, end);
      const own = found.find((one) => one.group === group);
      expect([group, end, own?.value, own?.count]).toEqual([group, end, rule.window_ms, count]);
    }
  }
});
