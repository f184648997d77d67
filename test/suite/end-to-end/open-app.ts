/**
 * @module An app whose turn delivers its task and does not end: it prints `ready` and goes on,
 * until it is killed or a line on its input ends the turn. `STOP_AFTER=begin` leaves it
 * where nothing but the begin of its turn and of one action is there. `SAMPLING` leaves something
 * out of what is recorded.
 */
import { once } from "node:events";

import { trace } from "@opentelemetry/api";
import { register } from "@turnproof/exporter/register";
import { withTurn } from "@turnproof/instrumentation";
import type { Turn } from "@turnproof/instrumentation";

const { STOP_AFTER: stopAfter, SAMPLING: sampling } = process.env;
const source = {
  resourceType: "page",
  ref: "page_7",
  version: "3",
  role: "authoritative_current_source",
  ownershipVerified: true,
};
const letter = { resourceType: "letter", ref: "letter_1", version: "1", ownershipVerified: true };

const turnproof = register({
  serviceName: "letters",
  heartbeatEveryMs: 200,
  delayMs: 100,
  reportEveryMs: 300,
  // Of an application that samples nothing, evidence alone is kept.
  ...(sampling === undefined ? {} : { sampler: { shouldSample: () => ({ decision: 0 }) } }),
  ...(sampling === "evidence" ? { sampling: { keep: (kind) => kind !== "tool_call" } } : {}),
});

const message = (): Promise<unknown> => once(process.stdin, "data");
const ready = (turn: Turn): void => {
  console.log(JSON.stringify({ root: turn.traceContext.rootTraceId }));
};

const identity = { agentId: "writer", userId: "user_1", threadId: "thread_1" };
await withTurn(identity, async (turn) => {
  const recorder = turn.recorder();
  if (stopAfter === "begin") {
    await recorder.span("letters.save", async () => {
      ready(turn);
      await message();
    });
    return;
  }
  await recorder.recordIntent("write_letter", {
    expectedArtifactTypes: ["letter"],
    requiredContracts: ["letter_form"],
    inputRefs: [source],
  });
  let producer = "";
  await recorder.span("letters.save", (span) => (producer = span.spanId));
  await turn.toolCall({ name: "lookup" }, (call) => call.result({ outcome: "success" }));
  trace.getTracer("app").startSpan("anything").end();
  await recorder.recordArtifact(letter, {
    inputRefs: [source],
    producingSpanId: producer,
    persistenceVerified: true,
  });
  await recorder.contract("letter_form", { required: true }).record({
    openingMarkerFound: true,
    closingMarkerFound: true,
    parserStatus: "success",
  });
  await recorder.recordDelivery("mailbox", {
    emitted: true,
    acknowledged: true,
    inputRefs: [letter],
    contractName: "letter_form",
  });
  ready(turn);
  await message();
});
await turnproof.shutdown();
process.exit();
