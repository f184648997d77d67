/** @module Tests of the reference store: content of pages, roots and turn lists. */
import type { TurnEvent } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { ephemeral } from "./ephemeral.ts";
import { issueOperatorGrant } from "./scope.ts";

const operator = { operator: issueOperatorGrant() };

function span(id: string, parent: string | undefined, extra: Partial<TurnEvent> = {}): TurnEvent {
  return {
    schema_version: 3,
    event_id: `${id}:result`,
    event_kind: "tool_call",
    phase: "result",
    status: "success",
    timestamp: `2026-01-01T00:00:0${id.length}.000000001Z`,
    span_id: id,
    ...(parent === undefined ? {} : { parent_span_id: parent }),
    root_trace_id: "r1",
    ingest_principal: "p",
    attributes: {},
    ...extra,
  };
}

const at = (second: number): string => `2026-01-02T00:00:0${second}.000000Z`;

test("identity comes from the root, whatever arrived first", async () => {
  const store = ephemeral();
  await store.append({ batchId: "1", receivedAt: at(1), events: [span("bb", "a")] });
  const alone = await store.page({ tenant: "u" }, {}, { limit: 10 });
  expect(alone.events).toHaveLength(0);
  const root = span("a", undefined, { event_kind: "turn", user_id: "u", thread_id: "t" });
  await store.append({ batchId: "2", receivedAt: at(2), events: [root] });
  const page = await store.page({ tenant: "u" }, { thread_id: "t" }, { limit: 10 });
  expect(page.events.map((event) => event.event_id)).toEqual(["bb:result", "a:result"]);
  expect(page.events[0]?.identity_derived).toContain("user_id");
  expect((await store.page({ tenant: null }, {}, { limit: 10 })).events).toHaveLength(0);
});

test("a batch sent twice and an event sent in two batches are there once", async () => {
  const store = ephemeral();
  const events = [span("a", undefined), span("bb", "a")];
  await store.append({ batchId: "1", receivedAt: at(1), events });
  await store.append({ batchId: "1", receivedAt: at(1), events });
  await store.append({ batchId: "2", receivedAt: at(2), events });
  const page = await store.page(operator, {}, { limit: 10 });
  expect(page.events).toHaveLength(2);
  expect(page.duplicatesRemoved).toBe(2);
  expect(page.sourceRows).toBe(4);
  expect(page.events[0]?.received_at).toBe(at(1));
});

test("pages follow each other without loss or repetition while rows arrive", async () => {
  const store = ephemeral();
  const ids = ["a", "bb", "ccc", "dddd", "eeeee"];
  for (const [i, id] of ids.entries()) {
    await store.append({ batchId: id, receivedAt: at(i), events: [span(id, undefined)] });
  }
  const first = await store.page(operator, {}, { limit: 2 });
  await store.append({ batchId: "new", receivedAt: at(9), events: [span("ffffff", undefined)] });
  const second = await store.page(operator, {}, { limit: 2, after: first.next ?? {} });
  const third = await store.page(operator, {}, { limit: 2, after: second.next ?? {} });
  const seen = [...first.events, ...second.events, ...third.events].map((e) => e.span_id);
  expect(seen).toEqual(ids.toReversed());
  expect(third.next).toBeNull();
});

test("what no store can keep apart is refused", async () => {
  const store = ephemeral();
  const events = [span("a", undefined, { user_id: "u\ud800" })];
  await expect(store.append({ batchId: "1", receivedAt: at(1), events })).rejects.toThrow(
    "store_rejected_row",
  );
});
