/**
 * @module Mastra dialect: GenAI names under `mastra.span.type`. `gen_ai.operation.name` decides
 * first. A `model_generation` and a `model_step` repeat their `chat` span, so they are structure
 * only, unless an older exporter marks the generation itself as `chat`.
 */
import { genAi, genAiKindRule } from "./gen-ai.ts";
import { identityNames, metadataIdentityNames } from "./table.ts";
import type { DialectTable } from "./table.ts";

/** Names of Mastra. */
export const mastra: DialectTable = {
  dialect: "mastra",
  scopes: ["@mastra/otel-exporter", "@mastra/otel"],
  scopePrefixes: ["@mastra/"],
  marks: ["mastra.span.type"],
  kindRules: [
    genAiKindRule,
    {
      source: "mastra.span.type",
      kinds: {
        agent_run: "turn",
        workflow_run: "turn",
        model_inference: "model_call",
        rag_embedding: "model_call",
        tool_call: "tool_call",
        mcp_tool_call: "tool_call",
        client_tool_call: "tool_call",
        provider_tool_call: "tool_call",
        memory_operation: "memory_operation",
      },
    },
  ],
  names: genAi.names,
  identity: [
    ...metadataIdentityNames("mastra.metadata."),
    ...identityNames("user_id", ["mastra.metadata.resourceId"]),
    ...genAi.identity,
  ],
  spanNames: [
    {
      source: "mastra.span.type",
      words: ["workflow_run"],
      to: "agent_name",
      prefix: "invoke_workflow ",
    },
  ],
};
