/** @module ModelLoop: the rounds of model and tools in one turn, up to the model's answer. */
import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";

import type { AgentParts } from "./parts.ts";
import { modelStep } from "./model-step.ts";
import type { StepAnswer } from "./model-step.ts";
import { assistantMessage, toolSchemas } from "./prompt.ts";
import type { ResponseMetadata, TokenUsage } from "./run-result.ts";
import { runTool } from "./run-tool.ts";
import type { ToolRun } from "./run-tool.ts";
import { offerTools } from "./tool-router.ts";
import type { AnyTool } from "./tools.ts";
import type { TurnState } from "./turn-state.ts";

/** Result of the loop. */
export interface Looped {
  readonly text: string;
  readonly usages: readonly TokenUsage[];
  readonly response: ResponseMetadata;
  readonly runs: readonly ToolRun[];
  /** True when the model ended its answer within the bounds. */
  readonly finished: boolean;
}

/** Calls the model and its tools until it ends its answer or a bound is reached. */
export async function loop(
  parts: AgentParts,
  state: TurnState,
  { first, tools }: { readonly first: LanguageModelV4Prompt; readonly tools: readonly AnyTool[] },
  streaming: boolean,
): Promise<Looped> {
  const { settings, routing, iterationsMax = 12, retriesMax = 2 } = parts.options;
  const { signal, query } = state;
  const offered = await offerTools(tools, query, parts.embedder, routing, signal);
  const bench = { tools: offered, memory: parts.memory, callFingerprint: parts.callFingerprint };
  const prompt = [...first];
  const usages: TokenUsage[] = [];
  const runs: ToolRun[] = [];
  const onText = (text: string): Promise<void> => {
    state.streamed.text += text;
    return state.emit({ type: "answer.delta", text });
  };
  for (let iteration = 1; ; iteration += 1) {
    signal.throwIfAborted();
    await state.emit({ type: "status", stage: "model" });
    const mayCall = iteration < iterationsMax && state.budget.left > 0;
    const answer = await modelStep({
      model: parts.model,
      turn: state.turn,
      call: { ...settings, prompt, ...toolOptions(offered, mayCall) },
      iteration,
      retriesMax,
      signal,
      ...(streaming ? { onText } : {}),
    });
    usages.push(answer.usage);
    await state.emit({ type: "usage", iteration, usage: answer.usage });
    if (answer.toolCalls.length === 0 || !mayCall) {
      // After a failed call, or a call of an unknown tool, the model still answers; a call beyond
      // the budget leaves a result missing.
      const limited = runs.some(({ overBudget }) => overBudget);
      return endOf(answer, usages, runs, answer.toolCalls.length === 0 && !limited);
    }
    await state.emit({ type: "status", stage: "tools" });
    const round: ToolRun[] = [];
    // One after the other: the second of two calls may depend on the first.
    for (const call of answer.toolCalls) round.push(await runTool(call, state, bench));
    runs.push(...round);
    const inputs = new Map(round.map(({ part, input }) => [part.toolCallId, input]));
    prompt.push(assistantMessage(answer.content, inputs));
    prompt.push({ role: "tool", content: round.map(({ part }) => part) });
  }
}

function toolOptions(
  offered: readonly AnyTool[],
  mayCall: boolean,
): Pick<LanguageModelV4CallOptions, "tools" | "toolChoice"> {
  if (offered.length === 0) return {};
  return { tools: toolSchemas(offered), toolChoice: { type: mayCall ? "auto" : "none" } };
}

function endOf(
  answer: StepAnswer,
  usages: readonly TokenUsage[],
  runs: readonly ToolRun[],
  within: boolean,
): Looped {
  const cut = answer.ended === "length" || answer.ended === "content-filter";
  const finished = within && !cut && answer.text !== "";
  return { text: answer.text, usages, response: answer.response, runs, finished };
}
