/**
 * @module Coding agents: the log events of Claude Code and of Codex CLI that are evidence, and the
 * attributes of theirs that hold ids, counts and states. Names that hold content (`prompt`,
 * `arguments`, `output`, `error`, `tool_parameters`, `user.email`) are not listed, so they are
 * skipped by their length. Source: the monitoring pages of both products, November 2026.
 */

/** What a log event of a coding agent is. */
export type CodingFact = "turn" | "model_call" | "failed_call" | "tool_call";

/** An event's name, and what it is. */
export interface CodingEvent {
  readonly agent: "claude-code" | "codex";
  readonly fact: CodingFact;
}

/** Scope of Claude Code's records. */
export const codingScope = "com.anthropic.claude_code.events";

/**
 * Events by their names. Claude Code also writes them without its prefix in `event.name`; such a
 * record is its own where it has the id of a prompt, which earlier versions lack, or its scope.
 */
export const codingEvents: Readonly<Record<string, CodingEvent>> = {
  "claude_code.user_prompt": { agent: "claude-code", fact: "turn" },
  "claude_code.api_request": { agent: "claude-code", fact: "model_call" },
  "claude_code.api_error": { agent: "claude-code", fact: "failed_call" },
  "claude_code.tool_result": { agent: "claude-code", fact: "tool_call" },
  user_prompt: { agent: "claude-code", fact: "turn" },
  api_request: { agent: "claude-code", fact: "model_call" },
  api_error: { agent: "claude-code", fact: "failed_call" },
  tool_result: { agent: "claude-code", fact: "tool_call" },
  "codex.user_prompt": { agent: "codex", fact: "turn" },
  "codex.sse_event": { agent: "codex", fact: "model_call" },
  "codex.api_request": { agent: "codex", fact: "failed_call" },
  "codex.tool_result": { agent: "codex", fact: "tool_call" },
};

/** Attributes of these events that are read. */
export const codingNames = {
  session: "session.id",
  prompt: "prompt.id",
  conversation: "conversation.id",
  account: "user.account_uuid",
  codexAccount: "user.account_id",
  user: "user.id",
  model: "model",
  duration: "duration_ms",
  inputTokens: "input_tokens",
  outputTokens: "output_tokens",
  cacheRead: "cache_read_tokens",
  cacheCreation: "cache_creation_tokens",
  request: "request_id",
  statusCode: "status_code",
  tool: "tool_name",
  toolUse: "tool_use_id",
  success: "success",
  streamed: "event.kind",
  codexInput: "input_token_count",
  codexOutput: "output_token_count",
  codexCached: "cached_token_count",
  codexReasoning: "reasoning_token_count",
  codexStatus: "http.response.status_code",
  call: "call_id",
  version: "app.version",
} as const;
