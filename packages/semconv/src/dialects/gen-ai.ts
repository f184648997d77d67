/**
 * @module GenAI dialect: OpenTelemetry's semantic conventions. Their current names are registry
 * rows; this table has older names (1.27 to 1.36), vendors' extensions, and `mcp`.
 */
import { genAiOperations } from "../kinds.ts";
import { dialectNames, identityNames } from "./table.ts";
import type { DialectTable, KindRule } from "./table.ts";

/** The operation decides the kind wherever it is present, also beside another vocabulary. */
export const genAiKindRule: KindRule = { source: "gen_ai.operation.name", kinds: genAiOperations };

/** A call of an MCP tool, by a client or in a server, that names no operation. */
const mcpKindRule: KindRule = { source: "mcp.method.name", kinds: { "tools/call": "tool_call" } };

/** Names of OpenTelemetry's GenAI conventions, old and new. */
export const genAi: DialectTable = {
  dialect: "gen_ai",
  scopes: ["opentelemetry.instrumentation.openai_v2", "opentelemetry.instrumentation.google_genai"],
  scopePrefixes: ["opentelemetry.util.genai", "@opentelemetry/instrumentation-openai"],
  marks: ["gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.system", "mcp.method.name"],
  kindRules: [genAiKindRule, mcpKindRule],
  names: dialectNames({
    "gen_ai.workflow.name": "agent_name",
    "gen_ai.system": "provider",
    "gen_ai.response.id": "request_id",
    "gen_ai.usage.prompt_tokens": "input_tokens",
    "gen_ai.usage.completion_tokens": "output_tokens",
    "gen_ai.usage.total_tokens": "total_tokens",
    "llm.usage.total_tokens": "total_tokens",
    "gen_ai.usage.cache_read_input_tokens": "cached_tokens",
    "gen_ai.usage.cached_tokens": "cached_tokens",
    "gen_ai.usage.cache_write.input_tokens": "cache_write_tokens",
    "gen_ai.usage.cache_creation_input_tokens": "cache_write_tokens",
    "gen_ai.openai.request.seed": "seed",
    "gen_ai.openai.request.service_tier": "requested_service_tier",
    "gen_ai.openai.response.service_tier": "service_tier",
    "gen_ai.openai.response.system_fingerprint": "system_fingerprint",
    "rpc.jsonrpc.request_id": "jsonrpc_request_id",
    "deployment.environment": "deployment_environment",
    "http.method": "http_method",
    "http.status_code": "http_status",
    "db.system": "db_system",
    "db.operation": "db_operation",
    "db.sql.table": "db_collection",
    "db.mongodb.collection": "db_collection",
    "messaging.system.name": "messaging_system",
    "messaging.destination": "messaging_destination",
    "messaging.operation": "messaging_operation",
    "rpc.system": "rpc_system",
    "gen_ai.usage.reasoning_tokens": "reasoning_tokens",
    "gen_ai.response.finish_reasons": ["finish_reason", "json_list"],
    "gen_ai.response.finish_reason": ["finish_reason", "list_of_one"],
    "gen_ai.response.time_to_first_chunk": ["ttft_ms", "ms_from_s"],
    "gen_ai.client.operation.time_to_first_chunk": ["ttft_ms", "ms_from_s"],
    "gen_ai.server.time_to_first_token": ["ttft_ms", "ms_from_s"],
    "gen_ai.client.inference.duration": ["provider_time_ms", "ms_from_s"],
    "http.response.status_code": ["error_type", "error_status"],
    "exception.type": "error_type",
  }),
  identity: [
    ...identityNames("agent_id", ["gen_ai.agent.id"]),
    ...identityNames("thread_id", ["gen_ai.thread.id", "gen_ai.session.id", "session.id"]),
    ...identityNames("user_id", ["user.id", "enduser.id"]),
  ],
};
