/**
 * @module Delivered: the part of a turn that brings something about: the intent, the work, the form
 * that the answer must have, what was saved, and what became of it at the other end.
 */
import type { ObservabilityRecorder, ResourceRef } from "@turnproof/instrumentation";
import { Turn } from "@turnproof/instrumentation";

import type { Role } from "./cast.ts";
import type { Stage } from "./stage.ts";
import { modelCall, toolCall } from "./steps.ts";

type Product = NonNullable<Role["product"]>;

/** Plays it; an answer from the semantic cache skips the work. */
export async function deliver(
  stage: Stage,
  { fromCache }: { readonly fromCache: boolean },
): Promise<void> {
  const { role, turn, plot, dice, number, sourceVersion } = stage;
  const { product } = role;
  if (product === undefined) return;
  const taskId = `task_${number}`;
  const recorder = turn.recorder();
  const wanted: ResourceRef = {
    resourceType: product.source,
    ref: `${product.source}_${dice.between(1, 40)}`,
    version: sourceVersion,
    role: "authoritative_current_source",
    ownershipVerified: plot !== "not_owned",
    provenanceStatus: "verified",
  };
  await recorder.recordIntent(product.intent, {
    expectedArtifactTypes: [product.artifact],
    requiredContracts: [product.contract],
    inputRefs: [{ ...wanted, ownershipVerified: true }],
    ...(fromCache ? {} : { coverageProfile: "content_derived_artifact" }),
    taskId,
  });
  if (!fromCache) await work(stage);
  if (plot === "crashed") return;
  // What a stale entry of the cache rests on was current when it was made.
  const used = plot === "stale_cache" ? { ...wanted, version: older(sourceVersion) } : wanted;
  await handOver(stage, { recorder, product, taskId, used });
}

function older(version: string): string {
  return `v${Math.max(1, Number(version.slice(1)) - 1)}`;
}

async function work(stage: Stage): Promise<void> {
  const { role, dice, plot } = stage;
  // What is about a tool calls one.
  const least = plot === "fallback" || plot === "tool_down" ? 2 : 1;
  const rounds = Math.max(least, dice.between(...role.rounds));
  for (let round = 1; round < rounds; round += 1) {
    await modelCall(stage, round, false);
    for (let calls = dice.between(1, 2); calls > 0; calls -= 1) await toolCall(stage);
    if (plot === "crashed" && round === 1) return;
  }
  if (role.helper !== undefined) await requestHelper(stage, role.helper);
  await modelCall(stage, rounds, true);
}

/** Another agent inside the same trace: a turn of its own. */
async function requestHelper(stage: Stage, helper: string): Promise<void> {
  const { turn, dice, clock, role, person, thread, sink } = stage;
  const { identity } = turn.traceContext;
  const nested = new Turn({
    applicationId: role.applicationId,
    agentId: helper,
    threadId: thread,
    runId: identity.runId,
    turnId: dice.id("turn"),
    coverageProfile: "chat_response",
    ...(person === undefined ? {} : { userId: person }),
    sink,
  });
  await nested.run(async () => {
    clock.pass(dice.around(4));
    await modelCall({ ...stage, turn: nested }, 1, true);
  });
  await nested.succeed();
  clock.pass(dice.around(3));
}

interface HandOver {
  readonly recorder: ObservabilityRecorder;
  readonly product: Product;
  readonly taskId: string;
  /** What the answer was made from. */
  readonly used: ResourceRef;
}

async function handOver(stage: Stage, given: HandOver): Promise<void> {
  const { turn, clock, dice, plot, number, role } = stage;
  const { recorder, product, taskId, used } = given;
  const failed = plot === "parse_failed";
  await recorder.contract(product.contract, { required: true, outputLimit: 2_400, taskId }).record({
    openingMarkerFound: true,
    closingMarkerFound: !failed,
    parserStatus: failed ? "failed" : "success",
    recoveryUsed: plot === "recovered",
    itemCounts: { parts: dice.between(1, 6) },
    outputChars: failed ? 2_400 : dice.between(300, 2_000),
    finishReason: failed ? "length" : "stop",
  });
  clock.pass(dice.around(3));
  if (failed) return;
  const saved: ResourceRef = {
    resourceType: product.artifact,
    ref: `${product.artifact}_${number}`,
    version: "1",
    ownershipVerified: used.ownershipVerified === true,
    provenanceStatus: "verified",
  };
  const span = recorder.startSpan(`save_${product.artifact}`, {
    taskId,
    inputRefs: [used],
    attributes: { side_effect: true },
  });
  await span.run(async () => {
    clock.pass(dice.around(26));
    await recorder.recordArtifact(saved, {
      inputRefs: [used],
      producingSpanId: span.spanId,
      persistenceVerified: true,
      taskId,
    });
  });
  await span.succeed({ outputRefs: [saved] });
  clock.pass(dice.around(8));
  // The machine's clock was set back while the turn ran.
  if (plot === "clock_jump") clock.pass(-95_000);
  await recorder.recordDelivery(product.target, {
    emitted: true,
    acknowledged: plot === "unconfirmed" ? null : true,
    taskId,
    inputRefs: [saved],
    contractName: product.contract,
  });
  clock.pass(dice.around(12));
  if (plot === "unconfirmed") return;
  if (plot === "disliked") {
    await turn.feedback({ rating: -1, label: "wrong_answer", verified: true });
  } else {
    const metrics = { seconds_to_receipt: dice.between(1, 40) };
    await turn.taskOutcome("success", {
      verified: true,
      source: role.applicationId,
      metrics,
      taskId,
    });
  }
}
