/** Losses after the verdict: how far back the judge goes, once for each loss. */
import type { LossInterval, TurnEvent } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { createLateLosses } from "./judge-losses.ts";

const event = (producer_id: string, received_at: string): TurnEvent => ({
  schema_version: 3,
  event_id: `${producer_id}-${received_at}`,
  event_kind: "intent",
  phase: "event",
  status: "success",
  timestamp: received_at,
  application_id: `${producer_id}-service`,
  received_at,
  producer_id,
  attributes: {},
});

const loss = (producer_id: string, from: string | null, lost = 1): LossInterval => ({
  producer_id,
  service: `${producer_id}-service`,
  from,
  to: "2026-10-05T09:00:00Z",
  lost,
  sampled_out: 0,
  write_failures: 0,
});

test("goes back to the clean report, or to the producer's first receipt, once for each loss", () => {
  const losses = createLateLosses();
  losses.judged([event("till", "2026-10-05T08:00:02Z"), event("till", "2026-10-05T08:00:01.5Z")]);
  losses.judged([event("till", "2026-10-05T08:30:00Z"), event("desk", "2026-10-05T07:00:00Z")]);
  expect(losses.since([])).toBeUndefined();
  const first = loss("till", null);
  expect(losses.since([first])).toBe("2026-10-05T08:00:01.5Z");
  expect(losses.since([first])).toBeUndefined();
  // Clocks may differ by some minutes.
  const second = loss("till", "2026-10-05T08:45:00Z", 2);
  expect(losses.since([first, second])).toBe("2026-10-05T08:40:00.000Z");
  expect(losses.since([first, second])).toBeUndefined();
  expect(losses.since([loss("till", "2026-10-05T07:30:00Z"), second])).toBe(
    "2026-10-05T08:00:01.5Z",
  );
});

test("what nobody judged needs no second look, what may be anybody's needs all", () => {
  const losses = createLateLosses();
  expect(losses.since([loss("till", null)])).toBeUndefined();
  losses.judged([event("desk", "2026-10-05T07:00:00Z")]);
  expect(losses.since([loss("pos", null)])).toBeUndefined();
  const { producer_id: _p, service: _s, ...anybodys } = loss("x", null);
  expect(losses.since([anybodys])).toBe("2026-10-05T07:00:00Z");
  // Another process of the same service may be part of the same turn.
  expect(losses.since([{ ...loss("desk-2", null), service: "desk-service" }])).toBe(
    "2026-10-05T07:00:00Z",
  );
});

test("a root is looked at again when rows of it are set aside while the judge runs", () => {
  const losses = createLateLosses();
  expect(losses.fresh(["a"])).toEqual([]);
  expect(losses.fresh(["a", "b"])).toEqual(["b"]);
  // It is returned again until it is judged, also to the next process.
  expect(losses.fresh(["a", "b"])).toEqual(["b"]);
  const floor = "2026-10-04T08:00:00.000Z";
  expect(createLateLosses({ ...losses.state(), floor }).fresh(["a", "b"])).toEqual(["b"]);
  losses.settled("b");
  expect(losses.fresh(["a", "b"])).toEqual([]);
  expect(createLateLosses({ ...losses.state(), floor }).fresh(["a", "b"])).toEqual([]);
});

test("a later process goes back for the losses and roots that an earlier one did not know", () => {
  const before = createLateLosses();
  const old = loss("till", null);
  before.judged([event("till", "2026-10-05T08:00:02Z")]);
  before.since([old]);
  before.fresh(["a"]);
  const floor = "2026-10-04T08:00:00.000Z";
  const after = createLateLosses({ ...before.state(), floor });
  expect(after.since([old])).toBeUndefined();
  // The producers of turns judged before are unknown.
  expect(after.since([old, loss("pos", null)])).toBe(floor);
  expect(after.since([loss("desk", "2026-10-05T08:45:00Z")])).toBe("2026-10-05T08:40:00.000Z");
  expect(after.fresh(["a", "b"])).toEqual(["b"]);
});
