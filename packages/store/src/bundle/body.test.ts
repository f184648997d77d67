/** A packed body decodes to its input; a body that the encoder did not write is refused. */
import type { TurnEvent } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";
import fc from "fast-check";
import { expect, test } from "vitest";

import { storedForm } from "../stored-event.ts";
import type { StoredEvent } from "../stored-event.ts";
import { randomEvent } from "../testing/random-world.ts";
import { decodeBody } from "./decode.ts";
import { encodeSegment, joinSegments } from "./encode.ts";

const received = "2026-03-01T10:00:01.000123Z";
const canary = "CANARY";

const stored = (event: TurnEvent, at = received): StoredEvent =>
  storedForm({ ...event, root_trace_id: "r1" }, at);

const turn: TurnEvent = {
  schema_version: 3,
  event_id: "s1:result",
  event_kind: "artifact",
  phase: "result",
  status: "success",
  timestamp: "2026-03-01T10:00:00.250000001Z",
  started_at: "2026-03-01T10:00:00.000000000Z",
  duration_ms: 250.000001,
  root_trace_id: "r1",
  span_id: "s1",
  user_id: null,
  agent_id: "a",
  links: [{ trace_id: "t", span_id: "s" }],
  identity_derived: ["agent_id"],
  input_refs: [{ resource_type: "document", ref: "d", version: "1", ownership_verified: false }],
  selection_ledger: [{ resource: { resource_type: "memory", ref: "m" }, candidate_rank: 1 }],
  attributes: { tool_name: "t", cached_tokens: 0 },
  dropped: { attribute_unknown: 2 },
};

const bodyOf = (...groups: (readonly StoredEvent[])[]): string =>
  joinSegments(groups.map(encodeSegment));

const times = fc.constantFrom(received, "2026-03-01T10:00:00.9Z", "2026-04-01T00:00:00Z");
const stated = fc.tuple(randomEvent, times).map(([event, at]) => stored(event, at));
const groups = fc.array(fc.array(stated, { minLength: 1, maxLength: 6 }), {
  minLength: 1,
  maxLength: 4,
});

test("every event comes back as it was said, whatever else its segment holds", () => {
  expect(decodeBody("r1", bodyOf([stored(turn)]))).toEqual([stored(turn)]);
  fc.assert(
    fc.property(groups, (all) => {
      expect(decodeBody("r1", bodyOf(...all))).toEqual(all.flat());
    }),
    { numRuns: 2_000 },
  );
});

test("what an event does not say is not inherited from its neighbour", () => {
  const [first, second] = decodeBody(
    "r1",
    bodyOf([stored(turn), stored({ ...turn, agent_id: "", user_id: "u", event_id: "other" })]),
  );
  expect(first).toMatchObject({ agent_id: "a", user_id: null });
  expect(second).toMatchObject({ user_id: "u", event_id: "other" });
  expect(second).not.toHaveProperty("agent_id");
});

test("a body is small: a told event costs less than a third of its JSON", () => {
  const events = Array.from({ length: 20 }, (_, at) => stored({ ...turn, span_id: `s${at}` }));
  expect(bodyOf(events).length * 1.5).toBeLessThan(JSON.stringify(events).length);
});

/** Every position of a JSON value where a key or an element can be inserted. */
function* places(value: unknown): Generator<object> {
  if (typeof value !== "object" || value === null) return;
  yield value;
  for (const inner of Object.values(value)) yield* places(inner);
}

const refusal = (body: string): string => {
  try {
    decodeBody("r1", body);
    return "taken";
  } catch (error) {
    return CodedError.is(error) ? error.code : "not a code";
  }
};

test("a key that the encoder does not write is refused, wherever it stands", () => {
  const body = bodyOf([stored(turn), stored({ ...turn, agent_id: "b" })]);
  const count = [...places(JSON.parse(body))].length;
  expect(count).toBeGreaterThan(15);
  for (let at = 0; at < count; at += 1) {
    const changed: unknown = JSON.parse(body);
    const place = [...places(changed)][at] as Record<string, unknown> | unknown[];
    if (Array.isArray(place)) place.push({ prompt: canary });
    else place["prompt"] = canary;
    expect(refusal(JSON.stringify(changed))).toBe("bundle_invalid");
  }
});

test("a value of another type is refused or comes back typed, and nothing else is thrown", () => {
  const others = [null, 0, -1, 1e300, true, "", "x".repeat(70_000), [], {}, [canary], { a: 1 }];
  const body = bodyOf([stored(turn), stored({ ...turn, agent_id: "b", timestamp: received })]);
  const leaves = (value: unknown): [Record<string, unknown>, string][] =>
    [...places(value)].flatMap((place) =>
      Object.keys(place).map((key): [Record<string, unknown>, string] => [
        place as Record<string, unknown>,
        key,
      ]),
    );
  const count = leaves(JSON.parse(body)).length;
  for (let at = 0; at < count; at += 1) {
    for (const other of others) {
      const changed: unknown = JSON.parse(body);
      const [place, key] = leaves(changed)[at] as [Record<string, unknown>, string];
      place[key] = other;
      const text = JSON.stringify(changed);
      const outcome = refusal(text);
      expect(["taken", "bundle_invalid"]).toContain(outcome);
      if (outcome === "taken") expect(JSON.stringify(decodeBody("r1", text))).not.toContain(canary);
    }
  }
});

test("what is no body is refused with its code", () => {
  for (const body of ["", "[", "{}", "[]", "[1]", "[2,[0,0,{},[]]]", '[1,"x"]', "[1,[1,1,{}]]"]) {
    expect(refusal(body)).toBe("bundle_invalid");
  }
});
