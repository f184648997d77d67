/** @module Tests of attributes by number, and of frames that are written in chunks. */
import type { TurnEvent } from "@turnproof/evidence";
import { CodedSpan, sourceCode, sourceNames } from "@turnproof/exporter";
import { attribute } from "@turnproof/semconv";
import { expect, test } from "vitest";

import { CodedDraft } from "./coded-draft.ts";
import { decodeFrame, encodeFrame, frameWriter } from "./frame-codec.ts";

const model = sourceCode.get(attribute.model.span) ?? -1;
const tool = sourceCode.get(attribute.tool_name.span) ?? -1;

test("a name that comes twice keeps its place and takes the later value, as a record would", () => {
  const draft = new CodedDraft();
  draft.begin();
  draft.put(model, "first");
  draft.put(tool, "search");
  draft.put(model, "second");
  const { taken } = draft;
  expect(taken.codes).toEqual([model, tool]);
  expect(taken.values).toEqual(["second", "search"]);
  draft.begin();
  draft.put(tool, "other");
  expect(draft.taken.codes).toEqual([tool]);
  expect(taken.values).toEqual(["second", "search"]);
});

test("a span by number shows the same record by name, without a prototype of ours", () => {
  const draft = new CodedDraft();
  draft.begin();
  sourceNames.forEach((_, code) => draft.put(code, code));
  const span = new CodedSpan(draft.taken, {});
  expect({ ...span.attributes }).toEqual(
    Object.fromEntries(sourceNames.map((name, code) => [name, code])),
  );
  expect("constructor" in span.attributes).toBe(false);
});

const event = (id: string): TurnEvent => ({
  schema_version: 3,
  event_id: id,
  event_kind: "span",
  phase: "result",
  status: "success",
  timestamp: "2026-11-21T10:00:00Z",
  operation: 'quoted " and ü 日本',
  attributes: {},
});

test("a frame that is written in parts is one JSON array", () => {
  const events = Array.from({ length: 10 }, (_, index) => event(`e${index}`));
  const writer = frameWriter();
  for (const [from, to] of [
    [0, 0],
    [0, 1],
    [1, 1],
    [1, 7],
    [7, 10],
  ] as const) {
    writer.add(events.slice(from, to));
  }
  expect(writer.events).toBe(10);
  expect(writer.payload().toString("utf8")).toBe(JSON.stringify(events));
  expect(decodeFrame(encodeFrame(events))).toEqual(events);
  expect(decodeFrame(encodeFrame([]))).toEqual([]);
});
