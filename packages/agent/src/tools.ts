/** @module Tools: what an agent may call, and how a tool says how it went (design 3.4). */
import type { JSONValue } from "@ai-sdk/provider";
import type { TraceContext } from "@turnproof/instrumentation";
import type { ToolOutcome } from "@turnproof/semconv";

/** What a tool is called with besides its input. */
export interface ToolContext {
  readonly callId: string;
  /** Aborts when the turn is given up. */
  readonly signal: AbortSignal;
  /** The turn, with this call's span as the parent. */
  readonly traceContext: TraceContext;
  /** The tenant that the turn runs for; null is anonymous. */
  readonly userId: string | null;
}

/** A tool. Its description, input and result are content and never evidence. */
export interface AgentTool<Input = never> {
  readonly name: string;
  readonly description: string;
  /** GenAI tool type; default `function`. A tool of a tool server is an `extension`. */
  readonly type?: "function" | "extension" | "datastore";
  /** JSON Schema of the input, as the model is told it. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** True only for a tool that changes nothing anywhere. Default false. */
  readonly readOnly?: boolean;
  /** True only for a tool that answers the same until the data version changes. Default false. */
  readonly deterministic?: boolean;
  /** Provider that the tool asks first, as a label. */
  readonly primaryProvider?: string;
  /** Checks what the model sent; a throw is told to the model as an invalid input. */
  readonly parse?: (input: unknown) => Input;
  /** May be asynchronous. */
  execute(input: Input, context: ToolContext): unknown;
}

/** Any tool, whatever its input is. */
export type AnyTool = Omit<AgentTool, "parse" | "execute"> & {
  readonly parse?: (input: unknown) => unknown;
  execute(input: never, context: ToolContext): unknown;
};

/** A result with its outcome said, for tools that fall back, degrade or fail without throwing. */
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

/** Says how a tool went; return it from `execute`. */
export function toolAnswer(answer: ToolAnswer): ToolAnswer {
  const said = Object.freeze({ ...answer });
  answers.add(said);
  return said;
}

/**
 * The outcome of what `execute` returned. Without a word of the tool, nothing and an empty list are
 * `empty`, and the number of results is known only of a list.
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

/** A value as JSON, whatever a tool returned. */
export function jsonOf(value: unknown): JSONValue {
  try {
    return JSON.parse(JSON.stringify(value) ?? "null") as JSONValue;
  } catch {
    return String(value);
  }
}
