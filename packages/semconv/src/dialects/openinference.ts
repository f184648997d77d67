/**
 * @module OpenInference dialect (Arize, Phoenix): kinds by `openinference.span.kind`. A span of
 * another library may have both vocabularies; GenAI names come first in the mapping and win. A
 * chain is a turn only where a request enters; LangChain's metadata states whether it does.
 */
import type { RegistryName } from "../registry.ts";
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
      atEntry: { CHAIN: "turn" },
    },
  ],
  names: [
    ...genAi.names,
    { source: "graph.node.id", to: "agent_name", adapter: "as_is", only: ["turn"] },
    ...dialectNames({
      "agent.name": "agent_name",
      metadata: ["thread_id", "identity_json"],
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
  spanNames: [
    {
      source: "openinference.span.kind",
      words: ["CHAIN"],
      to: "agent_name",
      beside: "metadata",
      except: ["LangGraph", "CompiledStateGraph", "AgentExecutor", "RunnableSequence"],
    },
  ],
};

/** Attribute with LangChain's free metadata, a JSON object. */
export const metadataAttribute = "metadata";

/** Keys of that object and the row that each one fills; the first wins. */
export const metadataNames: { readonly [key: string]: RegistryName } = {
  lc_agent_name: "agent_name",
  thread_id: "thread_id",
  threadId: "thread_id",
  session_id: "thread_id",
  sessionId: "thread_id",
  conversation_id: "thread_id",
  conversationId: "thread_id",
  user_id: "user_id",
  userId: "user_id",
};

/** A key on all spans inside a graph, absent on the graph's own span. */
export const graphNodeKey = "langgraph_node";

/** Values of `ls_integration` that mark a chain without that key as the entry of a request. */
export const entryIntegrations: readonly string[] = ["langgraph", "langchain_create_agent"];
