/** A cached model is returned only for the same request over equal events. */
import type { TurnEvent, WindowMetadata } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { ModelCache } from "./model-cache.ts";
import type { CachedRequest } from "./model-cache.ts";
import { factsOf } from "./root-facts.ts";
import type { RootFacts } from "./root-facts.ts";

const metadata: WindowMetadata = { window_complete: true };

const event = (index: number, more: Partial<TurnEvent> = {}): TurnEvent => ({
  schema_version: 3,
  event_id: `${index}:result`,
  event_kind: index === 0 ? "turn" : "tool_call",
  phase: "result",
  status: "success",
  timestamp: "2026-11-21T10:00:00.000Z",
  received_at: "2026-11-21T10:00:01.000Z",
  revision: 1,
  span_id: `${index}`,
  user_id: "usr_a",
  root_trace_id: "root",
  ...more,
  attributes: { tool_name: "search", ...more.attributes },
});

/** Models that count how often one was computed. */
class Counted {
  made = 0;
  readonly #kept: ModelCache<RootFacts>;

  constructor(bounds: ConstructorParameters<typeof ModelCache>[0] = {}) {
    this.#kept = new ModelCache(bounds);
  }

  of(reported: CachedRequest): RootFacts {
    return this.#kept.of(reported, () => {
      this.made += 1;
      return factsOf(reported.events);
    });
  }
}

const three = (): TurnEvent[] => [event(0), event(1), event(2)];

test("equal events of one request are computed once", () => {
  const models = new Counted();
  const first = models.of({ request: "a", events: three(), metadata });
  const again = models.of({ request: "a", events: three(), metadata: { ...metadata } });
  expect(again).toBe(first);
  expect(models.made).toBe(1);
});

test.each([
  ["another principal", "b", three(), metadata],
  ["an event more", "a", [...three(), event(3)], metadata],
  ["an event less", "a", three().slice(1), metadata],
  ["a status", "a", [event(0), event(1), event(2, { status: "error" })], metadata],
  ["an attribute", "a", [event(0), event(1), event(2, { attributes: { model: "m" } })], metadata],
  ["a null for nothing", "a", [event(0), event(1), event(2, { user_id: null })], metadata],
  ["what was read of it", "a", three(), { window_complete: false }],
] as const)("%s is computed again", (_name, request, events, stated) => {
  const models = new Counted();
  const first = models.of({ request: "a", events: three(), metadata });
  const second = models.of({ request, events, metadata: stated });
  expect(second).not.toBe(first);
  expect(models.made).toBe(2);
  expect(second).toEqual(new Counted().of({ request, events, metadata: stated }));
});

test("what is cached is bounded in number and in events", () => {
  const models = new Counted({ events: 12 });
  const modelOf = (request: string, events: readonly TurnEvent[]): unknown =>
    models.of({ request, events, metadata });
  const huge = Array.from({ length: 13 }, (_, index) => event(index));
  expect(modelOf("huge", huge)).not.toBe(modelOf("huge", huge));
  const first = modelOf("0", three());
  for (const request of ["1", "2", "3"]) modelOf(request, three());
  expect(modelOf("0", three())).toBe(first);
  modelOf("4", three());
  expect(modelOf("0", three())).not.toBe(first);
});
