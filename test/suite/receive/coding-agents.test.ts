/**
 * Claude Code and Codex CLI: their log records, as JSON and as protobuf by OpenTelemetry's own SDK,
 * become turns with model calls, tokens and tool calls, and no content of theirs is kept.
 */
import { readFileSync } from "node:fs";

import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-grpc";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchLogRecordProcessor, LoggerProvider } from "@opentelemetry/sdk-logs";

import { foldTurns, turnCalls } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import fc from "fast-check";
import { expect, test } from "vitest";

import { openGrpcHarness } from "./grpc-harness.ts";
import type { GrpcHarness } from "./grpc-harness.ts";
import { json } from "./harness.ts";

interface Recorded {
  readonly resource: Readonly<Record<string, string>>;
  readonly scope: string;
  readonly records: readonly {
    readonly body?: string;
    readonly at: number;
    readonly attributes: Readonly<Record<string, string | number>>;
  }[];
}

const file = new URL("../../fixtures/coding-agents.json", import.meta.url);
const fixtures = JSON.parse(readFileSync(file, "utf8")) as Record<string, Recorded>;
const startMs = Date.UTC(2026, 10, 25, 9);

const anyValue = (value: string | number): object =>
  typeof value === "string"
    ? { stringValue: value }
    : Number.isInteger(value)
      ? { intValue: String(value) }
      : { doubleValue: value };
const keyValues = (attributes: Readonly<Record<string, string | number>>): object[] =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));

async function sendJson(harness: GrpcHarness, recorded: Recorded): Promise<string> {
  const logRecords = recorded.records.map(({ body, at, attributes }) => ({
    // Codex sets the time of observation only.
    [body === undefined ? "observedTimeUnixNano" : "timeUnixNano"]: `${startMs + at}000000`,
    ...(body === undefined ? {} : { body: { stringValue: body } }),
    attributes: keyValues(attributes),
  }));
  const request = {
    resourceLogs: [
      {
        resource: { attributes: keyValues(recorded.resource) },
        scopeLogs: [{ scope: { name: recorded.scope }, logRecords }],
      },
    ],
  };
  const answer = await harness.post(JSON.stringify(request), json, "/v1/logs");
  expect(answer.status).toBe(200);
  return answer.body.toString();
}

async function sendProtobuf(harness: GrpcHarness, recorded: Recorded): Promise<void> {
  const exporter = new OTLPLogExporter({ url: harness.grpc.url });
  const provider = new LoggerProvider({
    resource: resourceFromAttributes(recorded.resource),
    processors: [new BatchLogRecordProcessor({ exporter })],
  });
  for (const { body, at, attributes } of recorded.records) {
    const timestamp = startMs + at;
    provider.getLogger(recorded.scope).emit({
      timestamp,
      attributes,
      ...(body === undefined ? {} : { body }),
    });
  }
  await provider.forceFlush();
  await provider.shutdown();
}

const facts = (events: readonly TurnEvent[], kind: TurnEvent["event_kind"]) =>
  events
    .filter(({ event_kind: own }) => own === kind)
    .toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1))
    .map(({ status, duration_ms, attributes }) => ({ status, duration_ms, ...attributes }));

for (const encoding of ["json", "protobuf"] as const) {
  const send = encoding === "json" ? sendJson : sendProtobuf;

  test(`Claude Code as ${encoding}: a turn for each prompt`, async () => {
    const harness = await openGrpcHarness();
    await send(harness, fixtures["claude-code"] as Recorded);
    const events = await harness.events();
    expect(facts(events, "model_call")).toMatchObject([
      {
        status: "success",
        duration_ms: 4_000,
        model: "claude-sonnet-4-5",
        provider: "anthropic",
        request_id: "req-1",
        input_tokens: 9_712,
        output_tokens: 340,
        cached_tokens: 9_000,
        cache_write_tokens: 700,
      },
      { status: "error", duration_ms: 500, error_type: "529" },
    ]);
    expect(facts(events, "tool_call")).toMatchObject([
      { status: "success", tool_name: "Bash", tool_call_id: "toolu-1", duration_ms: 900 },
      { status: "error", tool_name: "Edit", duration_ms: 20 },
    ]);
    const turns = foldTurns(events);
    expect(new Set(turns.map(({ turn_id: turn }) => turn))).toEqual(
      new Set(["prompt-1", "prompt-2"]),
    );
    expect(turns).toHaveLength(2);
    const first = turns.find(({ turn_id: turn }) => turn === "prompt-1");
    expect(first).toMatchObject({
      agent_id: "claude-code",
      user_id: "account-1",
      thread_id: "session-1",
      input_tokens: 9_712,
      output_tokens: 340,
    });
    // Its last record is a failed call, and neither product records how a turn ends.
    expect(turns.map(({ status }) => status)).toEqual(["unknown", "unknown"]);
    expect(first).toMatchObject({ has_error: true });
    expect(JSON.stringify(events)).not.toContain("CANARY");
    await harness.close();
  });

  test(`Claude Code without ids of prompts as ${encoding}: a turn for the session`, async () => {
    const harness = await openGrpcHarness();
    const { records, ...claude } = fixtures["claude-code"] as Recorded;
    const earlier = records.map((record) => {
      const { "prompt.id": _, ...attributes } = record.attributes;
      return { ...record, attributes };
    });
    await send(harness, { ...claude, records: earlier });
    const events = await harness.events();
    expect(facts(events, "model_call")).toHaveLength(2);
    expect(foldTurns(events)).toMatchObject([
      { turn_id: "session-1", thread_id: "session-1", input_tokens: 9_712, output_tokens: 340 },
    ]);
    await harness.close();
  });

  test(`Codex as ${encoding}: a turn for the conversation, tokens from the end of a stream`, async () => {
    const harness = await openGrpcHarness();
    await send(harness, fixtures["codex"] as Recorded);
    const events = await harness.events();
    expect(facts(events, "model_call")).toMatchObject([
      {
        status: "success",
        model: "gpt-5-codex",
        provider: "openai",
        input_tokens: 5_000,
        output_tokens: 250,
        cached_tokens: 4_000,
        reasoning_tokens: 64,
      },
      { status: "error", error_type: "500" },
    ]);
    expect(facts(events, "tool_call")).toMatchObject([
      { status: "success", tool_name: "shell", tool_call_id: "call-1", duration_ms: 310 },
    ]);
    expect(foldTurns(events)).toMatchObject([
      {
        status: "unknown",
        agent_id: "codex",
        thread_id: "conversation-1",
        user_id: "account-2",
        input_tokens: 5_000,
      },
    ]);
    expect(JSON.stringify(events)).not.toContain("CANARY");
    await harness.close();
  });
}

test("a call without a duration has an unknown one, in the figures too", async () => {
  const harness = await openGrpcHarness();
  const { records, ...codex } = fixtures["codex"] as Recorded;
  const timeless = records.map(({ at, attributes }) => {
    const { duration_ms: _, ...others } = attributes;
    return { at, attributes: others };
  });
  await sendJson(harness, { ...codex, records: timeless });
  const events = await harness.events();
  for (const kind of ["model_call", "tool_call"] as const) {
    const found = events.filter(({ event_kind: own }) => own === kind);
    expect(found.length).toBeGreaterThan(0);
    for (const event of found) expect(event).not.toHaveProperty("duration_ms");
  }
  const [turn] = foldTurns(events);
  expect(turn).toMatchObject({ input_tokens: 5_000, output_tokens: 250 });
  const calls = turnCalls(events);
  expect(calls.map(({ kind, duration_ms: lasted }) => [kind, lasted])).toEqual([
    ["model", null],
    ["tool", null],
    ["model", null],
  ]);
  await harness.close();
});

test("turns are the same in whatever batches and order their records arrive", async () => {
  for (const [name, count] of [
    ["claude-code", 2],
    ["codex", 1],
  ] as const) {
    const { records: once, ...product } = fixtures[name] as Recorded;
    // A conversation of two prompts, of which Codex's records name none.
    const records = [...once, ...once.map((record) => ({ ...record, at: record.at + 100_000 }))];
    const turnsOf = async (batches: readonly Recorded["records"][]): Promise<unknown> => {
      const harness = await openGrpcHarness();
      for (const batch of batches) await sendJson(harness, { ...product, records: batch });
      const turns = foldTurns(await harness.events());
      await harness.close();
      return turns
        .map((turn) => ({ ...turn, received_at: "" }))
        .toSorted((a, b) => (String(a.turn_id) < String(b.turn_id) ? -1 : 1));
    };
    const turns = await turnsOf([records]);
    expect(turns).toHaveLength(count);
    const order = fc.shuffledSubarray([...records], { minLength: records.length });
    const ends = fc.array(fc.boolean(), { minLength: records.length, maxLength: records.length });
    await fc.assert(
      fc.asyncProperty(order, ends, fc.boolean(), async (shuffled, cuts, retried) => {
        const batches: Recorded["records"][number][][] = [[]];
        for (const [at, record] of shuffled.entries()) {
          batches.at(-1)?.push(record);
          if (cuts[at] === true) batches.push([]);
        }
        const sent = batches.filter((batch) => batch.length > 0);
        expect(await turnsOf(retried ? [...sent, ...sent.slice(0, 1)] : sent)).toEqual(turns);
      }),
      { numRuns: 8 },
    );
  }
});

test("a completed stream of Codex without tokens has an unknown outcome", async () => {
  const harness = await openGrpcHarness();
  const { records, ...codex } = fixtures["codex"] as Recorded;
  const bare = records.map(({ at, attributes }) => ({
    at,
    attributes: Object.fromEntries(
      Object.entries(attributes).filter(([name]) => !name.endsWith("_token_count")),
    ),
  }));
  await sendJson(harness, { ...codex, records: bare });
  const calls = facts(await harness.events(), "model_call");
  expect(calls.map(({ status }) => status)).toEqual(["unknown", "error"]);
  await harness.close();
});

test("a request of Codex without an answer, and a stream that failed, are failed calls", async () => {
  const harness = await openGrpcHarness();
  const { records: _, ...codex } = fixtures["codex"] as Recorded;
  const of = { "conversation.id": "conversation-9", model: "gpt-5-codex", duration_ms: "100" };
  const records = [
    { at: 0, attributes: { ...of, "event.name": "codex.api_request" } },
    {
      at: 10,
      attributes: { ...of, "event.name": "codex.sse_event", "event.kind": "response.failed" },
    },
    {
      at: 20,
      attributes: { ...of, "event.name": "codex.api_request", "http.response.status_code": "200" },
    },
  ];
  await sendJson(harness, { ...codex, records });
  const events = await harness.events();
  expect(events.map(({ event_kind: kind, status }) => [kind, status])).toEqual([
    ["model_call", "error"],
    ["model_call", "error"],
  ]);
  await harness.close();
});

test("a record sent again is the same event; others of those names are rejected and counted", async () => {
  const harness = await openGrpcHarness();
  await sendJson(harness, fixtures["claude-code"] as Recorded);
  await sendJson(harness, fixtures["claude-code"] as Recorded);
  // All but the decision about a tool.
  expect(await harness.events()).toHaveLength(6);
  const answer = await sendJson(harness, fixtures["stranger"] as Recorded);
  // The reason names what is kept, these products included.
  const errorMessage = expect.stringMatching(/^log_not_evidence 2: .*Claude Code and Codex/);
  expect(JSON.parse(answer)).toMatchObject({
    partialSuccess: { rejectedLogRecords: "2", errorMessage },
  });
  expect(await harness.events()).toHaveLength(6);
  await harness.close();
});
