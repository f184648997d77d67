/** Lineage: producers, versions, tenants and cycles. */
import { expect, test } from "vitest";

import type { EventResource, TurnEvent } from "../event/event.ts";
import { buildLineage } from "./lineage.ts";

function ref(name: string, version = "1"): EventResource {
  return { resource_type: name.split("-")[0] ?? "", ref: name, version };
}

function event(
  id: string,
  outputs: readonly EventResource[],
  inputs: readonly EventResource[],
  extra: Partial<TurnEvent> = {},
): TurnEvent {
  return {
    schema_version: 3,
    event_id: id,
    event_kind: "artifact",
    phase: "event",
    status: "success",
    timestamp: "2026-11-21T10:00:00Z",
    user_id: "user",
    root_trace_id: "root",
    output_refs: outputs,
    input_refs: inputs,
    ...extra,
    attributes: { ...extra.attributes },
  };
}

test("walks through artifacts and producers to what nobody recorded", () => {
  const work = { event_kind: "application_action", phase: "result", span_id: "work" } as const;
  const produced = { attributes: { producing_span_id: "work" } };
  const lineages = buildLineage(
    [
      event("reply", [ref("reply-1")], [ref("draft-1")]),
      event("draft", [ref("draft-1")], [ref("document-7", "3")], produced),
      event("work", [], [ref("memory-4")], work),
    ],
    { ref: "reply-1" },
  );
  expect(lineages).toHaveLength(1);
  const [lineage] = lineages;
  expect(lineage?.nodes.map(({ ref: name, depth, recorded }) => [name, depth, recorded])).toEqual([
    ["reply-1", 0, true],
    ["draft-1", 1, true],
    ["document-7", 2, false],
    ["memory-4", 2, false],
  ]);
  expect(lineage?.edges.map(({ from, to }) => [from, to])).toEqual([
    [0, 1],
    [1, 2],
    [1, 3],
  ]);
});

test("another version is another resource, and tenants are never mixed", () => {
  const events = [
    event("mine", [ref("reply-1", "2")], [ref("document-1")]),
    event("theirs", [ref("reply-1", "2")], [ref("document-2")], { user_id: "other" }),
    event("older", [ref("reply-1", "1")], [ref("document-3")]),
  ];
  const sources = (userId?: string | null): string[][] =>
    buildLineage(events, {
      ref: "reply-1",
      version: "2",
      ...(userId === undefined ? {} : { userId }),
    }).map(({ nodes }) => nodes.slice(1).map((node) => node.ref));
  expect(sources("user")).toEqual([["document-1"]]);
  expect(sources()).toEqual([["document-1"], ["document-2"]]);
  expect(sources(null)).toEqual([]);
});

test("circles of 10,000 artifacts are walked once", () => {
  const size = 10_000;
  const circle = Array.from({ length: size }, (_, at) =>
    event(`e${at}`, [ref(`a-${at}`)], [ref(`a-${(at + 1) % size}`)]),
  );
  const [lineage] = buildLineage(circle, { ref: "a-0" });
  expect(lineage?.nodes).toHaveLength(size);
  expect(lineage?.edges).toHaveLength(size);
});

test("a span's many sources are all there, and what is not drawn again is counted", () => {
  const work = { event_kind: "application_action", phase: "result", span_id: "work" } as const;
  const produced = { attributes: { producing_span_id: "work" } };
  const events = [
    ...Array.from({ length: 100 }, (_, at) => event(`w-${at}`, [], [ref(`source-${at}`)], work)),
    event("v1", [ref("reply-1", "1")], [], produced),
    event("v2", [ref("reply-1", "2")], [], produced),
    // The same span id in another trace is another span.
    event("far", [], [ref("source-far")], { ...work, root_trace_id: "other" }),
  ];
  const [lineage] = buildLineage(events, { ref: "reply-1" });
  expect(lineage?.nodes).toHaveLength(102);
  const drawn = [0, 1].map((at) => lineage?.edges.filter(({ from }) => from === at).length);
  expect(drawn).toEqual([100, 64]);
  expect(lineage?.nodes.slice(0, 3).map((node) => node.edges_omitted)).toEqual([0, 36, 0]);
});
