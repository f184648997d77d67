/**
 * @module EventPriorities: urgency of each event of a turn: that of the most urgent finding or
 * insight with it as evidence, and of failures without one. Shared by server and browser.
 */
import type { CausalWaterfall } from "@turnproof/evidence";

import { failuresOf } from "./failure-texts.ts";

interface Pointed {
  readonly priority: number;
  readonly evidence_ids: readonly string[];
}

/** Urgency of a failure without a finding. */
const failurePriority = 1;

/** Priorities by event. */
export function prioritiesOf(model: {
  readonly verdict: { readonly findings: readonly Pointed[] };
  readonly insights: { readonly insights: readonly Pointed[] };
  readonly waterfall: CausalWaterfall;
}): ReadonlyMap<string, number> {
  const priorities = new Map<string, number>();
  const note = (id: string, priority: number): void => {
    priorities.set(id, Math.min(priority, priorities.get(id) ?? priority));
  };
  for (const { priority, evidence_ids: ids } of [
    ...model.verdict.findings,
    ...model.insights.insights,
  ]) {
    for (const id of ids) note(id, priority);
  }
  for (const { event_id: id } of failuresOf(model.waterfall, [])) note(id, failurePriority);
  return priorities;
}
