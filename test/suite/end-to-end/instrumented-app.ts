/**
 * @module An instrumented app as a process of its own: three lines of set-up, one turn with host
 * evidence, a job by carrier. `VARIANT` leaves one fact out; it prints its root and turn ids.
 */
import {
  ObservabilityRecorder,
  otelSink,
  TraceContext,
  withTurn,
} from "@turnproof/instrumentation";
import { register } from "@turnproof/exporter/register";

const turnproof = register({ serviceName: "letters" });
const variant = process.env["VARIANT"] ?? "whole";
const source = {
  resourceType: "page",
  ref: "page_7",
  version: "3",
  role: "authoritative_current_source",
  ownershipVerified: true,
  provenanceStatus: "verified" as const,
};
const letter = { resourceType: "letter", ref: "letter_1", version: "1", ownershipVerified: true };
const identity = {
  agentId: "writer",
  userId: process.env["TENANT"] ?? "user_1",
  threadId: "thread_1",
};

const ids = await withTurn(identity, async (turn) => {
  const recorder = turn.recorder();
  await turn.bindContext({
    threadBindingStatus: "matched",
    groundingStatus: "ready",
    prompt: "CANARY",
  });
  await turn.supplied({ count: 2, historyCount: 2 });
  await recorder.recordIntent("write_letter", {
    expectedArtifactTypes: ["letter"],
    requiredContracts: ["letter_form"],
    inputRefs: [source],
    coverageProfile: "content_derived_artifact",
    taskId: "task_1",
  });
  await turn.modelCall({ model: "desk-1", provider: "openai" }, (call) =>
    call.respond({ usage: { inputTokens: 12, outputTokens: 40 }, finishReason: "stop" }),
  );
  let producer = "";
  const carrier = await recorder.span(
    "letters.save",
    (span) => {
      producer = span.spanId;
      return span.toCarrier();
    },
    { taskId: "task_1", attributes: { side_effect: true } },
  );
  await recorder.recordArtifact(letter, {
    inputRefs: [source],
    producingSpanId: producer,
    persistenceVerified: variant !== "unverified",
    taskId: "task_1",
  });
  await recorder.contract("letter_form", { required: true, taskId: "task_1" }).record({
    openingMarkerFound: true,
    closingMarkerFound: true,
    parserStatus: "success",
    recoveryUsed: variant === "recovered",
  });
  // The hand-over happens in a job that knows its turn by the carrier alone.
  const job = TraceContext.fromCarrier(carrier, { userId: identity.userId });
  await new ObservabilityRecorder(otelSink(), job).recordDelivery("mailbox", {
    emitted: true,
    acknowledged: variant === "unacknowledged" ? null : true,
    inputRefs: [variant === "older" ? { ...letter, version: "0" } : letter],
    contractName: "letter_form",
    taskId: "task_1",
  });
  await turn.taskOutcome("success", { verified: true, source: "crm", taskId: "task_1" });
  return { root: turn.traceContext.rootTraceId, turn: turn.traceContext.identity.turnId };
});

await turnproof.shutdown();
console.log(JSON.stringify(ids));
