/**
 * @module Keyed identity (vocabulary: Identity): what `register({ keyed })` sets for a field holds
 * in our whole API before anything else happens: in turns, carriers, workers, memory and what is
 * exported.
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { context, propagation, trace } from "@opentelemetry/api";
import { InMemorySpanExporter } from "@opentelemetry/sdk-trace";
import { Agent } from "@turnproof/agent";
import { register } from "@turnproof/exporter/register";
import { forWorker, otelSink, TraceContext, withTurn } from "@turnproof/instrumentation";
import { Memory } from "@turnproof/memory";
import { deleteUser } from "@turnproof/memory/admin";
import { attribute, CodedError, keyIdentities } from "@turnproof/semconv";
import { identityPurpose, keyedFingerprint, parseKeyring } from "@turnproof/semconv/fingerprint";
import { keyedName } from "@turnproof/semconv/name-key";
import { ephemeralMemory } from "@turnproof/store";
import { afterEach, describe, expect, test } from "vitest";

import { startScriptedModel } from "../../servers/openai-compatible.ts";

const secret = "k1:an-identity-key-of-thirty-two-bytes!";
const mail = "ann@example.com";
const [key] = parseKeyring(secret);
const fingerprint = keyedFingerprint(mail, { key, purpose: identityPurpose });
const spanContext = { traceId: "1".repeat(32), spanId: "2".repeat(16), traceFlags: 1 };
const identity = { agentId: "desk", threadId: "t", runId: "r", turnId: "u" };

function registered(keyed: readonly ("user_id" | "thread_id" | "agent_id")[]): {
  readonly exporter: InMemorySpanExporter;
  readonly registration: ReturnType<typeof register>;
} {
  const exporter = new InMemorySpanExporter();
  const variables = { TURNPROOF_IDENTITY_KEY: secret };
  const registration = register({ exporter, keyed, variables, flushOnExit: false });
  return { exporter, registration };
}

afterEach(() => {
  keyIdentities(undefined);
  trace.disable();
  context.disable();
  propagation.disable();
});

function codeOf(fn: () => unknown): string {
  try {
    fn();
    return "accepted";
  } catch (error) {
    return CodedError.is(error) ? error.code : String(error);
  }
}

test("without it an address is refused, and the refusal says how to key the field", () => {
  const make = (): unknown => new TraceContext({ ...identity, userId: mail }, spanContext);
  expect(codeOf(make)).toBe("identity_not_opaque");
  expect(make).toThrow(/keyed/);
  expect(make).not.toThrow(mail);
});

describe("register({ keyed: ['user_id'] })", () => {
  test("a turn of an address is the turn of its fingerprint, in every span that leaves", async () => {
    const { exporter, registration } = registered(["user_id"]);
    const stated = await withTurn(
      { agentId: "desk", threadId: "t", userId: mail },
      async (turn) => {
        await turn.modelCall({ model: "m" }, (call) => call.respond());
        await turn.recorder().recordIntent("answer");
        return turn.traceContext;
      },
    );
    expect(stated.identity.userId).toBe(fingerprint);
    await registration.flush();
    const spans = exporter.getFinishedSpans().filter(({ name }) => !name.includes("data_quality"));
    expect(spans).toHaveLength(3);
    for (const span of spans) expect(span.attributes[attribute.user_id.span]).toBe(fingerprint);
    expect(JSON.stringify(spans.map(({ attributes }) => attributes))).not.toContain("ann@");
  });

  test("the carrier names the fingerprint, and a worker may say whose job it is either way", async () => {
    registered(["user_id"]);
    const carrier = new TraceContext({ ...identity, userId: mail }, spanContext).toCarrier();
    expect(carrier["baggage"]).toContain(`turnproof.user_id=${fingerprint}`);
    for (const userId of [mail, fingerprint]) {
      const turn = await forWorker(carrier, { sink: otelSink(), expected: { userId } });
      expect(turn.identity.userId).toBe(fingerprint);
    }
    const foreign = { sink: otelSink(), expected: { userId: "bob@example.com" } };
    await expect(forWorker(carrier, foreign)).rejects.toThrow("carrier_scope_mismatch");
  });

  test("memory is kept under the fingerprint, found by the address, and deleted by it", async () => {
    registered(["user_id"]);
    const store = ephemeralMemory();
    const memory = new Memory(store);
    const place = { agentId: "desk", memoryId: "m", threadId: "t" };
    await memory.conversation.append({ ...place, userId: mail }, [{ role: "user", text: "Hi" }]);
    for (const userId of [mail, fingerprint]) {
      expect(await memory.conversation.history({ ...place, userId })).toHaveLength(1);
    }
    const rows = await store.list({ tenant: fingerprint }, "conversation", { limit: 10 });
    expect(rows.records).toHaveLength(1);
    const report = await deleteUser(store, { userId: mail, dryRun: false });
    expect(report).toMatchObject({ found: 1, deleted: 1, complete: true });
  });

  test("an agent serves the user under the fingerprint, in memory and in its summary", async () => {
    registered(["user_id"]);
    await using server = await startScriptedModel();
    const model = createOpenAICompatible({ name: "m", baseURL: server.baseURL })("m-1");
    const agent = new Agent({ model, store: ephemeralMemory() });
    const result = await agent.run("Hello", { userId: mail, memoryId: "m", threadId: "t" });
    expect(result.userId).toBe(fingerprint);
    for (const userId of [mail, fingerprint]) {
      const summary = await agent.observabilitySummary({ userId, memoryId: "m", threadId: "t" });
      expect(summary.memory.conversation.count).toBe(2);
    }
  });

  test("what is opaque stays as it is in our API, and other fields are refused as before", () => {
    registered(["user_id"]);
    const kept = new TraceContext({ ...identity, userId: "u-1" }, spanContext);
    expect(kept.identity.userId).toBe("u-1");
    const thread = (): unknown => new TraceContext({ ...identity, threadId: mail }, spanContext);
    expect(codeOf(thread)).toBe("identity_not_opaque");
    const none = (): unknown => new TraceContext({ ...identity, userId: "" }, spanContext);
    expect(codeOf(none)).toBe("identity_empty");
  });
});

test("any identity field can be keyed, and no raw form of it is in a span's name", async () => {
  const { exporter, registration } = registered(["agent_id", "thread_id"]);
  await withTurn({ agentId: mail, threadId: mail, userId: null }, () => undefined);
  await registration.flush();
  const turn = exporter.getFinishedSpans().find(({ name }) => name.startsWith("invoke_agent"));
  expect(turn?.attributes[attribute.agent_id.span]).toBe(keyedName(mail, key));
  expect(turn?.attributes[attribute.thread_id.span]).toBe(fingerprint);
  expect(turn?.name).not.toContain("ann");
});
