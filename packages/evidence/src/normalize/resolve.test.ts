/**
 * Identity over a root: its steps, three tenant states, independence of order (vocabulary: From a
 * span to an event).
 */
import fc from "fast-check";
import { expect, test } from "vitest";

import { dedupeEvents } from "./dedupe.ts";
import type { TurnEvent } from "../event/event.ts";
import { resolveEvents, resolveRoot } from "./resolve.ts";

function span(
  span_id: string,
  parent: string | undefined,
  more: Partial<TurnEvent> = {},
): TurnEvent {
  return {
    schema_version: 3,
    event_id: `${span_id}:result`,
    event_kind: "span",
    phase: "result",
    status: "success",
    timestamp: "2026-03-01T10:00:00.000000001Z",
    root_trace_id: "r1",
    span_id,
    ...(parent === undefined ? {} : { parent_span_id: parent }),
    dialect: "gen_ai",
    attributes: {},
    ...more,
  };
}

const weak = (agent_id: string): Partial<TurnEvent> => ({
  agent_id,
  identity_derived: ["agent_id"],
});

const byId = (events: readonly TurnEvent[]): Record<string, TurnEvent> =>
  Object.fromEntries(events.map((event) => [event.event_id, event]));

test("own, then nearest ancestor, then the only value of the trace, then the application", () => {
  const events = byId(
    resolveRoot([
      span("http", undefined, { application_id: "shop" }),
      span("turn", "http", {
        event_kind: "turn",
        agent_id: "helper",
        thread_id: "t1",
        user_id: "u1",
      }),
      span("step", "turn"),
      span("chat", "step", { event_kind: "model_call", thread_id: "t2" }),
      span("lost", "nowhere"),
    ]),
  );
  expect(events["chat:result"]).toMatchObject({
    agent_id: "helper",
    thread_id: "t2",
    user_id: "u1",
    turn_id: "turn",
    run_id: "turn",
    identity_derived: ["application_id", "agent_id", "user_id", "run_id", "turn_id"],
  });
  expect(events["step:result"]?.thread_id).toBe("t1");
  expect(events["lost:result"]).toMatchObject({
    agent_id: "helper",
    user_id: "u1",
    turn_id: "turn",
  });
  expect(events["lost:result"]?.thread_id).toBeUndefined();
  const alone = resolveRoot([span("a", undefined, { application_id: "shop" })])[0];
  expect(alone).toMatchObject({ agent_id: "shop", identity_derived: ["agent_id"] });
  expect(alone?.user_id).toBeUndefined();
});

test("a nested turn is its own turn in the outermost turn's run", () => {
  const events = byId(
    resolveRoot([
      span("outer", undefined, { event_kind: "turn", agent_id: "a", user_id: "u1" }),
      span("inner", "outer", { event_kind: "turn", agent_id: "b" }),
      span("tool", "inner", { event_kind: "tool_call" }),
    ]),
  );
  expect(events["tool:result"]).toMatchObject({
    turn_id: "inner",
    run_id: "outer",
    user_id: "u1",
  });
  expect(events["inner:result"]).toMatchObject({ turn_id: "inner", run_id: "outer" });
});

test("sibling turns under one root keep their tenants, and what stands above both has none", () => {
  const events = byId(
    resolveRoot([
      span("http", undefined),
      span("one", "http", { event_kind: "turn", user_id: "u1", thread_id: "t1" }),
      span("two", "http", { event_kind: "turn", user_id: "u2", thread_id: "t2" }),
      span("chat1", "one"),
      span("chat2", "two"),
      span("stray", "gone"),
    ]),
  );
  expect(events["chat1:result"]).toMatchObject({
    user_id: "u1",
    thread_id: "t1",
    turn_id: "one",
  });
  expect(events["chat2:result"]).toMatchObject({
    user_id: "u2",
    thread_id: "t2",
    turn_id: "two",
  });
  for (const id of ["http:result", "stray:result"]) {
    expect(events[id]?.user_id).toBeUndefined();
    expect(events[id]?.turn_id).toBeUndefined();
  }
});

test("anonymous is said, inherited, and counts as a second tenant", () => {
  const events = byId(
    resolveRoot([
      span("one", undefined, { event_kind: "turn", user_id: null }),
      span("two", undefined, { event_kind: "turn", user_id: "u2" }),
      span("kid", "one"),
      span("stray", undefined),
    ]),
  );
  expect(events["kid:result"]?.user_id).toBeNull();
  expect(events["stray:result"]?.user_id).toBeUndefined();
});

test("a start marker resolves as the span that it announces", () => {
  const [marker] = resolveRoot([
    span("m1", "chat", {
      event_id: "chat:start",
      phase: "start",
      event_kind: "model_call",
      status: "started",
    }),
    span("chat", "turn", { event_kind: "model_call" }),
    span("turn", undefined, { event_kind: "turn", user_id: "u1", thread_id: "t1" }),
    span("other", undefined, { event_kind: "turn", user_id: "u2" }),
  ]);
  expect(marker).toMatchObject({ turn_id: "turn", user_id: "u1", thread_id: "t1" });
});

test("one span id used by two tenants passes nothing between them", () => {
  const two = (user: string): TurnEvent[] => [
    span("s", undefined, {
      event_kind: "turn",
      event_id: `s-${user}`,
      user_id: user,
      thread_id: `t-${user}`,
      turn_id: `turn-${user}`,
    }),
    span(`k-${user}`, "s", { turn_id: `turn-${user}` }),
    span(`x-${user}`, "s"),
  ];
  const events = byId(resolveRoot([...two("u1"), ...two("u2")]));
  expect(events["k-u1:result"]).toMatchObject({ user_id: "u1", thread_id: "t-u1" });
  expect(events["k-u2:result"]).toMatchObject({ user_id: "u2", thread_id: "t-u2" });
  expect(events["x-u1:result"]?.user_id).toBeUndefined();
  expect(events["x-u1:result"]?.turn_id).toBeUndefined();
});

test("a producer cannot put a tenant under another producer's span", () => {
  const events = byId(
    resolveRoot([
      span("turn", undefined, { event_kind: "turn", user_id: "u1", ingest_principal: "a" }),
      span("tool", "turn", { ingest_principal: "a" }),
      span("tool", undefined, { event_id: "forged", user_id: "u2", ingest_principal: "b" }),
      span("leaf", "tool", { ingest_principal: "a" }),
    ]),
  );
  expect(events["tool:result"]?.user_id).toBe("u1");
  expect(events["leaf:result"]?.user_id).toBe("u1");
});

test("what an ancestor says of another turn's tenant is not taken", () => {
  const events = byId(
    resolveRoot([
      span("p", undefined, { turn_id: "t2", user_id: "u2" }),
      span("q", undefined, { turn_id: "t1", user_id: "u1" }),
      span("e", "p", { turn_id: "t1" }),
    ]),
  );
  expect(events["e:result"]?.user_id).toBeUndefined();
});

test("one id that 20,000 producers claim costs no more than 20,000 ids", () => {
  const crowd = Array.from({ length: 20_000 }, (_, i) =>
    span("s", undefined, { event_id: `e${i}`, user_id: `u${i}` }),
  );
  const kids = Array.from({ length: 20_000 }, (_, i) => span(`k${i}`, "s"));
  const resolved = resolveRoot([...crowd, ...kids]);
  expect(resolved.slice(20_000).every((event) => event.user_id === undefined)).toBe(true);
});

test("cycles, self parents and a chain of 10,000 end", () => {
  const ring = [
    span("a", "c", { user_id: "u1" }),
    span("b", "a"),
    span("c", "b", { event_kind: "turn", thread_id: "t" }),
    span("d", "d"),
  ];
  const events = byId(resolveRoot(ring));
  expect(events["c:result"]).toMatchObject({ user_id: "u1", thread_id: "t", turn_id: "c" });
  expect(events["b:result"]).toMatchObject({ user_id: "u1", thread_id: "t", run_id: "c" });
  const chain = [span("n0", undefined, { event_kind: "turn", user_id: "u1" })];
  for (let i = 1; i < 10_000; i += 1) chain.push(span(`n${i}`, `n${i - 1}`));
  chain.push(span("z", undefined, { user_id: "u2" }));
  const deep = byId(resolveRoot(chain.toReversed()));
  expect(deep["n9999:result"]).toMatchObject({ user_id: "u1", turn_id: "n0" });
});

const anyTrace = fc.array(
  fc.record({
    id: fc.integer({ min: 0, max: 12 }),
    parent: fc.option(fc.integer({ min: 0, max: 14 }), { nil: undefined }),
    turn: fc.boolean(),
    start: fc.boolean(),
    user: fc.constantFrom(undefined, undefined, null, "u1", "u2"),
    thread: fc.constantFrom(undefined, undefined, "t1", "t2"),
    ownTurn: fc.constantFrom(undefined, undefined, undefined, "x", "y"),
    agent: fc.constantFrom(undefined, undefined, "a", "b"),
    weak: fc.boolean(),
    root: fc.constantFrom("r1", "r1", "r2"),
    principal: fc.constantFrom("p", "p", "p", "q"),
  }),
  { maxLength: 25 },
);

function toEvents(trace: typeof anyTrace extends fc.Arbitrary<infer T> ? T : never): TurnEvent[] {
  return trace.map((row) =>
    span(`s${row.id}`, row.parent === undefined ? undefined : `s${row.parent}`, {
      event_kind: row.turn ? "turn" : "tool_call",
      phase: row.start ? "start" : "result",
      event_id: `s${row.id}:${row.start ? "start" : "result"}`,
      root_trace_id: row.root,
      ingest_principal: row.principal,
      ...(row.user === undefined ? {} : { user_id: row.user }),
      ...(row.thread === undefined ? {} : { thread_id: row.thread }),
      ...(row.ownTurn === undefined ? {} : { turn_id: row.ownTurn }),
      ...(row.agent === undefined ? {} : row.weak ? weak(row.agent) : { agent_id: row.agent }),
    }),
  );
}

const settled = (events: readonly TurnEvent[]): string[] =>
  dedupeEvents(resolveEvents(events))
    .events.map((event) => JSON.stringify(event, Object.keys(event).toSorted()))
    .toSorted();

test("order, splitting and repetition never change the answer", () => {
  fc.assert(
    fc.property(anyTrace, fc.infiniteStream(fc.nat()), (trace, chance) => {
      const events = toEvents(trace);
      const mixed = events
        .concat(events.filter((_, i) => i % 3 === 0))
        .map((event) => ({ event, at: chance.next().value as number }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ event }) => event);
      expect(resolveEvents(events).length).toBe(events.length);
      // Contents are compared without `revision`: equal copies are one content either way.
      expect(settled(mixed)).toEqual(settled(events));
    }),
    { numRuns: 300 },
  );
});

test("no event is given to a tenant that nobody in its trace named", () => {
  fc.assert(
    fc.property(anyTrace, (trace) => {
      const events = toEvents(trace);
      const stated = new Set(
        events.map((event) => event.user_id).filter((user) => user !== undefined),
      );
      const resolved = resolveEvents(events);
      for (const [i, event] of resolved.entries()) {
        const own = events[i]?.user_id;
        if (own !== undefined) expect(event.user_id).toBe(own);
        else if (event.user_id !== undefined) expect(stated.has(event.user_id)).toBe(true);
      }
      // Resolving again changes nothing.
      const again = resolveEvents(resolved);
      for (const [i, event] of again.entries()) {
        const before = resolved[i];
        if (before?.user_id !== undefined) expect(event.user_id).toBe(before.user_id);
      }
    }),
  );
});
