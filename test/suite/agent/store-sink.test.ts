/**
 * @module An agent without any OpenTelemetry SDK: evidence straight into a store, durable when the
 * turn is done, and what happens when that store is away.
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@turnproof/agent";
import { storeSink } from "@turnproof/exporter";
import { CodedError } from "@turnproof/semconv";
import { ephemeral, ephemeralMemory } from "@turnproof/store";
import { expect, test } from "vitest";

import { startScriptedModel } from "../../servers/openai-compatible.ts";

const codeOf = (error: unknown): string => (CodedError.is(error) ? error.code : String(error));

test("every event of concurrent turns is in the store when the turns are done", async () => {
  await using server = await startScriptedModel();
  const model = createOpenAICompatible({ name: "m", baseURL: server.baseURL })("desk-1");
  const store = ephemeral();
  const sink = storeSink({ store, applicationId: "desk" });
  const agent = new Agent({ model, store: ephemeralMemory(), sink, strict: true });
  const results = await Promise.all(
    Array.from({ length: 10 }, (_, i) => agent.run("Hello", { userId: `u${i}`, threadId: "t" })),
  );
  for (const { userId, turnId, traceContext } of results) {
    const options = { limit: 1_000 };
    const { events } = await store.root({ tenant: userId }, traceContext.rootTraceId, options);
    expect(new Set(events.map((event) => event.turn_id))).toEqual(new Set([turnId]));
    expect(new Set(events.map((event) => event.application_id))).toEqual(new Set(["desk"]));
    const turn = events.find((event) => event.event_kind === "turn");
    const parents = events.filter((event) => event !== turn).map((event) => event.parent_span_id);
    expect(new Set(parents)).toEqual(new Set([turn?.span_id]));
  }
});

test("a store that is away fails a strict turn and leaves any other alone", async () => {
  await using server = await startScriptedModel();
  const model = createOpenAICompatible({ name: "m", baseURL: server.baseURL })("desk-1");
  const away = { append: () => Promise.reject(new CodedError("store_rejected_row")) };
  const sink = storeSink({ store: away });
  const strict = new Agent({ model, store: ephemeralMemory(), sink, strict: true });
  expect(await strict.run("Hello").then(() => "resolved", codeOf)).toBe("write_failed");
  const lenient = new Agent({ model, store: ephemeralMemory(), sink });
  expect((await lenient.run("Hello")).text).toBe("Happy to help with that.");
});
