/**
 * @module RandomWorld: random histories of a small world: few roots, spans and ids, so that
 * tenants share a root, spans repeat, parents are missing or form cycles, and everything arrives
 * twice.
 */
import type { EventQuery, EvidenceBatch, TurnEvent } from "@turnproof/evidence";
import { eventStatuses } from "@turnproof/semconv";
import fc from "fast-check";
import type { Arbitrary } from "fast-check";

import type { EvidenceScope } from "../scope.ts";
import { hostileIds } from "./hostile.ts";
import { allTenants, receivedAt } from "./sample-event.ts";

/** One step of a history. */
export type Command =
  | { readonly do: "append"; readonly batch: EvidenceBatch }
  | { readonly do: "again"; readonly nth: number }
  | {
      readonly do: "page";
      readonly scope: EvidenceScope;
      readonly query: EventQuery;
      limit: number;
    }
  | {
      readonly do: "bundles";
      readonly scope: EvidenceScope;
      readonly query: EventQuery;
      limit: number;
    }
  | { readonly do: "root"; readonly scope: EvidenceScope; readonly root: string; limit: number }
  | { readonly do: "find"; readonly scope: EvidenceScope; readonly id: string; limit: number };

const id: Arbitrary<string> = fc.constantFrom(...hostileIds);
const fewIds: Arbitrary<string> = fc.constantFrom("one", "two", "o'ne", "t\u0000wo");
const root: Arbitrary<string> = fc.constantFrom("r1", "r2", "r'3", "r4");
const span: Arbitrary<string> = fc.constantFrom("s1", "s2", "s3", "s4", "s5", "s6");
const tenant: Arbitrary<string | null> = fc.oneof(
  { weight: 4, arbitrary: id },
  { weight: 1, arbitrary: fc.constant(null) },
);
const kind = fc.constantFrom("turn", "model_call", "tool_call", "span", "artifact", "intent");
const time: Arbitrary<string> = fc.constantFrom(
  "2026-03-01T10:00:00Z",
  "2026-03-01T10:00:00.5Z",
  "2026-03-01T10:00:00.500000001Z",
  "2026-03-01T10:00:00.5000000012Z",
  "1970-01-01T00:00:00Z",
  "1850-06-01T00:00:00Z",
  "2600-01-01T00:00:00.000001Z",
  "2026-03-01T09:59:59.999999999Z",
);

function maybe<T>(arbitrary: Arbitrary<T>, weight = 1): Arbitrary<T | undefined> {
  return fc.oneof({ weight, arbitrary }, { weight: 2, arbitrary: fc.constant(undefined) });
}

/** An event as a producer may send it. */
export const randomEvent: Arbitrary<TurnEvent> = fc
  .record({
    root_trace_id: root,
    span_id: span,
    parent_span_id: maybe(span, 4),
    event_kind: kind,
    phase: fc.constantFrom("start", "result", "event"),
    status: fc.constantFrom(...eventStatuses),
    timestamp: time,
    started_at: maybe(time),
    duration_ms: maybe(fc.constantFrom(0, 0.5, 12, 1e6)),
    user_id: maybe(tenant),
    agent_id: maybe(fewIds),
    application_id: maybe(fewIds),
    thread_id: maybe(fewIds),
    memory_id: maybe(fewIds),
    turn_id: maybe(fc.constantFrom("s1", "s2", "turn-x")),
    task_id: maybe(fewIds),
    ingest_principal: maybe(fc.constantFrom("p", "q"), 6),
    dialect: maybe(fc.constantFrom("turnproof", "gen_ai")),
    source_store: fc.constantFrom(undefined, undefined, "trace", "conversation"),
    ref: maybe(id),
    tool: maybe(fewIds),
    event_id: maybe(fc.constantFrom("e1", "e2")),
  })
  .map(({ ref, tool, event_id, ...recorded }) =>
    withoutUndefined({
      schema_version: 3,
      ...recorded,
      event_id: event_id ?? `${recorded.span_id}:${recorded.phase}`,
      ...(ref === undefined ? {} : { input_refs: [{ resource_type: "document", ref }] }),
      attributes: tool === undefined ? {} : { tool_name: tool },
    }),
  );

/** Random values are cast only where the type of an event requires it. */
function withoutUndefined(recorded: object): TurnEvent {
  return Object.fromEntries(
    Object.entries(recorded).filter(([, value]) => value !== undefined),
  ) as unknown as TurnEvent;
}

const append: Arbitrary<Command> = fc
  .record({
    events: fc.array(randomEvent, { minLength: 1, maxLength: 6 }),
    second: fc.integer({ min: 0, max: 2_000_000 }),
    serial: fc.uuid(),
  })
  .map(({ events, second, serial }) => ({
    do: "append" as const,
    batch: { batchId: serial, receivedAt: receivedAt(second), events },
  }));

const scope: Arbitrary<EvidenceScope> = fc.oneof(
  { weight: 3, arbitrary: tenant.map((value) => ({ tenant: value })) },
  { weight: 1, arbitrary: fc.constant(allTenants) },
  {
    weight: 1,
    arbitrary: fc.tuple(tenant, fewIds).map(([value, applicationId]) => ({
      tenant: value,
      applicationId,
    })),
  },
);

const query: Arbitrary<EventQuery> = fc
  .record({
    store: fc.constantFrom(undefined, undefined, "all", "trace", "conversation"),
    user_id: fc.oneof(
      { weight: 1, arbitrary: tenant },
      { weight: 6, arbitrary: fc.constant(undefined) },
    ),
    agent_id: maybe(fewIds),
    thread_id: fc.oneof(
      { weight: 1, arbitrary: fewIds },
      { weight: 4, arbitrary: fc.constant(undefined) },
    ),
    turn_id: fc.constantFrom(undefined, undefined, undefined, "s1", "turn-x"),
    status: fc.constantFrom(undefined, undefined, undefined, ...eventStatuses),
    event_kind: fc.constantFrom(undefined, undefined, undefined, "tool_call", "turn", "span"),
    resource_ref: fc.oneof(
      { weight: 1, arbitrary: id },
      { weight: 8, arbitrary: fc.constant(undefined) },
    ),
    start_time: fc.oneof(
      { weight: 1, arbitrary: time },
      { weight: 5, arbitrary: fc.constant(undefined) },
    ),
    end_time: fc.oneof(
      { weight: 1, arbitrary: time },
      { weight: 5, arbitrary: fc.constant(undefined) },
    ),
  })
  .map((recorded) => withoutUndefined(recorded) as unknown as EventQuery);

const limit = fc.integer({ min: 1, max: 9 });

const read: Arbitrary<Command> = fc.oneof(
  fc.record({ do: fc.constant("page" as const), scope, query, limit }),
  fc.record({ do: fc.constant("bundles" as const), scope, query, limit }),
  fc.record({ do: fc.constant("root" as const), scope, root, limit }),
  fc.record({ do: fc.constant("find" as const), scope, id: fc.oneof(id, fewIds, span), limit }),
);

/** A history of this many commands: rows first, then reads and writes mixed. */
export function histories(commands: number): Arbitrary<readonly Command[]> {
  const again = fc.record({ do: fc.constant("again" as const), nth: fc.nat({ max: 50 }) });
  const mixed = fc.oneof(
    { weight: 3, arbitrary: append },
    { weight: 1, arbitrary: again },
    { weight: 6, arbitrary: read },
  );
  return fc
    .tuple(
      fc.array(append, { minLength: 3, maxLength: 6 }),
      fc.array(mixed, { minLength: commands, maxLength: commands }),
    )
    .map(([first, rest]) => [...first, ...rest]);
}
