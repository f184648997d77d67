/**
 * @module OpenInference dialect (Arize, Phoenix): kinds by `openinference.span.kind`. A span of
 * another library may bear both vocabularies; GenAI names win, so they come first in the mapping.
 */
import { genAi, genAiKindRule } from "./gen-ai.ts";
import { dialectNames, identityNames } from "./table.ts";
import type { DialectTable } from "./table.ts";

/** Names of OpenInference. */
export const openInference: DialectTable = {
  dialect: "openinference",
  scopes: [],
  scopePrefixes: [
    "@arizeai/openinference-",
    "openinference.instrumentation",
    "openinference-instrumentation",
    "com.arize.instrumentation",
  ],
  marks: ["openinference.span.kind"],
  kindRules: [
    genAiKindRule,
    {
      source: "openinference.span.kind",
      kinds: {
        AGENT: "turn",
        LLM: "model_call",
        EMBEDDING: "model_call",
        TOOL: "tool_call",
        RETRIEVER: "memory_retrieval",
        RERANKER: "memory_selection",
      },
    },
  ],
  names: [
    ...genAi.names,
    ...dialectNames({
      "agent.name": "agent_name",
      "llm.request.model_name": "model",
      "llm.model_name": "model",
      "embedding.model_name": "model",
      "llm.response.model_name": "response_model",
      "llm.provider": "provider",
      "llm.system": "provider",
      "llm.token_count.prompt": "input_tokens",
      "llm.token_count.completion": "output_tokens",
      "llm.token_count.total": "total_tokens",
      "llm.token_count.prompt_details.cache_read": "cached_tokens",
      "llm.token_count.prompt_details.cache_input": "cached_tokens",
      "llm.token_count.prompt_details.cache_write": "cache_write_tokens",
      "llm.token_count.completion_details.reasoning": "reasoning_tokens",
      "llm.finish_reason": ["finish_reason", "list_of_one"],
      "tool.name": "tool_name",
      "tool.id": "tool_call_id",
    }),
  ],
  identity: [
    ...identityNames("user_id", ["user.id"]),
    ...identityNames("thread_id", ["session.id"]),
    ...genAi.identity,
  ],
};
