/**
 * The same trace whole, span by span, backwards and twice: the same events, turn row and page; over
 * an ephemeral store and over the filesystem.
 */
import { afterAll, describe, expect, test } from "vitest";

import { openDesk } from "./desk.ts";
import type { Desk } from "./desk.ts";

const desks: Desk[] = [];
afterAll(async () => {
  for (const desk of desks) await desk.collector.close();
});

const trace = "0af7651916cd43dd8448eb211c80319c";
const text = (key: string, value: string): object => ({ key, value: { stringValue: value } });

function span(
  id: string,
  parent: string | undefined,
  second: number,
  attributes: object[],
): object {
  const start = 1_760_000_000_000_000_000n + BigInt(second) * 1_000_000_000n;
  return {
    traceId: trace,
    spanId: id.padStart(16, "0"),
    ...(parent === undefined ? {} : { parentSpanId: parent.padStart(16, "0") }),
    name: "any",
    kind: 1,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + 500_000_000n),
    attributes,
  };
}

const spans = [
  span("a1", undefined, 0, [
    text("gen_ai.operation.name", "invoke_agent"),
    text("gen_ai.agent.name", "helper"),
    text("gen_ai.conversation.id", "thread-9"),
    text("turnproof.user.id", "alice"),
  ]),
  span("a2", "a1", 1, [
    text("gen_ai.operation.name", "chat"),
    text("gen_ai.request.model", "small-1"),
  ]),
  span("a3", "a1", 2, [
    text("gen_ai.operation.name", "execute_tool"),
    text("gen_ai.tool.name", "search"),
  ]),
  span("a4", "a3", 3, []),
  span("a5", "a1", 4, [
    text("gen_ai.operation.name", "chat"),
    text("gen_ai.request.model", "small-1"),
  ]),
];

async function send(desk: Desk, list: readonly object[]): Promise<void> {
  const response = await desk.collector.app.request("http://localhost:4318/v1/traces", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      resourceSpans: [
        {
          resource: { attributes: [text("service.name", "desk")] },
          scopeSpans: [{ scope: { name: "test" }, spans: list }],
        },
      ],
    }),
  });
  expect([response.status, await response.text()]).toEqual([200, "{}"]);
}

/** Everything shown, without the times at which it arrived. */
async function shown(backend: string, arrive: (desk: Desk) => Promise<void>): Promise<string> {
  const desk = await openDesk({ TURNPROOF_BACKEND: backend });
  desks.push(desk);
  await arrive(desk);
  // The turn page waits until what was acknowledged is readable.
  const turn = await desk.json<Record<string, unknown>>(`/traces/${trace}.json`);
  const page = await desk.json<Record<string, unknown>>("/traces/events.json");
  const turns = await desk.json<Record<string, unknown>>("/traces/turns.json");
  const { window: _window, verdict: _verdict, ...rest } = turn;
  const { source_rows: _rows, duplicates_removed: _duplicates, as_of: _mark, ...counted } = page;
  const { as_of: _asOf, ...listed } = turns;
  return JSON.stringify([rest, counted, listed], (key, value: unknown) =>
    key === "received_at" || key === "verdict" || key === "finding_codes" ? undefined : value,
  );
}

describe.each(["ephemeral", "filesystem"])("one trace over %s", async (backend) => {
  const whole = await shown(backend, (desk) => send(desk, spans));

  test("is one turn of one tenant with all its spans", () => {
    const [turn, page] = JSON.parse(whole) as [
      { turns: unknown[]; events: { user_id?: string; thread_id?: string }[] },
      { normalized_events: number },
    ];
    expect(turn.turns).toHaveLength(1);
    expect(page.normalized_events).toBe(spans.length);
    expect(turn.events.every((event) => event.user_id === "alice")).toBe(true);
    expect(turn.events.every((event) => event.thread_id === "thread-9")).toBe(true);
  });

  test.each([
    ["span by span", spans.map((one) => [one])],
    ["backwards", spans.toReversed().map((one) => [one])],
    ["twice", [spans, spans]],
    ["in overlapping halves", [spans.slice(2), spans.slice(0, 4)]],
    ["shuffled inside one request", [[4, 1, 0, 3, 2].map((index) => spans[index] ?? {})]],
  ])("%s shows the same", async (_how, batches) => {
    const other = await shown(backend, async (desk) => {
      for (const batch of batches) await send(desk, batch);
    });
    expect(JSON.parse(other)).toEqual(JSON.parse(whole));
  });
});
