/**
 * @module Conventions: every attribute of OpenTelemetry's registries of GenAI (with OpenAI and
 * Bedrock), MCP, A2A, HTTP, database, messaging and RPC, and why some are refused. Names and
 * decisions only. Source: semantic-conventions 1.45 and semantic-conventions-genai of October 2026.
 */
import { dialectTables, registryRows, sourceAttributeNames } from "@turnproof/semconv";

/** First parts of the names that the table covers. */
export const conventionNamespaces: readonly string[] = [
  "gen_ai",
  "openai",
  "aws.bedrock",
  "mcp",
  "jsonrpc",
  "a2a",
  "http",
  "db",
  "messaging",
  "rpc",
];

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Attributes of the registries that are read, as a registry row or as another name of one. */
const listedAsRead = words(`
    a2a.message.id a2a.method.name a2a.protocol.version a2a.task.id a2a.task.state
    db.collection.name db.mongodb.collection db.operation db.operation.name db.sql.table
    db.system db.system.name gen_ai.agent.id gen_ai.agent.name gen_ai.agent.version
    gen_ai.conversation.compacted gen_ai.conversation.id gen_ai.data_source.id
    gen_ai.embeddings.dimension.count gen_ai.evaluation.name gen_ai.evaluation.score.label
    gen_ai.evaluation.score.value gen_ai.main_agent.id gen_ai.main_agent.name
    gen_ai.memory.record.count gen_ai.memory.record.id gen_ai.memory.store.id
    gen_ai.openai.request.seed gen_ai.openai.request.service_tier
    gen_ai.openai.response.service_tier gen_ai.openai.response.system_fingerprint
    gen_ai.operation.name gen_ai.output.type gen_ai.prompt.name gen_ai.prompt.version
    gen_ai.provider.name gen_ai.request.choice.count gen_ai.request.encoding_formats
    gen_ai.request.frequency_penalty gen_ai.request.max_tokens gen_ai.request.model
    gen_ai.request.presence_penalty gen_ai.request.previous_response.id
    gen_ai.request.reasoning.level gen_ai.request.seed gen_ai.request.stream
    gen_ai.request.temperature gen_ai.request.top_k gen_ai.request.top_p
    gen_ai.response.finish_reasons gen_ai.response.id gen_ai.response.model
    gen_ai.response.status gen_ai.response.time_to_first_chunk gen_ai.retrieval.top_k
    gen_ai.skill.name gen_ai.system gen_ai.tool.call.id gen_ai.tool.name gen_ai.tool.type
    gen_ai.usage.audio.cache_read.input_tokens gen_ai.usage.audio.input_tokens
    gen_ai.usage.audio.output_tokens gen_ai.usage.cache_creation.input_tokens
    gen_ai.usage.cache_read.input_tokens gen_ai.usage.cache_write.input_tokens
    gen_ai.usage.completion_tokens gen_ai.usage.image.cache_read.input_tokens
    gen_ai.usage.image.input_tokens gen_ai.usage.image.output_tokens gen_ai.usage.input_tokens
    gen_ai.usage.output_tokens gen_ai.usage.prompt_tokens gen_ai.usage.reasoning.output_tokens
    gen_ai.usage.text.cache_read.input_tokens gen_ai.usage.text.input_tokens
    gen_ai.usage.text.output_tokens gen_ai.usage.video.input_tokens gen_ai.workflow.name
    http.method http.request.method http.response.status_code http.route http.status_code
    jsonrpc.request.id mcp.method.name mcp.protocol.version mcp.session.id
    messaging.destination.name messaging.operation messaging.operation.type messaging.system
    messaging.system.name openai.api.type openai.request.service_tier
    openai.response.service_tier openai.response.system_fingerprint rpc.jsonrpc.request_id
    rpc.method rpc.response.status_code rpc.service rpc.system rpc.system.name
`);

/** Refused attributes by reason. */
const refusals: readonly (readonly [reason: string, names: readonly string[]])[] = [
  [
    "Content: text of people or models.",
    words(`
    db.query.summary db.query.text db.statement gen_ai.completion
    gen_ai.evaluation.explanation gen_ai.input.messages gen_ai.memory.query.text
    gen_ai.memory.records gen_ai.output.messages gen_ai.prompt gen_ai.prompt.variable
    gen_ai.request.stop_sequences gen_ai.retrieval.documents gen_ai.retrieval.query.text
    gen_ai.system_instructions gen_ai.tool.call.arguments gen_ai.tool.call.result
    http.request.body.content http.response.body.content rpc.jsonrpc.error_message
`),
  ],
  [
    "A description or a schema in free text.",
    words(`
    gen_ai.agent.description gen_ai.main_agent.description
    gen_ai.openai.request.response_format gen_ai.skill.description gen_ai.tool.definitions
    gen_ai.tool.description
`),
  ],
  [
    "A URL, a path, a host or a connection string; it may hold credentials or names of people.",
    words(`
    db.connection_string db.elasticsearch.node.name gen_ai.skill.resource.name
    gen_ai.skill.source.uri http.client_ip http.host http.server_name http.target http.url
    http.user_agent mcp.resource.uri messaging.destination.template
`),
  ],
  [
    "Names a customer, a user or an installation.",
    words(`
    a2a.tenant db.cassandra.coordinator.dc db.cassandra.coordinator.id db.cosmosdb.client_id
    db.elasticsearch.cluster.name db.instance.id db.mssql.instance_name db.name db.namespace
    db.redis.database_index db.user messaging.client.id messaging.kafka.cluster.id
    messaging.rocketmq.namespace
`),
  ],
  [
    "A key or an id of a message: the application's own data.",
    words(`
    a2a.message.reference_task_ids gen_ai.request.stream_cursor
    messaging.gcp_pubsub.message.ack_id messaging.gcp_pubsub.message.ordering_key
    messaging.kafka.message.key messaging.message.conversation_id messaging.message.id
    messaging.rabbitmq.destination.routing_key messaging.rabbitmq.message.delivery_tag
    messaging.rocketmq.message.group messaging.rocketmq.message.keys
    messaging.rocketmq.message.tag rpc.message.id
`),
  ],
  [
    "Only on metrics, which are not evidence.",
    words(`
    db.client.connection.pool.name db.client.connection.state db.client.connections.pool.name
    db.client.connections.state gen_ai.token.cache gen_ai.token.modality gen_ai.token.phase
    gen_ai.token.type http.connection.state
`),
  ],
  [
    "A size or a count of transport that no rule needs.",
    words(`
    db.cassandra.page_size db.cassandra.speculative_execution_count db.cosmosdb.request_charge
    db.cosmosdb.request_content_length db.operation.batch.size db.response.returned_rows
    http.request.body.size http.request.resend_count http.request.size
    http.request_content_length http.request_content_length_uncompressed
    http.response.body.size http.response.size http.response_content_length
    http.response_content_length_uncompressed messaging.batch.message_count
    messaging.message.body.size messaging.message.envelope.size rpc.message.compressed_size
    rpc.message.uncompressed_size
`),
  ],
  [
    "Repeats an attribute that is read.",
    words(`
    db.cassandra.table db.cosmosdb.container db.cosmosdb.operation_type
    db.cosmosdb.status_code db.cosmosdb.sub_status_code db.response.status_code
    db.stored_procedure.name http.request.method_original messaging.destination_publish.name
    messaging.operation.name rpc.connect_rpc.error_code rpc.grpc.status_code
    rpc.jsonrpc.error_code rpc.method_original rpc.status_code
`),
  ],
  [
    "The same in nearly every span.",
    words(`
    http.flavor http.scheme jsonrpc.protocol.version rpc.jsonrpc.version rpc.message.type
`),
  ],
  [
    "A detail of one product that no rule needs.",
    words(`
    aws.bedrock.guardrail.id aws.bedrock.knowledge_base.id db.cassandra.consistency_level
    db.cassandra.idempotence db.cosmosdb.connection_mode db.cosmosdb.consistency_level
    db.cosmosdb.regions_contacted db.jdbc.driver_classname messaging.consumer.group.name
    messaging.destination.anonymous messaging.destination.partition.id
    messaging.destination.subscription.name messaging.destination.temporary
    messaging.destination_publish.anonymous messaging.eventhubs.consumer.group
    messaging.eventhubs.message.enqueued_time messaging.gcp_pubsub.message.ack_deadline
    messaging.gcp_pubsub.message.delivery_attempt messaging.kafka.consumer.group
    messaging.kafka.destination.partition messaging.kafka.message.offset
    messaging.kafka.message.tombstone messaging.kafka.offset messaging.rocketmq.client_group
    messaging.rocketmq.consumption_model messaging.rocketmq.message.delay_time_level
    messaging.rocketmq.message.delivery_timestamp messaging.rocketmq.message.type
    messaging.servicebus.destination.subscription_name messaging.servicebus.disposition_status
    messaging.servicebus.message.delivery_count messaging.servicebus.message.enqueued_time
`),
  ],
];

/** What is decided of one attribute. */
export interface ConventionRow {
  readonly name: string;
  /** Short names of the rows it fills. */
  readonly fills: readonly string[];
  /** Why it is refused; undefined when it is read. */
  readonly reason: string | undefined;
}

/** Short names of the rows that a source name fills; none where it decides a kind. */
function filledBy(name: string): readonly string[] {
  const own = registryRows.filter((row) => row.span === name).map((row) => row.event);
  const other = dialectTables.flatMap((table) =>
    [...table.names, ...table.identity].filter((each) => each.source === name).map(({ to }) => to),
  );
  return [...new Set([...own, ...other])];
}

/** Every attribute once, sorted by its name. */
export function conventionRows(): readonly ConventionRow[] {
  const refused = refusals.flatMap(([reason, names]) =>
    names.map((name): ConventionRow => ({ name, fills: [], reason })),
  );
  const read = listedAsRead.map((name): ConventionRow => {
    return { name, fills: filledBy(name), reason: undefined };
  });
  return [...read, ...refused].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Names whose decision and whose reading do not agree; empty when the table is true. */
export function untrueRows(): readonly string[] {
  return conventionRows()
    .filter(({ name, reason }) => sourceAttributeNames.has(name) === (reason !== undefined))
    .map(({ name }) => name);
}
