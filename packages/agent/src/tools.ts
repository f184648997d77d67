/**
 * @module Tools: what an agent can call, and how a tool reports its outcome (vocabulary: States).
 */
import type { JSONValue } from "@ai-sdk/provider";
import type { TraceContext } from "@turnproof/instrumentation";
import type { IdentityOptions, ToolOutcome } from "@turnproof/semconv";

/** Second argument of a tool's `execute`. */
export interface ToolContext {
  readonly callId: string;
  /** Aborts when the turn is aborted. */
  readonly signal: AbortSignal;
  /** The turn, with this call's span as the parent. */
  readonly traceContext: TraceContext;
  /** The turn's tenant; null is anonymous. */
  readonly userId: IdentityOptions["userId"];
}

/** A tool. Its description, input and result are content and never evidence. */
export interface AgentTool<Input = never> {
  readonly name: string;
  readonly description: string;
  /** GenAI tool type; default `function`. A tool of a tool server is an `extension`. */
  readonly type?: "function" | "extension" | "datastore";
  /** JSON Schema of the input, as sent to the model. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** True only for a tool that changes nothing. Default false. */
  readonly readOnly?: boolean;
  /** True only for a tool with equal answers until the data version changes. Default false. */
  readonly deterministic?: boolean;
  /** Provider that the tool tries first, as a label. */
  readonly primaryProvider?: string;
  /** Validates the model's input; a throw is reported to the model as an invalid input. */
  readonly parse?: (input: unknown) => Input;
  /** May be asynchronous. */
  execute(input: Input, context: ToolContext): unknown;
}

/** Any tool, whatever its input is. */
export type AnyTool = Omit<AgentTool, "parse" | "execute"> & {
  readonly parse?: (input: unknown) => unknown;
  execute(input: never, context: ToolContext): unknown;
};

/**
 * A result with an explicit outcome, for tools that fall back, degrade or fail without throwing.
 */
export interface ToolAnswer {
  readonly value: unknown;
  readonly outcome: ToolOutcome;
  /** Provider that answered, as a label. */
  readonly provider?: string;
  readonly fallbackProvider?: string;
  readonly resultCount?: number;
  readonly retryCount?: number;
}

const answers: WeakSet<object> = new WeakSet();

/** Builds a tool's answer with its outcome; return it from `execute`. */
export function toolAnswer(answer: ToolAnswer): ToolAnswer {
  const frozen = Object.freeze({ ...answer });
  answers.add(frozen);
  return frozen;
}

/**
 * The outcome of what `execute` returned. Without an explicit outcome, undefined, null and an
 * empty list are `empty`, and the result count is set for lists only.
 */
export function answerOf(returned: unknown): ToolAnswer {
  if (typeof returned === "object" && returned !== null && answers.has(returned)) {
    return returned as ToolAnswer;
  }
  if (Array.isArray(returned)) {
    const outcome = returned.length === 0 ? "empty" : "success";
    return { value: returned, outcome, resultCount: returned.length };
  }
  return { value: returned ?? null, outcome: (returned ?? null) === null ? "empty" : "success" };
}

/** Any tool result as JSON. */
export function jsonOf(value: unknown): JSONValue {
  try {
    return JSON.parse(JSON.stringify(value) ?? "null") as JSONValue;
  } catch {
    return String(value);
  }
}
