/**
 * @module Scene: one turn of the week from its binding to its end, recorded by our instrumentation
 * on the clock of the turn.
 */
import { Turn } from "@turnproof/instrumentation";
import type { EvidenceSink } from "@turnproof/instrumentation";

import { outside } from "../briefing/story-clock.ts";
import type { StoryClock } from "../briefing/story-clock.ts";
import { deliver } from "./delivered.ts";
import type { Scene, Stage } from "./stage.ts";
import { bind, fingerprint, memories, modelCall, remember } from "./steps.ts";

/** Where to find a turn again. */
export interface Played {
  readonly root: string;
  readonly endedMs: number;
}

/** Plays one turn into the sink. */
export async function playTurn(
  scene: Scene,
  sink: EvidenceSink,
  clock: StoryClock,
): Promise<Played> {
  const { role, person, thread, number, dice, plot } = scene;
  const turn = new Turn(
    {
      applicationId: role.applicationId,
      agentId: role.agentId,
      threadId: thread,
      memoryId: `mem_${thread.slice(4)}`,
      runId: dice.id("run"),
      turnId: dice.id("turn"),
      ...(person === undefined ? {} : { userId: person }),
      ...(role.product === undefined ? { coverageProfile: "chat_response" } : {}),
      sink,
    },
    outside,
  );
  const stage: Stage = { ...scene, turn, clock, sink };
  await turn.run(() => act(stage));
  clock.pass(dice.around(3));
  const root = turn.traceContext.rootTraceId;
  if (plot === "crashed") return { root, endedMs: clock.nowMs };
  if (plot === "parse_failed") await turn.partial();
  else if (plot === "tool_down" && number % 3 === 0) await turn.fail("ProviderUnavailable");
  else await turn.succeed();
  return { root, endedMs: clock.nowMs };
}

async function act(stage: Stage): Promise<void> {
  const { role, plot, dice, turn, clock } = stage;
  await bind(stage);
  const hit = plot === "stale_cache" || (plot === "plain" && dice.roll() < role.cached);
  await turn.cacheDecided({
    decision: hit ? "hit" : plot === "fallback" ? "bypassed" : "miss",
    ...(plot === "fallback" ? { reason: "provider_degraded" } : {}),
    fingerprint: fingerprint(dice),
    similarity: hit ? 0.86 + dice.roll() * 0.13 : 0.2 + dice.roll() * 0.5,
  });
  clock.pass(dice.around(hit ? 7 : 1.5));
  if (hit) {
    if (role.product !== undefined) await deliver(stage, { fromCache: true });
    return;
  }
  await remember(stage);
  if (role.product === undefined) {
    await modelCall(stage, 1, true);
    if (dice.roll() < 0.2) await turn.referenced({ count: 1, refs: memories(dice, 1) });
    if (plot === "disliked")
      await turn.feedback({ rating: -1, label: "unhelpful", verified: true });
    return;
  }
  await deliver(stage, { fromCache: false });
}
