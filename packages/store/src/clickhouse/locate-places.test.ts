/** @module Tests of where terms occur: what one event said is not left out of another's places. */
import type { TurnEvent } from "@turnproof/evidence";
import fc from "fast-check";
import { expect, test } from "vitest";

import { sampleEvent } from "../testing/sample-event.ts";
import { LocatePlaces } from "./locate-places.ts";
import { readNative } from "./native-reader.ts";

type Received = readonly [event: TurnEvent, seconds: number];

/** The rows, as texts. */
function placesOf(received: readonly Received[]): Set<string> {
  const places = new LocatePlaces();
  for (const [event, seconds] of received) places.add(event, seconds);
  const { columns } = readNative(Buffer.from(places.block().encode().bytes));
  const [hashes = [], buckets = [], roots = []] = ["hash", "bucket", "root"].map((name) =>
    columns.get(name),
  );
  return new Set(hashes.map((hash, row) => [hash, buckets[row], roots[row]].map(String).join("/")));
}

const few = fc.constantFrom("a", "b", "c");
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined });
const event = fc
  .record({
    root_trace_id: fc.constantFrom("root-1", "root-2"),
    event_kind: fc.constantFrom<TurnEvent["event_kind"]>("turn", "tool_call", "model_call"),
    status: fc.constantFrom<TurnEvent["status"]>("success", "error", "partial"),
    user_id: maybe(fc.option(few)),
    application_id: maybe(few),
    agent_id: maybe(few),
    thread_id: maybe(few),
    turn_id: maybe(few),
    task_id: maybe(few),
    tool: maybe(few),
    ref: maybe(few),
  })
  .map(({ tool, ref, ...said }): TurnEvent => {
    const given = Object.entries(said).filter(([, value]) => value !== undefined);
    return {
      ...sampleEvent(`span-${tool ?? ""}`),
      ...(Object.fromEntries(given) as Partial<TurnEvent>),
      attributes: tool === undefined ? {} : { tool_name: tool, tool_call_id: `call-${tool}` },
      ...(ref === undefined ? {} : { input_refs: [{ resource_type: "document", ref }] }),
    };
  });
/** Some seconds lie in one five minutes, some in another. */
const seconds = fc.constantFrom(1_790_000_100, 1_790_000_101, 1_790_000_400, 1_790_000_999);

test("the places of a batch are those of its events one by one", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(event, seconds), { maxLength: 20 }), (received) => {
      const alone = received.flatMap((one) => [...placesOf([one])]);
      expect(placesOf(received)).toEqual(new Set(alone));
    }),
  );
});
