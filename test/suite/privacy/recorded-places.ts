/** @module Recorded places: every place where a host may pass a text to be recorded. */
import { TraceContext, Turn } from "@turnproof/instrumentation";

const identity = { agentId: "helper", userId: "user_1", threadId: "thread_1" };
/** Passes the text in one place. */
type Attempt = (secret: string) => unknown;

const turn = (): Turn => new Turn(identity);
const ref = (part: Record<string, string>): { resourceType: string; ref: string } => ({
  resourceType: "page",
  ref: "p-1",
  ...part,
});
const carrierOf = (member: string, secret: string): unknown => {
  const carrier = turn().traceContext.toCarrier();
  const { baggage = "" } = carrier;
  const kept = baggage.split(",").filter((each) => !each.startsWith(`${member}=`));
  return { ...carrier, baggage: [...kept, `${member}=${encodeURIComponent(secret)}`].join(",") };
};

/** All places by name. */
export const recordedPlaces: Readonly<Record<string, Attempt>> = {
  agentId: (secret) => new Turn({ ...identity, agentId: secret }),
  agentName: (secret) => new Turn({ ...identity, agentName: secret }),
  userId: (secret) => new Turn({ ...identity, userId: secret }),
  threadId: (secret) => new Turn({ ...identity, threadId: secret }),
  runId: (secret) => new Turn({ ...identity, runId: secret }),
  turnId: (secret) => new Turn({ ...identity, turnId: secret }),
  applicationId: (secret) => new Turn({ ...identity, applicationId: secret }),
  memoryId: (secret) => new Turn({ ...identity, memoryId: secret }),
  model: (secret) => turn().startModelCall({ model: secret }).respond(),
  provider: (secret) => turn().startModelCall({ model: "m", provider: secret }).respond(),
  "response model": (secret) =>
    turn().startModelCall({ model: "m" }).respond({ responseModel: secret }),
  "request id": (secret) => turn().startModelCall({ model: "m" }).respond({ requestId: secret }),
  "finish reason": (secret) =>
    turn().startModelCall({ model: "m" }).respond({ finishReason: secret }),
  "error type": (secret) => turn().startModelCall({ model: "m" }).fail(secret),
  "tool name": (secret) => turn().startToolCall({ name: secret }).result({ outcome: "success" }),
  "tool call id": (secret) =>
    turn().startToolCall({ name: "t", callId: secret }).result({ outcome: "success" }),
  "tool provider": (secret) =>
    turn().startToolCall({ name: "t" }).result({ outcome: "success", provider: secret }),
  "class of an error": (secret) =>
    turn().complete(() => {
      throw Object.assign(new Error(secret), { name: secret });
    }),
  "resource type": (secret) =>
    turn().supplied({ count: 1, refs: [ref({}), ref({ resourceType: secret })] }),
  "resource ref": (secret) => turn().supplied({ count: 1, refs: [ref({ ref: secret })] }),
  "resource version": (secret) => turn().retrieved({ count: 1, refs: [ref({ version: secret })] }),
  "resource role": (secret) => turn().referenced({ count: 1, refs: [ref({ role: secret })] }),
  "selection reason": (secret) => turn().selected([{ resource: ref({}), selectionReason: secret }]),
  "attribute names": (secret) =>
    turn().supplied({ count: 1, profileAttributeNames: ["tone", secret] }),
  "preference names": (secret) => turn().supplied({ count: 1, preferenceNames: [secret] }),
  "cache reason": (secret) => turn().cacheDecided({ decision: "bypassed", reason: secret }),
  "cache fingerprint": (secret) => turn().cacheDecided({ decision: "hit", fingerprint: secret }),
  "context field": (secret) => turn().bindContext({ requestId: secret, canonicalPageId: secret }),
  "context, unknown field": (secret) => turn().bindContext({ [secret]: secret, body: secret }),
  "context source ids": (secret) => turn().bindContext({ groundingSourceIds: ["s-1", secret] }),
  "feedback label": (secret) => turn().feedback({ rating: 1, label: secret }),
  "feedback comment": (secret) => turn().feedback({ rating: 1, comment: secret }),
  "feedback source": (secret) => turn().feedback({ rating: 1, source: secret }),
  outcome: (secret) => turn().taskOutcome(secret),
  "outcome source": (secret) => turn().taskOutcome("success", { source: secret }),
  "metric name": (secret) => turn().taskOutcome("success", { metrics: { clicks: 1, [secret]: 2 } }),
  "external id": (secret) => turn().feedback({ rating: 1, externalId: secret }),
  "task id": (secret) => turn().taskOutcome("success", { taskId: secret }),
  "candidate ref": (secret) =>
    turn().learned({ event: "skill_promoted", candidateRef: secret, lifecycleState: secret }),
  "intent name": (secret) => turn().recorder().recordIntent(secret),
  "artifact types": (secret) =>
    turn()
      .recorder()
      .recordIntent("plan", { expectedArtifactTypes: ["card", secret] }),
  "coverage profile": (secret) => turn().recorder().recordIntent("p", { coverageProfile: secret }),
  "artifact type": (secret) =>
    turn()
      .recorder()
      .recordArtifact(ref({ resourceType: secret }), {
        inputRefs: [],
        producingSpanId: "b".repeat(16),
      }),
  "producing span": (secret) =>
    turn().recorder().recordArtifact(ref({}), { inputRefs: [], producingSpanId: secret }),
  "contract name": (secret) => turn().recorder().contract(secret).record({}),
  "contract items": (secret) =>
    turn()
      .recorder()
      .contract("card")
      .record({ itemCounts: { rows: 1, [secret]: 2 } }),
  "delivery name": (secret) => turn().recorder().recordDelivery(secret),
  "host attribute": (secret) =>
    turn()
      .recorder()
      .startSpan("step", { attributes: { fallback_reason: secret } }),
  "host operation": (secret) => turn().recorder().startSpan(secret),
  "host attribute name": (secret) =>
    turn()
      .recorder()
      .startSpan("step", { attributes: { [secret]: "x" } }),
  "carrier agent": (secret) => TraceContext.fromCarrier(carrierOf("turnproof.agent_id", secret)),
  "carrier user": (secret) => TraceContext.fromCarrier(carrierOf("turnproof.user_id", secret)),
  "carrier cause": (secret) => TraceContext.fromCarrier(carrierOf("turnproof.caused_by", secret)),
  "carrier member": (secret) => TraceContext.fromCarrier(carrierOf("note", secret)),
  "carrier key": (secret) =>
    TraceContext.fromCarrier({ ...turn().traceContext.toCarrier(), [secret]: secret }),
};
