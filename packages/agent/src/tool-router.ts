/**
 * @module ToolRouter: selects the tools offered to a turn when there are many, and limits its
 * calls. One router is made per turn, so concurrent turns of one
 * agent never share a budget.
 */
import { limits } from "@turnproof/semconv";
import { cosineOf, embedAll } from "@turnproof/memory";
import type { Embedder } from "@turnproof/memory";

import type { AnyTool } from "./tools.ts";

/** Bounds of routing. */
export interface RoutingOptions {
  /** Most calls of a turn; default 20. */
  readonly callsMax?: number;
  /** Most tools offered; more are ranked by relevance to the question. Default 5. */
  readonly offeredMax?: number;
  /** Names that are always offered, within `offeredMax`. */
  readonly always?: readonly string[];
}

/** Call budget of a turn. */
export class ToolBudget {
  readonly callsMax: number;
  #spent = 0;

  constructor(callsMax: number = limits.routedToolCallsDefault) {
    this.callsMax = callsMax;
  }

  get spent(): number {
    return this.#spent;
  }

  get left(): number {
    return this.callsMax - this.#spent;
  }

  /** Uses one call; false when none is left. */
  take(): boolean {
    if (this.left < 1) return false;
    this.#spent += 1;
    return true;
  }
}

/** The tools offered to a turn, in the agent's order. */
export async function offerTools(
  tools: readonly AnyTool[],
  question: string,
  embedder: Embedder,
  options: RoutingOptions = {},
  signal?: AbortSignal,
): Promise<readonly AnyTool[]> {
  const { offeredMax = limits.routedToolsOfferedDefault, always = [] } = options;
  if (tools.length <= offeredMax) return tools;
  const texts = tools.map((tool) => `${tool.name.replaceAll(/[_-]/g, " ")} ${tool.description}`);
  let scores: readonly number[];
  try {
    const [requested = [], ...vectors] = await embedAll(embedder, [question, ...texts], signal);
    scores = vectors.map((vector) => cosineOf(vector, requested));
  } catch (error) {
    if (signal?.aborted === true) throw error;
    // Without vectors the agent's own order is used.
    scores = tools.map((_, i) => -i);
  }
  const ranked = tools
    .map((tool, i) => ({ tool, score: always.includes(tool.name) ? 2 : (scores[i] ?? 0) }))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, offeredMax);
  const offered = new Set(ranked.map(({ tool }) => tool));
  return tools.filter((tool) => offered.has(tool));
}
