/**
 * @module OpenLLMetry dialect (Traceloop): kinds by `traceloop.span.kind`; a model call has GenAI
 * names. A request enters by a workflow, so a workflow is a turn, as an agent is.
 */
import { genAi, genAiKindRule } from "./gen-ai.ts";
import { dialectNames, metadataIdentityNames } from "./table.ts";
import type { DialectTable } from "./table.ts";

/** Names of OpenLLMetry. */
export const openLlmetry: DialectTable = {
  dialect: "openllmetry",
  scopes: ["traceloop.tracer"],
  scopePrefixes: [
    "@traceloop/",
    "opentelemetry.instrumentation.openai.v",
    "opentelemetry.instrumentation.anthropic",
    "opentelemetry.instrumentation.bedrock",
    "opentelemetry.instrumentation.cohere",
    "opentelemetry.instrumentation.crewai",
    "opentelemetry.instrumentation.groq",
    "opentelemetry.instrumentation.langchain",
    "opentelemetry.instrumentation.llamaindex",
    "opentelemetry.instrumentation.mistralai",
    "opentelemetry.instrumentation.ollama",
  ],
  marks: ["traceloop.span.kind", "traceloop.workflow.name", "llm.request.type"],
  kindRules: [
    genAiKindRule,
    {
      source: "traceloop.span.kind",
      kinds: { workflow: "turn", agent: "turn", tool: "tool_call" },
    },
    {
      source: "llm.request.type",
      kinds: {
        chat: "model_call",
        completion: "model_call",
        embedding: "model_call",
        rerank: "memory_selection",
      },
    },
  ],
  names: [
    ...genAi.names,
    ...dialectNames({ "traceloop.association.properties.lc_agent_name": "agent_name" }),
    { source: "traceloop.entity.name", to: "tool_name", adapter: "as_is", only: ["tool_call"] },
    { source: "traceloop.entity.name", to: "agent_name", adapter: "as_is", only: ["turn"] },
    ...dialectNames({
      "traceloop.workflow.name": "agent_name",
      "gen_ai.request.max_output_tokens": "max_output_tokens",
      "db.vector.query.result.matches_length": "result_count",
    }),
  ],
  identity: [...metadataIdentityNames("traceloop.association.properties."), ...genAi.identity],
};
