/** @module Attributes of an event. Written by `npm run generate` from the registry. */

/**
 * The typed `attributes` of an event. An absent attribute is unknown; whether a delivery was
 * acknowledged is absent until it is known.
 */
export interface EventAttributes {
  /** Release of the service. */
  readonly service_version?: string;
  /** Operation of the GenAI conventions that the span performs. */
  readonly genai_operation?: string;
  /** Display name of the agent. */
  readonly agent_name?: string;
  /** Requested model. */
  readonly model?: string;
  /** Model that answered. */
  readonly response_model?: string;
  /** Provider of the model, as recorded by the client. */
  readonly provider?: string;
  /** Id that the provider or the host gave the request. */
  readonly request_id?: string;
  /** Tokens of the input, cached ones included. */
  readonly input_tokens?: number;
  /** Tokens of the output, reasoning included. */
  readonly output_tokens?: number;
  /** Sum of input and output tokens, as the provider reported it. */
  readonly total_tokens?: number;
  /** Input tokens that the provider read from its prompt cache. */
  readonly cached_tokens?: number;
  /** Input tokens that the provider wrote to its prompt cache. */
  readonly cache_write_tokens?: number;
  /** Output tokens that the model spent on reasoning. */
  readonly reasoning_tokens?: number;
  /** Most tokens that the request allowed for the output. */
  readonly max_output_tokens?: number;
  /** Why the model stopped, one entry for each choice. */
  readonly finish_reason?: readonly string[];
  /** Characters of the response; the text itself is never recorded. */
  readonly response_chars?: number;
  /** Bytes of the response in UTF-8. */
  readonly response_bytes?: number;
  /** Milliseconds from the request to the first token. */
  readonly ttft_ms?: number;
  /** Seconds from the request to the first chunk of a stream. */
  readonly time_to_first_chunk?: number;
  /** Milliseconds that the provider reported for its own work. */
  readonly provider_time_ms?: number;
  /** Milliseconds from the first to the last chunk of a stream. */
  readonly stream_duration_ms?: number;
  /** Attempts after the first. */
  readonly retry_count?: number;
  /** Round of the model and tool loop, from 1. */
  readonly iteration?: number;
  /** Host name of the service that was called. */
  readonly server_address?: string;
  /** Class of the error: a code or the name of an exception class. */
  readonly error_type?: string;
  /** Name of the tool that was called. */
  readonly tool_name?: string;
  /** Whether the tool is a function, an extension or a data store. */
  readonly tool_type?: string;
  /** Id of the call that the model requested. */
  readonly tool_call_id?: string;
  /** What came of the tool call. */
  readonly tool_outcome?: string;
  /** Service that answered the tool call. */
  readonly tool_provider?: string;
  /** Service that the tool called first. */
  readonly primary_provider?: string;
  /** Service that the tool called after the first had failed. */
  readonly fallback_provider?: string;
  /** Results that the tool returned. */
  readonly result_count?: number;
  /** Whether the result comes from the fallback. */
  readonly fallback_used?: boolean;
  /** Whether the tool answered with less than it promises. */
  readonly degraded?: boolean;
  /** Keyed fingerprint of tool and arguments; equal calls have equal values. */
  readonly call_fingerprint?: string;
  /** Memory entries that were found. */
  readonly retrieved_count?: number;
  /** Memory entries that were put before the model. */
  readonly supplied_count?: number;
  /** Supplied memory entries that the answer refers to. */
  readonly referenced_count?: number;
  /** Supplied entries that are messages of the thread. */
  readonly history_count?: number;
  /** Supplied entries that are profile attributes of the user. */
  readonly profile_count?: number;
  /** Supplied entries that are preferences of the user. */
  readonly preference_count?: number;
  /** Supplied entries that come from other threads. */
  readonly cross_thread_count?: number;
  /** Supplied entries that are summaries. */
  readonly summary_count?: number;
  /** Supplied entries that are samples of the user's writing. */
  readonly writing_sample_count?: number;
  /** Names of the profile attributes that were supplied, without their values. */
  readonly profile_attribute_names?: readonly string[];
  /** Names of the preferences that were supplied, without their values. */
  readonly preference_names?: readonly string[];
  /** Score of each memory entry that was found. */
  readonly retrieved_scores?: readonly number[];
  /** Whether the memory answered with less than it holds. */
  readonly memory_degraded?: boolean;
  /** Whether a fallback answered in place of the memory. */
  readonly memory_fallback_used?: boolean;
  /** What was done with the memory. */
  readonly memory_operation?: string;
  /** Memory store that was used. */
  readonly store_id?: string;
  /** Memory record that was read or written. */
  readonly record_id?: string;
  /** Memory records that were read or written. */
  readonly record_count?: number;
  /** Data source that was read, such as a knowledge base. */
  readonly data_source_id?: string;
  /** Scope that the storage provider applied to the rows. */
  readonly scope_applied?: string;
  /** Rows outside the scope that the provider returned and the guard dropped. */
  readonly foreign_rows?: number;
  /** What the cache router decided. */
  readonly cache_decision?: string;
  /** Why the cache was not consulted, or its answer not used. */
  readonly cache_bypass_reason?: string;
  /** Keyed fingerprint of the cache key. */
  readonly cache_fingerprint?: string;
  /** Similarity of the cached request to this one, from 0 to 1. */
  readonly cache_similarity?: number;
  /** What the turn sets out to do. */
  readonly intent_name?: string;
  /** Types of the artifacts that the intent must produce. */
  readonly expected_artifact_types?: readonly string[];
  /** Contracts that the outputs of the intent must satisfy. */
  readonly required_contracts?: readonly string[];
  /** Name of the list of stages that the turn must have evidence of. */
  readonly coverage_profile?: string;
  /** Type of the thing that was produced. */
  readonly artifact_type?: string;
  /** How far the artifact came. */
  readonly artifact_status?: string;
  /** Whether the artifact was read back after it was written. */
  readonly persistence_verified?: boolean;
  /** Whether the artifact has no source by intention. */
  readonly source_independent?: boolean;
  /** Span that produced the artifact. */
  readonly producing_span_id?: string;
  /** Version of the artifact's content. */
  readonly content_version?: string;
  /** Output contract that was checked. */
  readonly contract_name?: string;
  /** Whether the turn needs the contract to succeed. */
  readonly required?: boolean;
  /** Most characters that the contract allows. */
  readonly output_limit?: number;
  /** Whether the output has the opening marker of the contract. */
  readonly opening_marker_found?: boolean;
  /** Whether the output has the closing marker of the contract. */
  readonly closing_marker_found?: boolean;
  /** Result of parsing the output. */
  readonly parser_status?: string;
  /** Whether the parser had to repair the output. */
  readonly recovery_used?: boolean;
  /** Whether the contract works without markers. */
  readonly unmarked?: boolean;
  /** Names of the things that the parser counted. */
  readonly item_names?: readonly string[];
  /** Count of each thing that the parser counted. */
  readonly item_values?: readonly number[];
  /** Finish reason of the output that was checked. */
  readonly contract_finish_reason?: string;
  /** Characters of the output that was checked. */
  readonly output_chars?: number;
  /** Where the result was handed over. */
  readonly delivery_target?: string;
  /** Whether the host sent the result. */
  readonly emitted?: boolean;
  /** Whether the recipient confirmed the result; absent while unknown. */
  readonly acknowledged?: boolean;
  /** Whether the action changes something outside the turn. */
  readonly side_effect?: boolean;
  /** Why a fallback was used. */
  readonly fallback_reason?: string;
  /** What the host decided about the charge for the work. */
  readonly credit_decision?: string;
  /** Error code of the host's own system. */
  readonly error_code?: string;
  /** Job that the action belongs to. */
  readonly job_ref?: string;
  /** State that the job moved to. */
  readonly queue_status?: string;
  /** Whether work arrived without the trace context it was expected to carry. */
  readonly context_missing?: boolean;
  /** Whether the host checked that the resources belong to the user. */
  readonly ownership_verified?: boolean;
  /** Version of the instrumentation that recorded the span. */
  readonly instrumentation_version?: string;
  /** Request that the context was bound for. */
  readonly provenance_request_id?: string;
  /** Type of the page that the client reports as shown. */
  readonly client_page_type?: string;
  /** Id of the page that the client reports as shown. */
  readonly client_page_id?: string;
  /** Type of the page on the server. */
  readonly canonical_page_type?: string;
  /** Id of the page on the server. */
  readonly canonical_page_id?: string;
  /** Whether the thread is the one that belongs to the page. */
  readonly thread_binding_status?: string;
  /** Thread that belongs to the page. */
  readonly expected_thread_id?: string;
  /** Whether the context rests on sources. */
  readonly grounding_status?: string;
  /** Kind of source that the context rests on. */
  readonly grounding_source?: string;
  /** Ids of the sources that the context rests on. */
  readonly grounding_source_ids?: readonly string[];
  /** Excerpts that were put before the model. */
  readonly grounding_excerpt_count?: number;
  /** Keyed fingerprint of content; the content itself is never recorded. */
  readonly content_fingerprint?: string;
  /** Fields of the context that were refused. */
  readonly dropped_field_count?: number;
  /** Keyed fingerprint of the context as the client sent it. */
  readonly request_context_fingerprint?: string;
  /** Rating that a person gave; higher is better. */
  readonly rating?: number;
  /** Label that a person chose. */
  readonly label?: string;
  /** Fingerprint of a comment; the comment itself is never recorded. */
  readonly comment_hash?: string;
  /**
   * Whether an application or an operator observed the judgement; a model's own claim is not
   * verified.
   */
  readonly verified?: boolean;
  /** Result of the task, as the host found it later. */
  readonly outcome?: string;
  /** System or person that reported the outcome. */
  readonly source?: string;
  /** Evaluation that judged the work. */
  readonly evaluation_name?: string;
  /** Score that the evaluation gave. */
  readonly score?: number;
  /** Label that the evaluation gave. */
  readonly score_label?: string;
  /** Names of the metrics of an outcome. */
  readonly metric_names?: readonly string[];
  /** Number of each metric of an outcome. */
  readonly metric_values?: readonly number[];
  /** Label of each metric that is no number. */
  readonly metric_texts?: readonly string[];
  /** Step in the life of something learnt. */
  readonly learning_event?: string;
  /** Thing that may be learnt. */
  readonly candidate_ref?: string;
  /** State that the thing learnt moved to. */
  readonly lifecycle_state?: string;
  /** Instance of the service that reports about itself. */
  readonly service_instance_id?: string;
  /** What a report on the telemetry itself is about. */
  readonly quality_code?: string;
  /** Events that the producer has made since its start. */
  readonly loss_created?: number;
  /** Events that the producer has handed over. */
  readonly loss_exported?: number;
  /** Events that wait on the producer's disk. */
  readonly loss_spooled?: number;
  /** Events that the producer dropped. */
  readonly loss_dropped?: number;
  /** Why the producer gave events up. */
  readonly loss_reasons?: readonly string[];
  /** Dropped events for each reason. */
  readonly loss_reason_counts?: readonly number[];
  /** Spans that a sampler left out. */
  readonly sampled_out?: number;
  /** Writes that failed at the store. */
  readonly write_failures?: number;
  /** Milliseconds before the report within which the producer recorded all of its events. */
  readonly loss_covers_ms?: number;
  /** Position of the last event that the producer has made. */
  readonly last_seq?: number;
  /** Spans that the producer has started and not ended. */
  readonly open_spans?: number;
  /** Temperature of the request. */
  readonly temperature?: number;
  /** Nucleus sampling threshold of the request. */
  readonly top_p?: number;
  /** Most candidates for each token that the request allows. */
  readonly top_k?: number;
  /** Frequency penalty of the request. */
  readonly frequency_penalty?: number;
  /** Presence penalty of the request. */
  readonly presence_penalty?: number;
  /** Seed of the request; equal seeds request equal answers. */
  readonly seed?: number;
  /** Number of choices in the request. */
  readonly choice_count?: number;
  /** Whether the request is for a stream. */
  readonly streamed?: boolean;
  /** Level of reasoning in the request. */
  readonly reasoning_level?: string;
  /** Response that the request continues. */
  readonly previous_response_id?: string;
  /** Status that the provider gave the response. */
  readonly response_status?: string;
  /** Kind of output in the request. */
  readonly output_type?: string;
  /** Encodings of embeddings that the request accepts. */
  readonly encoding_formats?: readonly string[];
  /** Dimensions of the embeddings. */
  readonly embedding_dimensions?: number;
  /** Whether the conversation was shortened before the request. */
  readonly compacted?: boolean;
  /** Input tokens that are text. */
  readonly text_input_tokens?: number;
  /** Input tokens that are images. */
  readonly image_input_tokens?: number;
  /** Input tokens that are audio. */
  readonly audio_input_tokens?: number;
  /** Input tokens that are video. */
  readonly video_input_tokens?: number;
  /** Output tokens that are text. */
  readonly text_output_tokens?: number;
  /** Output tokens that are images. */
  readonly image_output_tokens?: number;
  /** Output tokens that are audio. */
  readonly audio_output_tokens?: number;
  /** Text tokens that were read from the prompt cache. */
  readonly text_cached_tokens?: number;
  /** Image tokens that were read from the prompt cache. */
  readonly image_cached_tokens?: number;
  /** Audio tokens that were read from the prompt cache. */
  readonly audio_cached_tokens?: number;
  /** Service tier that OpenAI used. */
  readonly service_tier?: string;
  /** Service tier in the request to OpenAI. */
  readonly requested_service_tier?: string;
  /** Version of the backend that OpenAI reports. */
  readonly system_fingerprint?: string;
  /** API of OpenAI that was called. */
  readonly api_type?: string;
  /** Version of the agent. */
  readonly agent_version?: string;
  /** Agent that began the work in which this agent takes part. */
  readonly main_agent_id?: string;
  /** Display name of the agent that began the work. */
  readonly main_agent_name?: string;
  /** Name of the workflow that the span belongs to. */
  readonly workflow_name?: string;
  /** Name of the prompt template; its text is never recorded. */
  readonly prompt_name?: string;
  /** Version of the prompt template. */
  readonly prompt_version?: string;
  /** Name of the skill that the agent used. */
  readonly skill_name?: string;
  /** Most results that a retrieval requests. */
  readonly retrieval_top_k?: number;
  /** Environment in which the service runs. */
  readonly deployment_environment?: string;
  /** Method of the Model Context Protocol. */
  readonly mcp_method?: string;
  /** Session of the Model Context Protocol. */
  readonly mcp_session_id?: string;
  /** Version of the Model Context Protocol. */
  readonly mcp_protocol_version?: string;
  /** Id of the JSON-RPC request. */
  readonly jsonrpc_request_id?: string;
  /** Method of the Agent2Agent protocol. */
  readonly a2a_method?: string;
  /** Version of the Agent2Agent protocol. */
  readonly a2a_protocol_version?: string;
  /** Task of the Agent2Agent protocol. */
  readonly a2a_task_id?: string;
  /** State of the Agent2Agent task. */
  readonly a2a_task_state?: string;
  /** Message of the Agent2Agent protocol. */
  readonly a2a_message_id?: string;
  /** Method of the HTTP request. */
  readonly http_method?: string;
  /** Template of the HTTP route, with places for values. */
  readonly http_route?: string;
  /** Status code of the HTTP response. */
  readonly http_status?: number;
  /** Database system that was called. */
  readonly db_system?: string;
  /** Database operation that was performed. */
  readonly db_operation?: string;
  /** Table or collection that was read or written. */
  readonly db_collection?: string;
  /** Messaging system that was used. */
  readonly messaging_system?: string;
  /** Queue or topic that was used. */
  readonly messaging_destination?: string;
  /** Whether the span sends, receives or processes messages. */
  readonly messaging_operation?: string;
  /** RPC system that was used. */
  readonly rpc_system?: string;
  /** Service that the RPC called. */
  readonly rpc_service?: string;
  /** Method that the RPC called. */
  readonly rpc_method?: string;
  /** Status code of the RPC. */
  readonly rpc_status?: string;
}
