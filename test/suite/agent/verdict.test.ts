/**
 * @module A whole turn reconciles: the agent's own evidence and the host's recorder, through the
 * gate and the mapping into a store, and out of it as a verdict.
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@turnproof/agent";
import { reconcileOutcome } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { ObservabilityRecorder, otelSink, TraceContext } from "@turnproof/instrumentation";
import type { ResourceRef } from "@turnproof/instrumentation";
import { CodedError } from "@turnproof/semconv";
import { keyedFingerprint } from "@turnproof/semconv/fingerprint";
import { ephemeralMemory } from "@turnproof/store";
import { expect, test } from "vitest";

import { startScriptedModel } from "../../servers/openai-compatible.ts";
import { observe, ofKind } from "./observed.ts";

const observed = observe();
const complete = {
  window_complete: true,
  truncated: false,
  normalization_errors: 0,
  read_completeness: "complete" as const,
};

const source: ResourceRef = {
  resourceType: "page",
  ref: "page-7",
  version: "3",
  role: "authoritative_current_source",
  ownershipVerified: true,
  provenanceStatus: "verified",
};
const card: ResourceRef = { resourceType: "card", ref: "card-1", version: "1" };

/** One turn with the host's evidence around it; each omitted step must cost the verdict. */
async function play(
  agent: Agent,
  omit: "nothing" | "delivery" | "acknowledgement" | "source",
): Promise<readonly TurnEvent[]> {
  const result = await agent.run("Make me a card of this page", {
    userId: "ann",
    memoryId: "m1",
    threadId: "t1",
  });
  // A job elsewhere goes on from the carrier alone.
  const carried = TraceContext.fromCarrier(result.traceContext.toCarrier(), { userId: "ann" });
  const recorder = new ObservabilityRecorder(otelSink(), carried, { strict: true });
  await recorder.recordIntent("make_card", {
    taskId: "k1",
    expectedArtifactTypes: ["card"],
    requiredContracts: ["card_markup"],
    inputRefs: [source],
    coverageProfile: "content_derived_artifact",
  });
  const span = recorder.startSpan("persist_card", { taskId: "k1", inputRefs: [source] });
  await span.succeed({ outputRefs: [card] });
  const inputRefs = omit === "source" ? [{ ...source, version: "2" }] : [source];
  await recorder.recordArtifact(card, {
    taskId: "k1",
    inputRefs,
    producingSpanId: span.spanId,
    persistenceVerified: true,
  });
  await recorder.contract("card_markup", { required: true, taskId: "k1" }).record({
    openingMarkerFound: true,
    closingMarkerFound: true,
    parserStatus: "success",
    recoveryUsed: false,
  });
  if (omit !== "delivery") {
    await recorder.recordDelivery("card_view", {
      taskId: "k1",
      emitted: true,
      acknowledged: omit === "acknowledgement" ? null : true,
      inputRefs: [card],
      contractName: "card_markup",
    });
  }
  const { traceContext } = result;
  const outcome = { traceContext, verified: true, source: "host", taskId: "k1" };
  await agent.recordTaskOutcome("success", {
    ...outcome,
    metrics: { layout: "two_columns", cards: 1, printed: false },
  });
  return observed.events("ann", result.traceContext.rootTraceId);
}

test("intent, artifact, contract, acknowledged delivery and outcome make a success", async () => {
  await using server = await startScriptedModel();
  const model = createOpenAICompatible({ name: "m", baseURL: server.baseURL })("desk-1");
  const agent = new Agent({ model, store: ephemeralMemory(), coverageProfile: "chat_response" });
  const events = await play(agent, "nothing");
  const verdict = reconcileOutcome(events, { normalizationMetadata: complete, taskId: "k1" });
  expect(verdict.findings).toEqual([]);
  expect(ofKind(events, "outcome")[0]?.attributes).toMatchObject({
    metric_names: ["cards", "printed", "layout"],
    metric_values: [1, 0],
    metric_texts: ["two_columns"],
  });
  expect(verdict).toMatchObject({ status: "success", verified: true, missing_stages: [] });
  expect(reconcileOutcome(events).status).toBe("partial");
  for (const [omit, status] of [
    ["delivery", "partial"],
    ["acknowledgement", "partial"],
    ["source", "partial"],
  ] as const) {
    const lesser = await play(agent, omit);
    const judged = reconcileOutcome(lesser, { normalizationMetadata: complete, taskId: "k1" });
    expect(judged.verified, omit).toBe(false);
    expect(judged.findings.length, `${omit} ${status}`).toBeGreaterThan(0);
  }
});

test("feedback joins the turn: a hash is evidence, words are memory and only when asked", async () => {
  await using server = await startScriptedModel();
  const model = createOpenAICompatible({ name: "m", baseURL: server.baseURL })("desk-1");
  const agent = new Agent({ model, store: ephemeralMemory(), evidence: observed.store });
  const place = { userId: "ben", memoryId: "m1", threadId: "t1" };
  const { traceContext } = await agent.run("Hello", place);
  const rootTraceId = traceContext.rootTraceId;
  const comment = "canary-comment was rude";
  await agent.recordFeedback({ traceContext, rating: -1, comment, verified: true, label: "tone" });
  const kept = { traceContext, comment, includeComment: true, externalId: "f1" };
  await agent.recordFeedback({ ...kept, rating: 1 });
  await agent.recordFeedback({ ...kept, rating: -1 });
  const stored = await agent.memory.feedback.list({ ...place, agentId: "agent" });
  expect(stored.map((row) => row.comment)).toEqual([comment, null]);
  expect(stored.every((row) => row.commentHash?.startsWith("sha256:"))).toBe(true);
  const feedback = ofKind(await observed.events("ben", rootTraceId), "feedback");
  expect(feedback.map(({ attributes }) => attributes.rating)).toEqual([-1, -1]);
  expect(feedback.every(({ turn_id }) => turn_id === traceContext.identity.turnId)).toBe(true);
  const work = agent.recorder(traceContext).startSpan("render_answer");
  await work.succeed();
  const events = await observed.events("ben", rootTraceId);
  expect(ofKind(events, "application_action")).toHaveLength(1);

  const summary = await agent.observabilitySummary(place);
  expect(summary).toMatchObject({ scope_applied: "user", evidence_state: "known" });
  expect(summary.memory.conversation.count).toBe(2);
  expect(summary.evidence).toMatchObject({ turns: 1, negative_feedback: 2 });
  expect(summary.evidence?.age_ms).toBeGreaterThanOrEqual(0);
  const foreign = await agent.observabilitySummary({ ...place, userId: "eve" });
  expect(foreign.memory.conversation.count).toBe(0);
  expect(foreign.evidence).toMatchObject({ events: 0, latest_event_at: null, age_ms: null });
  expect(JSON.stringify(summary)).not.toContain("canary");
  expect(await observed.text(["ben"])).not.toContain("canary-comment");
});

test("metrics are scalars; a text that is no label is refused, a wrong id is no anonymous scope", async () => {
  await using server = await startScriptedModel();
  const model = createOpenAICompatible({ name: "m", baseURL: server.baseURL })("desk-1");
  const agent = new Agent({ model, store: ephemeralMemory(), strict: true });
  const { traceContext } = await agent.run("Hello", { userId: "lea" });
  const stated = { traceContext, metrics: { note: "canary two words" } };
  await expect(agent.recordTaskOutcome("success", stated)).rejects.toBeInstanceOf(CodedError);
  for (const wrong of [{ userId: 7 }, { memoryId: {} }, { threadId: ["t"] }]) {
    await expect(agent.observabilitySummary(wrong as object)).rejects.toMatchObject({
      code: "record_invalid",
    });
  }
  await expect(agent.observabilitySummary({ userId: "" })).rejects.toMatchObject({
    code: "identity_empty",
  });
  expect(await observed.text(["lea"])).not.toContain("canary");
});

test("a keyed comment has one hash, in evidence and in memory", async () => {
  await using server = await startScriptedModel();
  const model = createOpenAICompatible({ name: "m", baseURL: server.baseURL })("desk-1");
  const key = { kid: "k1", secret: Buffer.alloc(32, 7) };
  const fingerprint = (text: string): string => keyedFingerprint(text, { key, purpose: "test" });
  const agent = new Agent({ model, store: ephemeralMemory(), fingerprint });
  const place = { userId: "kay", memoryId: "m1", threadId: "t1" };
  const { traceContext } = await agent.run("Hello", place);
  await agent.recordFeedback({
    traceContext,
    rating: -1,
    comment: "too slow",
    includeComment: true,
  });
  const [row] = await agent.memory.feedback.list({ ...place, agentId: "agent" });
  const [event] = ofKind(await observed.events("kay", traceContext.rootTraceId), "feedback");
  expect(row?.commentHash).toBe(fingerprint("too slow"));
  expect(event?.attributes.comment_hash).toBe(row?.commentHash);
});

test("without a turn there is nothing to give feedback on", async () => {
  await using server = await startScriptedModel();
  const model = createOpenAICompatible({ name: "m", baseURL: server.baseURL })("desk-1");
  const agent = new Agent({ model, store: ephemeralMemory() });
  expect(agent.getTraceContext()).toBeUndefined();
  await expect(agent.recordFeedback({ rating: 1 })).rejects.toMatchObject({
    code: "identity_missing",
  });
});
