/**
 * @module Steps: what an agent of the week does in a turn besides its product: it is bound to a
 * page, remembers, calls its model and its tools.
 */
import type { ResourceRef } from "@turnproof/instrumentation";

import type { Tool } from "./cast.ts";
import type { Dice } from "./dice.ts";
import type { Stage } from "./stage.ts";

/** What the page of the host was bound to. */
export async function bind({
  turn,
  clock,
  dice,
  thread,
  role,
  sourceVersion,
}: Stage): Promise<void> {
  clock.pass(dice.around(1.5));
  const page = `page_${dice.between(1, 90)}`;
  await turn.bindContext({
    requestId: dice.id("req"),
    clientPageType: role.product?.artifact ?? "article",
    clientPageId: page,
    canonicalPageType: role.product?.artifact ?? "article",
    canonicalPageId: page,
    threadBindingStatus: "matched",
    expectedThreadId: thread,
    ownershipVerified: true,
    groundingStatus: "ready",
    groundingSource: "stored_text",
    groundingSourceIds: [`${role.product?.source ?? "article"}_${sourceVersion}`],
    groundingExcerptCount: dice.between(1, 5),
  });
  clock.pass(dice.around(2));
}

/** A hash like those that memories and requests are known by. */
export function fingerprint(dice: Dice): string {
  return `sha256:${dice.hex(32)}`;
}

/** References to so many memories. */
export function memories(dice: Dice, count: number): ResourceRef[] {
  return Array.from({ length: count }, (_, index) => ({
    resourceType: index % 3 === 0 ? "summary" : "conversation",
    ref: fingerprint(dice),
  }));
}

/** Search, ledger and what of it was placed before the model. */
export async function remember({ turn, clock, dice, plot, person }: Stage): Promise<void> {
  const candidates = dice.between(6, 18);
  const supplied = Math.min(candidates, dice.between(2, 6));
  const degraded = plot === "fallback";
  const scopeApplied = person === null ? "anonymous" : "user";
  await turn.memoryOperation(
    { operation: "search_memory", storeId: "conversation_memory", scopeApplied },
    async (operation) => {
      clock.pass(dice.around(22));
      await operation.succeed(candidates);
    },
  );
  const refs = memories(dice, candidates);
  const scores = refs.map((_, index) => Number((0.94 - index * 0.04).toFixed(3)));
  await turn.retrieved({ count: candidates, scores, refs, scopeApplied, foreignRows: 0, degraded });
  await turn.selected(
    refs.map((resource, index) => ({
      resource,
      candidateRank: index + 1,
      relevanceScore: scores[index] ?? 0,
      selected: index < supplied,
      selectionReason: index < supplied ? "relevance" : index % 2 === 0 ? "duplicate" : "budget",
    })),
  );
  clock.pass(dice.around(1));
  await turn.supplied({
    count: supplied,
    retrievedCount: candidates,
    historyCount: Math.min(2, supplied),
    profileCount: 1,
    preferenceCount: 1,
    crossThreadCount: Math.max(0, supplied - 4),
    summaryCount: 1,
    profileAttributeNames: ["language", "plan"],
    preferenceNames: ["tone"],
    refs: refs.slice(0, supplied),
    degraded,
    fallbackUsed: degraded,
  });
  clock.pass(dice.around(1));
}

/** One call of the role's model; the last one ends the answer. */
export async function modelCall(stage: Stage, round: number, last: boolean): Promise<void> {
  const { turn, clock, dice, role } = stage;
  const { model, modelProvider: provider } = role;
  await turn.modelCall(
    { model, provider, iteration: round, maxOutputTokens: 4_000 },
    async (call) => {
      clock.pass(dice.around(role.modelMs));
      const inputTokens = 900 + round * 700 + dice.between(0, 2_600);
      await call.respond({
        responseModel: model,
        requestId: dice.id("resp"),
        finishReason: last ? "stop" : "tool_calls",
        usage: {
          inputTokens,
          outputTokens: dice.between(40, last ? 900 : 160),
          cachedTokens: dice.roll() < 0.5 ? Math.floor(inputTokens * 0.6) : 0,
        },
      });
    },
  );
  clock.pass(dice.around(2));
}

/** One call of one of the role's tools, as the plot lets it go. */
export async function toolCall({ turn, clock, dice, role, plot }: Stage): Promise<void> {
  const away =
    plot === "fallback" ? role.tools.find((tool) => tool.stand_in !== undefined) : undefined;
  const tool: Tool = away ?? dice.pick(role.tools);
  await turn.toolCall(
    {
      name: tool.name,
      type: "function",
      callId: dice.id("call"),
      primaryProvider: tool.provider,
    },
    async (call) => {
      const waits = plot === "tool_down" || (plot === "fallback" && tool.stand_in !== undefined);
      clock.pass(dice.around(waits ? tool.medianMs * 6 : tool.medianMs));
      if (plot === "tool_down") {
        await call.result({ outcome: "provider_error", errorType: "TimeoutError" });
      } else if (plot === "fallback" && tool.stand_in !== undefined) {
        await call.result({
          outcome: "fallback",
          provider: tool.stand_in,
          fallbackProvider: tool.stand_in,
          resultCount: dice.between(1, 4),
        });
      } else {
        const roll = dice.roll();
        await call.result({
          outcome: roll < 0.04 ? "empty" : roll < 0.06 ? "degraded" : "success",
          provider: tool.provider,
          resultCount: roll < 0.04 ? 0 : dice.between(1, 9),
        });
      }
    },
  );
  clock.pass(dice.around(1.5));
}
