/**
 * @module Langfuse dialect: kinds by `langfuse.observation.type`; token counts are one JSON text,
 * and an error is a level, not a status.
 */
import type { RegistryName } from "../registry.ts";
import { genAi, genAiKindRule } from "./gen-ai.ts";
import { dialectNames, identityNames, metadataIdentityNames } from "./table.ts";
import type { DialectTable } from "./table.ts";

/** Names of Langfuse. */
export const langfuse: DialectTable = {
  dialect: "langfuse",
  scopes: ["langfuse-sdk"],
  scopePrefixes: [],
  marks: ["langfuse.observation.type"],
  kindRules: [
    genAiKindRule,
    {
      source: "langfuse.observation.type",
      kinds: {
        agent: "turn",
        generation: "model_call",
        embedding: "model_call",
        tool: "tool_call",
        retriever: "memory_retrieval",
      },
    },
  ],
  names: [
    ...genAi.names,
    ...dialectNames({
      "langfuse.observation.model.name": "model",
      "langfuse.observation.usage_details": ["input_tokens", "usage_json"],
      "langfuse.observation.level": ["status", "error_level"],
    }),
  ],
  identity: [
    ...identityNames("user_id", ["user.id", "langfuse.user.id"]),
    ...identityNames("thread_id", ["session.id", "langfuse.session.id"]),
    ...metadataIdentityNames("langfuse.observation.metadata."),
    ...metadataIdentityNames("langfuse.trace.metadata."),
    ...genAi.identity,
  ],
  // The name of an observation is its span's name; there is no attribute for it.
  spanNames: [
    { source: "langfuse.observation.type", words: ["agent"], to: "agent_name" },
    { source: "langfuse.observation.type", words: ["tool"], to: "tool_name" },
  ],
};

/**
 * Keys of a JSON object of counts (`usage_json`) and the row that each one fills; the first wins.
 */
export const usageDetailNames: { readonly [key: string]: RegistryName } = {
  input: "input_tokens",
  input_tokens: "input_tokens",
  prompt_tokens: "input_tokens",
  promptTokens: "input_tokens",
  output: "output_tokens",
  output_tokens: "output_tokens",
  completion_tokens: "output_tokens",
  completionTokens: "output_tokens",
  total: "total_tokens",
  total_tokens: "total_tokens",
  totalTokens: "total_tokens",
  input_cached_tokens: "cached_tokens",
  input_cache_read: "cached_tokens",
  cache_read_input_tokens: "cached_tokens",
  input_cache_creation: "cache_write_tokens",
  cache_creation_input_tokens: "cache_write_tokens",
  output_reasoning_tokens: "reasoning_tokens",
  output_reasoning: "reasoning_tokens",
};
