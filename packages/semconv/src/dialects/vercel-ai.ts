/**
 * @module Vercel AI SDK dialect: 4 to 6 and the legacy integration of 7 use `ai.*` (kinds by
 * `ai.operationId`); 7 uses GenAI names in the scope `gen_ai` with some `ai.*` names beside them.
 * The outer `ai.embed` and `ai.rerank` repeat their inner span, so they are structure only.
 */
import { genAi, genAiKindRule } from "./gen-ai.ts";
import { dialectNames, metadataIdentityNames } from "./table.ts";
import type { DialectTable } from "./table.ts";

/** Names of the Vercel AI SDK, 4 to 7. */
export const vercelAi: DialectTable = {
  dialect: "vercel_ai",
  scopes: ["ai", "gen_ai"],
  scopePrefixes: [],
  marks: ["ai.operationId"],
  kindRules: [
    genAiKindRule,
    {
      source: "ai.operationId",
      kinds: {
        "ai.generateText": "turn",
        "ai.streamText": "turn",
        "ai.generateObject": "turn",
        "ai.streamObject": "turn",
        "ai.workflowAgent.stream": "turn",
        "ai.generateText.doGenerate": "model_call",
        "ai.streamText.doStream": "model_call",
        "ai.generateObject.doGenerate": "model_call",
        "ai.streamObject.doStream": "model_call",
        "ai.embed.doEmbed": "model_call",
        "ai.embedMany.doEmbed": "model_call",
        "ai.rerank.doRerank": "memory_selection",
        "ai.toolCall": "tool_call",
      },
    },
  ],
  names: [
    ...genAi.names,
    ...dialectNames({
      "ai.telemetry.functionId": "agent_name",
      "ai.model.id": "model",
      "ai.model.provider": "provider",
      "ai.response.model": "response_model",
      "ai.response.id": "request_id",
      "ai.response.finishReason": ["finish_reason", "list_of_one"],
      "ai.usage.inputTokens": "input_tokens",
      "ai.usage.promptTokens": "input_tokens",
      "ai.usage.tokens": "input_tokens",
      "ai.usage.outputTokens": "output_tokens",
      "ai.usage.completionTokens": "output_tokens",
      "ai.usage.totalTokens": "total_tokens",
      "ai.usage.inputTokenDetails.cacheReadTokens": "cached_tokens",
      "ai.usage.cachedInputTokens": "cached_tokens",
      "ai.usage.inputTokenDetails.cacheWriteTokens": "cache_write_tokens",
      "ai.usage.outputTokenDetails.reasoningTokens": "reasoning_tokens",
      "ai.usage.reasoningTokens": "reasoning_tokens",
      "ai.response.msToFirstChunk": "ttft_ms",
      "ai.stream.msToFirstChunk": "ttft_ms",
      "ai.response.msToFinish": "stream_duration_ms",
      "ai.settings.maxOutputTokens": "max_output_tokens",
      "ai.settings.maxTokens": "max_output_tokens",
      "ai.toolCall.name": "tool_name",
      "ai.toolCall.id": "tool_call_id",
    }),
  ],
  identity: [
    ...metadataIdentityNames("ai.telemetry.metadata."),
    ...metadataIdentityNames("ai.settings.context."),
    ...genAi.identity,
  ],
};
