/** Losses after the verdict: how far the judge goes back, and that it does so once. */
import type { TurnEvent } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { createLateLosses } from "./judge-losses.ts";

const event = (producer_id: string, received_at: string): TurnEvent => ({
  schema_version: 3,
  event_id: `${producer_id}-${received_at}`,
  event_kind: "intent",
  phase: "event",
  status: "success",
  timestamp: received_at,
  received_at,
  producer_id,
  attributes: {},
});

const report = (producer_id: string, attributes: TurnEvent["attributes"]): TurnEvent => ({
  ...event(producer_id, "2026-10-05T09:00:00Z"),
  event_id: `report-${producer_id}`,
  event_kind: "data_quality",
  attributes,
});

test("goes back to the first receipt of the producer, once", () => {
  const losses = createLateLosses();
  losses.judged([event("till", "2026-10-05T08:00:02Z"), event("till", "2026-10-05T08:00:01.5Z")]);
  losses.judged([event("till", "2026-10-05T08:30:00Z"), event("desk", "2026-10-05T08:00:00Z")]);
  const lost = report("till", { loss_created: 9, loss_exported: 5, loss_dropped: 4 });
  const fine = report("desk", { loss_created: 9, loss_exported: 9, loss_dropped: 0 });
  expect(losses.since([fine])).toBeUndefined();
  expect(losses.since([fine, lost])).toBe("2026-10-05T08:00:01.5Z");
  // What is judged from now on is judged with the loss.
  losses.judged([event("till", "2026-10-05T08:00:01.5Z")]);
  expect(losses.since([fine, lost])).toBeUndefined();
});

test("what was sampled out counts, what nobody judged does not", () => {
  const losses = createLateLosses();
  const sampled = { loss_created: 9, loss_exported: 9, loss_dropped: 0, sampled_out: 2 };
  expect(losses.since([report("desk", sampled)])).toBeUndefined();
  losses.judged([event("till", "2026-10-05T08:00:02Z")]);
  expect(losses.since([report("till", sampled)])).toBe("2026-10-05T08:00:02Z");
});
