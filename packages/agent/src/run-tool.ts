/**
 * @module RunTool: one tool call: validated, run, logged, recorded. Its input and result go to the
 * model and to the tool log, never into evidence.
 */
import type {
  JSONValue,
  LanguageModelV4ToolCall,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import { TraceContext } from "@turnproof/instrumentation";
import type { ToolCall } from "@turnproof/instrumentation";
import { stableText } from "@turnproof/memory";
import type { Memory } from "@turnproof/memory";
import { attribute, CodedError, toolBadges } from "@turnproof/semconv";

import { admissible, errorTypeOf } from "./admissible.ts";
import { answerOf, jsonOf } from "./tools.ts";
import type { AnyTool, ToolAnswer } from "./tools.ts";
import type { TurnState } from "./turn-state.ts";

/** The result of a tool call. */
export interface ToolRun {
  readonly part: LanguageModelV4ToolResultPart;
  /** The parsed input; `{}` when it could not be parsed. */
  readonly input: unknown;
  readonly answer: ToolAnswer;
  /** The tool, when there is one of that name and it was run. */
  readonly tool: AnyTool | undefined;
  /** True: refused because the turn's call budget was spent, so a result is missing. */
  readonly overBudget: boolean;
}

/** What the model receives when a tool gave no answer, and the class that evidence receives. */
interface Refusal {
  readonly errorType: string;
  readonly text: string;
}

/** What a call needs besides the turn. */
export interface ToolBench {
  readonly tools: readonly AnyTool[];
  readonly memory: Memory;
  /** Keyed, so that inputs cannot be guessed from it. */
  readonly callFingerprint: (text: string) => string;
}

/**
 * Runs one call to its end; a failed tool gives an answer to the model and does not end the turn.
 */
export async function runTool(
  call: LanguageModelV4ToolCall,
  state: TurnState,
  bench: ToolBench,
): Promise<ToolRun> {
  const tool = bench.tools.find(({ name }) => name === call.toolName);
  // A name that is none of the agent's tools is text of the model.
  const shownName = admissible(attribute.tool_name, tool?.name) ?? "unknown";
  const callId = call.toolCallId;
  await state.emit({ type: "tool.started", callId, toolName: shownName });
  const { input, refusal } = readCall(call, tool, state);
  const startedAt = performance.now();
  const underWay = { toolName: shownName };
  if (refusal === undefined) state.running.add(underWay);
  const admittedId = admissible(attribute.tool_call_id, callId);
  const primary = admissible(attribute.tool_provider, tool?.primaryProvider);
  const run = await state.turn.toolCall(
    {
      name: shownName,
      type: tool?.type ?? "function",
      callFingerprint: bench.callFingerprint(stableText([call.toolName, input])),
      ...(admittedId === undefined ? {} : { callId: admittedId }),
      ...(primary === undefined ? {} : { primaryProvider: primary }),
    },
    (open) =>
      refusal === undefined && tool !== undefined
        ? execute(tool, input, { callId, state, open })
        : refused(open, refusal ?? unknownTool),
  );
  await log(call, { ...run, shownName }, state, bench, performance.now() - startedAt);
  const { outcome } = run.answer;
  state.called.push({ callId, toolName: shownName, outcome });
  state.running.delete(underWay);
  const badge = toolBadges[outcome];
  await state.emit({ type: "tool.completed", callId, toolName: shownName, outcome, badge });
  return {
    part: {
      type: "tool-result",
      toolCallId: callId,
      toolName: call.toolName,
      output: run.output,
    },
    input,
    answer: run.answer,
    tool: refusal === undefined ? tool : undefined,
    overBudget: refusal?.errorType === budgetSpent,
  };
}

interface Executed {
  readonly answer: ToolAnswer;
  readonly output: LanguageModelV4ToolResultPart["output"];
}

const budgetSpent = "tool_budget_spent";
const unknownTool: Refusal = { errorType: "unknown_tool", text: "There is no tool of this name." };

function readCall(
  call: LanguageModelV4ToolCall,
  tool: AnyTool | undefined,
  state: TurnState,
): { readonly input: unknown; readonly refusal?: Refusal } {
  let input: unknown;
  try {
    input = call.input === "" ? {} : (JSON.parse(call.input) as unknown);
  } catch {
    return { input: {}, refusal: { errorType: "invalid_input", text: "The input is not JSON." } };
  }
  if (tool === undefined) return { input, refusal: unknownTool };
  if (!state.budget.take()) {
    const text = "This turn has spent its tool calls. Answer with what you have.";
    return { input, refusal: { errorType: budgetSpent, text } };
  }
  return { input };
}

async function refused(open: ToolCall, { errorType, text }: Refusal): Promise<Executed> {
  await open.result({ outcome: "error", errorType });
  return { answer: { value: null, outcome: "error" }, output: { type: "error-text", value: text } };
}

async function execute(
  tool: AnyTool,
  input: unknown,
  at: { readonly callId: string; readonly state: TurnState; readonly open: ToolCall },
): Promise<Executed> {
  const { state, open, callId } = at;
  try {
    const parsed = tool.parse === undefined ? input : tool.parse(input);
    const returned = await tool.execute(parsed as never, {
      callId,
      signal: state.signal,
      traceContext: TraceContext.active(open.step.context) ?? state.traceContext,
      userId: state.place.userId,
    });
    const answer = answerOf(returned);
    await open.result(evidenceOf(answer));
    const failed = answer.outcome === "error" || answer.outcome === "provider_error";
    const value = jsonOf(answer.value);
    return { answer, output: failed ? { type: "error-json", value } : { type: "json", value } };
  } catch (error) {
    if (state.signal.aborted) {
      // An aborted call has not failed: its effects are unknown.
      await open.step.end("unknown");
      throw state.signal.reason;
    }
    await open.result({ outcome: "error", errorType: errorTypeOf(error) });
    const text = error instanceof Error ? error.message : String(error);
    return {
      answer: { value: text, outcome: "error" },
      output: { type: "error-text", value: text },
    };
  }
}

function evidenceOf(answer: ToolAnswer): Parameters<ToolCall["result"]>[0] {
  const provider = admissible(attribute.tool_provider, answer.provider);
  const fallbackProvider = admissible(attribute.tool_provider, answer.fallbackProvider);
  const resultCount = admissible(attribute.result_count, answer.resultCount);
  const retryCount = admissible(attribute.retry_count, answer.retryCount);
  return {
    outcome: answer.outcome,
    ...(provider === undefined ? {} : { provider }),
    ...(fallbackProvider === undefined ? {} : { fallbackProvider }),
    ...(resultCount === undefined ? {} : { resultCount }),
    ...(retryCount === undefined ? {} : { retryCount }),
  };
}

/**
 * The tool log and the workflow step are written at once: a turn aborted later has still called
 * the tool.
 */
async function log(
  call: LanguageModelV4ToolCall,
  run: Executed & { readonly shownName: string },
  state: TurnState,
  { memory }: ToolBench,
  durationMs: number,
): Promise<void> {
  const { turnId } = state.traceContext.identity;
  const { outcome } = run.answer;
  const { shownName: toolName } = run;
  const given = jsonOf(call.input);
  // A tool name that the model made up is content, so it is stored with the input.
  const input = toolName === call.toolName ? given : { tool: call.toolName, input: given };
  const result: JSONValue = jsonOf(run.answer.value);
  try {
    await memory.toolLog.record(state.place, {
      turnId,
      callId: call.toolCallId,
      toolName,
      input: input as never,
      result: result as never,
      outcome,
      durationMs,
    });
    state.written.toolLog += 1;
    const ordinal = state.called.length + 1;
    const step = { turnId, ordinal, toolName, outcome };
    await memory.workflow.record(state.place, step);
    state.written.workflowSteps += 1;
  } catch (error) {
    // The tool has run already; a missing log is reported in `persisted`.
    state.written.error = CodedError.is(error) ? error.code : "write_failed";
  }
}
