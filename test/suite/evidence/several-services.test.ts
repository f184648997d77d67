/**
 * One turn, several services: evidence belongs to its turn's application, whichever service
 * recorded it.
 */
import {
  buildCausalWaterfall,
  foldTurns,
  normalizeEvents,
  reconcileOutcome,
  resolveEvents,
} from "@turnproof/evidence";
import { expect, test } from "vitest";

import { artifact, at, delivery, success, turn, whole, work } from "./text-windows.ts";
import type { Json } from "./verdict-cases.ts";

const own = at(
  45,
  "turn",
  {},
  {
    event_id: "turn",
    phase: "result",
    span_id: "bbbbbbbbbbbbbb01",
    started_at: "2026-11-21T08:00:00Z",
  },
);
const elsewhere = { application_id: "invoice-worker", producer_id: "worker" };
const made = { work: work({}, elsewhere), artifact: artifact({}, elsewhere) };
const judged = (events: readonly unknown[]): string =>
  reconcileOutcome(events, { normalizationMetadata: whole }).status;

test("a worker of another service completes the turn", () => {
  expect(judged([...success(made), own])).toBe("success");
  expect(judged([own, ...success(made)].toReversed())).toBe("success");
  expect(judged([...success({ ...made, delivery: delivery({}, elsewhere) }), own])).toBe("success");
});

test.each<[string, Json[]]>([
  ["without the turn's own events nothing says whose it is", success(made)],
  ["a turn of another id is not its turn", [...success(made), { ...own, turn_id: "round-2" }]],
  ["nor one of another tenant", [...success(made), { ...own, user_id: null }]],
  ["nor one of another thread", [...success(made), { ...own, thread_id: "dialog-4" }]],
  ["nor one of another agent", [...success(made), { ...own, agent_id: "other" }]],
])("%s", (_caption, events) => {
  expect(judged(events)).toBe("partial");
});

test("a failure of the worker is a failure of the turn", () => {
  const failed = { ...made, work: work({}, { ...elsewhere, status: "error" }) };
  expect(judged([...success(failed), own])).toBe("partial");
});

test("resolved evidence keeps its service, and the turn is one row and one group", () => {
  const { events } = normalizeEvents([own, ...success(made)]);
  const resolved = resolveEvents(events);
  const services = resolved.map(({ event_id, application_id, service_name }) => [
    event_id,
    application_id,
    service_name,
  ]);
  expect(services).toContainEqual(["artifact", turn["application_id"], "invoice-worker"]);
  expect(services).toContainEqual(["delivery", turn["application_id"], undefined]);
  expect(resolveEvents(resolved)).toEqual(resolved);
  expect(foldTurns(resolved)).toHaveLength(1);
  expect(buildCausalWaterfall(resolved).groups).toHaveLength(1);
  expect(normalizeEvents(resolved)).toMatchObject({
    errors: [],
    events: resolved.map(({ event_id, service_name }) => ({
      event_id,
      ...(service_name === undefined ? {} : { service_name }),
    })),
  });
});
