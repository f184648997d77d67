/**
 * @module A newsroom's briefing desk: an agent that gathers notes, writes a briefing, saves it and
 * shows it. Each function is one turn of it, recorded on a story's clock by our instrumentation.
 */
import { Turn } from "@turnproof/instrumentation";
import type { ResourceRef, TurnOptions } from "@turnproof/instrumentation";

import { outside, storySink } from "./story-clock.ts";
import type { StoryClock } from "./story-clock.ts";
import type { PlainSpan } from "../../otlp/encode.ts";

/** Whose turn, and what happens in it. */
export interface Scene {
  readonly user?: string | null;
  readonly thread: string;
  readonly agent?: string;
  /** A number of its own, so that ids differ. */
  readonly number: number;
  readonly plot: Plot;
}

/** What happens in a turn. */
export type Plot =
  | "delivered"
  | "unconfirmed"
  | "parse_failed"
  | "recovered"
  | "not_owned"
  | "fallback"
  | "cache_hit"
  | "chat"
  | "crashed"
  | "unbound"
  | "disliked";

const plain = (text: string, size = 16): string =>
  Buffer.from(text.padEnd(size, "x"))
    .toString("hex")
    .slice(0, size * 2);

function source(number: number, version = "v3"): ResourceRef {
  return {
    resourceType: "note",
    ref: `note_${4_100 + (number % 37)}`,
    version,
    role: "authoritative_current_source",
    ownershipVerified: true,
    provenanceStatus: "verified",
  };
}

function memoryRefs(number: number, count: number): ResourceRef[] {
  return Array.from({ length: count }, (_, index) => ({
    resourceType: index % 3 === 0 ? "summary" : "conversation",
    ref: `sha256:${plain(`memory-${number}-${index}`, 16)}`,
  }));
}

/** Plays one turn; its spans are in the order in which they ended. */
export async function play(scene: Scene, clock: StoryClock): Promise<readonly PlainSpan[]> {
  const sink = storySink(clock);
  const { user, thread, agent = "briefing-writer", number, plot } = scene;
  const options: TurnOptions = {
    applicationId: "newsroom",
    agentId: agent,
    threadId: thread,
    memoryId: `mem_${agent.slice(0, 5)}_${number % 7}`,
    ...(user === undefined ? {} : { userId: user }),
    ...(plot === "chat" ? { coverageProfile: "chat_response" } : {}),
    sink,
  };
  const turn = new Turn(options, outside);
  await turn.run(() => scenes(turn, scene, clock));
  clock.pass(4);
  if (plot !== "crashed") await (plot === "parse_failed" ? turn.partial() : turn.succeed());
  return sink.spans;
}

async function scenes(turn: Turn, scene: Scene, clock: StoryClock): Promise<void> {
  const { number, plot } = scene;
  clock.pass(1.4);
  await turn.bindContext({
    requestId: `req_${9_000 + number}`,
    clientPageType: "briefing",
    clientPageId: `page_${number % 50}`,
    canonicalPageType: "briefing",
    canonicalPageId: `page_${number % 50}`,
    threadBindingStatus: plot === "unbound" ? "mismatch" : "matched",
    expectedThreadId: scene.thread,
    ownershipVerified: plot !== "unbound",
    groundingStatus: plot === "unbound" ? "missing" : "ready",
    groundingSource: "stored_text",
    groundingSourceIds: [`note_${4_100 + (number % 37)}`],
    groundingExcerptCount: 3,
  });
  clock.pass(2.2);
  const hit = plot === "cache_hit";
  await turn.cacheDecided({
    decision: hit ? "hit" : plot === "fallback" ? "bypassed" : "miss",
    ...(plot === "fallback" ? { reason: "tool_writes" } : {}),
    fingerprint: `sha256:${plain(`request-${number}`, 16)}`,
    similarity: hit ? 0.93 : 0.41,
  });
  clock.pass(hit ? 6 : 1);
  if (hit) return;
  await remember(turn, scene, clock);
  if (plot === "chat") {
    await answer(turn, scene, clock, 1);
    return;
  }
  await write(turn, scene, clock);
}

async function remember(turn: Turn, { number, plot }: Scene, clock: StoryClock): Promise<void> {
  const candidates = 9 + (number % 8);
  const supplied = 3 + (number % 4);
  await turn.memoryOperation(
    { operation: "search_memory", storeId: "conversation_memory", scopeApplied: "user" },
    async (operation) => {
      clock.pass(18 + (number % 11));
      await operation.succeed(candidates);
    },
  );
  await turn.retrieved({
    count: candidates,
    scores: Array.from({ length: candidates }, (_, index) => 0.92 - index * 0.045),
    refs: memoryRefs(number, candidates),
    scopeApplied: "user",
    foreignRows: 0,
    degraded: plot === "fallback",
  });
  await turn.selected(
    memoryRefs(number, candidates).map((resource, index) => ({
      resource,
      candidateRank: index + 1,
      relevanceScore: 0.92 - index * 0.045,
      selected: index < supplied,
      selectionReason: index < supplied ? "relevance" : index % 2 === 0 ? "duplicate" : "budget",
    })),
  );
  clock.pass(0.8);
  await turn.supplied({
    count: supplied,
    retrievedCount: candidates,
    historyCount: 2,
    profileCount: 1,
    preferenceCount: 1,
    crossThreadCount: Math.max(0, supplied - 4),
    summaryCount: 1,
    writingSampleCount: 2,
    profileAttributeNames: ["role", "desk"],
    preferenceNames: ["tone", "length"],
    refs: memoryRefs(number, supplied),
    degraded: plot === "fallback",
    fallbackUsed: plot === "fallback",
  });
  clock.pass(1.1);
}

async function answer(turn: Turn, scene: Scene, clock: StoryClock, round: number): Promise<void> {
  const { number, plot } = scene;
  await turn.modelCall(
    { model: "atlas-large-2", provider: "atlas", iteration: round, maxOutputTokens: 2_000 },
    async (call) => {
      clock.pass(240 + (number % 9) * 130);
      await call.respond({
        responseModel: "atlas-large-2-0914",
        requestId: `resp_${number}_${round}`,
        finishReason: round === 1 && plot !== "chat" ? "tool_calls" : "stop",
        usage: {
          inputTokens: 1_840 + number * 7,
          outputTokens: 120 + (number % 60) * 6,
          cachedTokens: number % 3 === 0 ? 1_024 : 0,
        },
      });
    },
  );
  clock.pass(2);
}

async function lookUp(turn: Turn, { number, plot }: Scene, clock: StoryClock): Promise<void> {
  const fallback = plot === "fallback";
  for (const [index, name] of ["search_archive", "fetch_note"].entries()) {
    await turn.toolCall(
      { name, type: "function", callId: `call_${number}_${index}`, primaryProvider: "archive-eu" },
      async (call) => {
        clock.pass(70 + ((number + index) % 6) * 45);
        await call.result({
          outcome: fallback ? "fallback" : number % 11 === 4 ? "degraded" : "success",
          provider: fallback ? "archive-us" : "archive-eu",
          ...(fallback ? { fallbackProvider: "archive-us" } : {}),
          resultCount: 4 - index * 3,
        });
      },
    );
    clock.pass(1.5);
  }
  if (plot === "disliked") {
    await turn.toolCall({ name: "translate", type: "function" }, async (call) => {
      clock.pass(1_900);
      await call.result({ outcome: "provider_error", errorType: "TimeoutError" });
    });
  }
}

async function write(turn: Turn, scene: Scene, clock: StoryClock): Promise<void> {
  const { number, plot } = scene;
  const taskId = `task_${number}`;
  const recorder = turn.recorder();
  const owned = plot !== "not_owned";
  const note: ResourceRef = { ...source(number), ownershipVerified: owned };
  await recorder.recordIntent("write_briefing", {
    expectedArtifactTypes: ["briefing"],
    requiredContracts: ["briefing_json"],
    inputRefs: [source(number)],
    coverageProfile: "content_derived_artifact",
    taskId,
  });
  await answer(turn, scene, clock, 1);
  await lookUp(turn, scene, clock);
  await answer(turn, scene, clock, 2);
  if (plot === "crashed") return;
  const contract = recorder.contract("briefing_json", {
    required: true,
    outputLimit: 2_200,
    taskId,
  });
  await contract.record({
    openingMarkerFound: true,
    closingMarkerFound: plot !== "parse_failed",
    parserStatus: plot === "parse_failed" ? "failed" : "success",
    recoveryUsed: plot === "recovered",
    itemCounts: { sections: 4, sources: 3 },
    outputChars: plot === "parse_failed" ? 2_200 : 1_480,
    finishReason: plot === "parse_failed" ? "length" : "stop",
  });
  clock.pass(3);
  if (plot === "parse_failed") return;
  const saved: ResourceRef = {
    resourceType: "briefing",
    ref: `brf_${7_000 + number}`,
    version: "1",
    ownershipVerified: owned,
    provenanceStatus: "verified",
  };
  const span = recorder.startSpan("save_briefing", {
    taskId,
    inputRefs: [note],
    attributes: { side_effect: true },
  });
  await span.run(async () => {
    clock.pass(22 + (number % 5) * 9);
    await recorder.recordArtifact(saved, {
      inputRefs: [note],
      producingSpanId: span.spanId,
      persistenceVerified: true,
      taskId,
    });
  });
  await span.succeed({ outputRefs: [saved] });
  await turn.referenced({ count: 1 + (number % 2), refs: memoryRefs(number, 1 + (number % 2)) });
  clock.pass(6);
  await recorder.recordDelivery("reader_view", {
    emitted: true,
    acknowledged: plot === "unconfirmed" ? null : true,
    taskId,
    inputRefs: [saved],
    contractName: "briefing_json",
  });
  if (plot === "disliked") {
    clock.pass(5);
    await turn.feedback({ rating: -1, label: "wrong_source", comment: "no", verified: true });
    return;
  }
  await turn.taskOutcome("success", {
    verified: true,
    source: "newsroom",
    metrics: { seconds_to_publish: 41 },
    taskId,
  });
}
