/**
 * @module Codes: every content-free code once, with its sentence for people, its HTTP status and
 * whether the same input may pass later. requirements: Errors; vocabulary: Carrier; evidence:
 * Reconcile; collector: Answer.
 */
export interface CodeRow {
  readonly sentence: string;
  readonly status?: number;
  readonly retryable?: boolean;
}

/** Every code with its sentence, status and retryability. */
export const codes = {
  // Carriers and identity (vocabulary: Identity; vocabulary: Carrier)
  carrier_missing: { sentence: "A worker needs the carrier of its turn.", status: 400 },
  carrier_not_a_map: { sentence: "A carrier is a map of text to text.", status: 400 },
  carrier_unknown_field: {
    sentence: "A carrier holds only traceparent, tracestate and baggage, and only our members.",
    status: 400,
  },
  carrier_incomplete: {
    sentence:
      "A carrier needs traceparent and the agent, thread, run and turn members of its baggage.",
    status: 400,
  },
  carrier_invalid_value: {
    sentence: "A carrier field is not text of the expected form.",
    status: 400,
  },
  carrier_invalid_traceparent: {
    sentence: "The traceparent is not a valid version 00 value.",
    status: 400,
  },
  carrier_duplicate_member: { sentence: "A baggage member occurs twice.", status: 400 },
  carrier_too_large: { sentence: "A carrier holds at most 8,192 bytes.", status: 400 },
  carrier_scope_mismatch: {
    sentence: "The carrier belongs to another tenant, agent or thread than the job.",
    status: 403,
  },
  identity_not_opaque: {
    sentence:
      "An identity is an opaque id: no e-mail address, URL or secret; a telephone number or an IP address only of a user. register({ keyed: [field] }) keys such ids.",
    status: 400,
  },
  identity_missing: {
    sentence: "This operation needs an identity that is not there.",
    status: 400,
  },
  identity_empty: {
    sentence: "An empty string is no identity; leave it out or pass null for anonymous.",
    status: 400,
  },
  legal_hold: { sentence: "A legal hold is set, so nothing is deleted.", status: 409 },

  // Mapping (vocabulary: Envelopes; vocabulary: From a span to an event)
  time_clamped: { sentence: "A time was absent, inverted or out of range and was clamped." },

  // The guard (vocabulary: Attributes)
  name_keyed: {
    sentence:
      "A name that may be content was replaced by its keyed fingerprint; TURNPROOF_KNOWN_NAMES lists names to read.",
  },
  attribute_unknown: { sentence: "The attribute is not in the registry.", status: 400 },
  attribute_kind: { sentence: "This kind of event does not carry the attribute.", status: 400 },
  attribute_type: { sentence: "The attribute has the wrong type.", status: 400 },
  attribute_nested: { sentence: "Attributes are scalars and flat lists.", status: 400 },
  attribute_nonfinite: { sentence: "Numbers must be finite and in range.", status: 400 },
  attribute_too_long: {
    sentence: "The value is longer than its cap; an id has at most 240 characters.",
    status: 400,
  },
  attribute_list_too_long: { sentence: "A list holds at most 32 entries.", status: 400 },
  attribute_limit: { sentence: "An event holds at most 64 attributes.", status: 400 },
  attribute_value: { sentence: "The value is not one of the closed values.", status: 400 },
  attribute_shape: {
    sentence: "The value does not have the shape of this attribute.",
    status: 400,
  },
  attribute_credential: { sentence: "The value looks like a credential.", status: 400 },
  attribute_email: { sentence: "The value looks like an e-mail address.", status: 400 },
  attribute_url: { sentence: "The value looks like a URL.", status: 400 },
  attribute_ip: { sentence: "The value looks like an IP address.", status: 400 },
  attribute_card: {
    sentence: "The value looks like a payment card or account number.",
    status: 400,
  },
  attribute_personal: {
    sentence: "The value looks like a telephone or social security number.",
    status: 400,
  },
  operation_name_invalid: {
    sentence:
      "An operation name is a lower-case word of letters, digits, dot, dash and underscore.",
    status: 400,
  },

  // Normalization findings (evidence: Normalize)
  invalid_source_row: { sentence: "A stored row is not a record." },
  invalid_bundle: { sentence: "A stored bundle could not be read." },
  empty_bundle: { sentence: "A stored bundle holds no event." },
  bundle_count_mismatch: { sentence: "A bundle's event count differs from its events." },
  invalid_event: { sentence: "An event could not be read." },
  child_identity_mismatch: { sentence: "A child names another identity than its envelope." },
  invalid_event_id: { sentence: "An event id is not a usable string." },
  unsupported_schema: { sentence: "The schema version is not one this build reads." },
  invalid_task_id: { sentence: "A task id is not a usable string." },
  invalid_source_ids: { sentence: "Source ids are not a list of strings." },
  invalid_metadata: { sentence: "An attribute was refused." },
  provider_query_failed: { sentence: "A store did not answer.", status: 503, retryable: true },

  // Diagnostics (evidence: Diagnostics)
  artifact_missing: { sentence: "An intent expects an artifact of a type and none is valid." },
  artifact_persistence_unverified: {
    sentence: "The latest artifact was not verified as persisted, or failed.",
  },
  artifact_ownership_unverified: {
    sentence: "An artifact or one of its sources failed its ownership check.",
  },
  artifact_provenance_invalid: {
    sentence: "An artifact names no source, or a source without provenance.",
  },
  artifact_source_missing: {
    sentence: "An authoritative source of the intent is not among the sources.",
  },
  artifact_source_mismatch: {
    sentence: "An authoritative source has another reference or version.",
  },
  artifact_producer_missing: { sentence: "No span has the id that produced the artifact." },
  artifact_producer_incomplete: { sentence: "The span that produced the artifact has no result." },
  artifact_producer_failed: { sentence: "The span that produced the artifact did not succeed." },
  contract_missing: { sentence: "A required contract has no record." },
  contract_parse_failed: { sentence: "The latest record of a contract could not be parsed." },
  contract_incomplete: { sentence: "A marker is missing, or the parser read only a part." },
  contract_truncated: { sentence: "The output ended at its limit." },
  contract_not_emitted: {
    sentence: "No emitted delivery follows the latest record of a contract.",
  },
  contract_recovered: { sentence: "The latest record of a contract needed recovery." },
  delivery_unconfirmed: { sentence: "A delivery was emitted and not acknowledged." },
  credit_before_persistence: {
    sentence: "Credit was charged before the artifact was verified as persisted.",
  },
  orphan_action: { sentence: "An action with a side effect belongs to no intent." },
  clock_conflict: {
    sentence: "Clocks and order of receipt contradict each other where it decides.",
  },
  ownership_unverified: { sentence: "An ownership check in the judged scope failed." },
  provenance_missing: { sentence: "Provenance in the judged scope is missing or failed." },
  outcome_failed: { sentence: "The latest verified outcome of a source is a failure." },
  outcome_partial: { sentence: "The latest verified outcome of a source is partial or pending." },
  turn_failed: { sentence: "The turn itself ended in error." },
  turn_cancelled: { sentence: "The turn was cancelled." },
  turn_open: { sentence: "The turn, or what produces its artifact, has not ended yet." },
  turn_unfinished: {
    sentence:
      "The turn, or what produces its artifact, has no end, and its process stopped reporting.",
  },
  order_not_established: {
    sentence: "Two producers contradict each other, and nothing shows which came last.",
  },
  clock_ahead: { sentence: "A producer's clock is ahead of the receipt of its events." },
  untrusted_contradiction: {
    sentence: "Evidence of an untrusted producer would change the verdict.",
  },
  missing_completion: { sentence: "A start has no result." },

  // Stores
  store_unavailable: { sentence: "The store cannot be reached.", status: 503, retryable: true },
  store_busy: { sentence: "The store is overloaded.", status: 503, retryable: true },
  preview_timeout: {
    sentence: "The past of this rule was not read in time. Choose a shorter range.",
    status: 503,
    retryable: true,
  },
  store_timeout: { sentence: "The store did not answer in time.", status: 503, retryable: true },
  disk_full: {
    sentence: "The disk is full. New data is refused until there is space.",
    status: 503,
    retryable: true,
  },
  store_rejected_row: {
    sentence: "The store refuses this row and will refuse it again.",
    status: 500,
  },
  store_refused_statement: {
    sentence: "The store refuses a statement: its version lacks what this version needs.",
    status: 500,
  },
  store_unverified: {
    sentence: "The store confirmed the write, but the rows could not be read back.",
    status: 503,
    retryable: true,
  },
  store_conflict: { sentence: "The record changed meanwhile.", status: 409, retryable: true },
  written_limit: {
    sentence: "Limit: 100 notes per turn, 100 shared views per tenant.",
    status: 409,
  },
  name_taken: { sentence: "Another shared view has this name.", status: 409 },
  store_corrupt: {
    sentence: "Stored data is damaged; Health and turnproof doctor name it, and what helps.",
    status: 500,
  },
  store_locked: { sentence: "Another process uses this data directory.", status: 503 },
  store_closed: { sentence: "The store was closed.", status: 503 },
  store_read_only: { sentence: "Read-only mode refuses this change.", status: 403 },
  store_version_newer: { sentence: "The data was written by a newer version.", status: 500 },
  evidence_pending: {
    sentence: "Evidence that was received is not readable yet; try again.",
    status: 503,
    retryable: true,
  },
  migration_pending: {
    sentence: "Evidence of an earlier version is not copied yet; run turnproof migrate --apply.",
    status: 409,
  },
  migration_differs: {
    sentence: "Events of an earlier version are not in the copy; nothing was dropped.",
    status: 409,
  },
  capability_missing: { sentence: "This store cannot serve that query.", status: 400 },
  model_unsupported: {
    sentence: "The value is not a language model of AI SDK 5, 6 or 7 (specification v2, v3 or v4).",
    status: 400,
  },
  vector_index_unscoped: {
    sentence: "The vector index lacks the user_id filter field; an exact bounded search is used.",
  },
  vector_index_building: {
    sentence: "The vector index is being built; an exact bounded search is used until it is ready.",
  },
  vector_index_stale: {
    sentence: "The vector index no longer follows its collection; an exact bounded search is used.",
  },
  vector_index_failed: {
    sentence: "The vector index failed or refused a search; an exact bounded search is used.",
  },
  vector_index_dimensions: {
    sentence: "No vector index is of the query's dimensions; an exact bounded search is used.",
  },
  vector_index_missing: {
    sentence: "No vector index serves this search, and the exact search reached its limit.",
  },
  memory_rows_unowned: {
    sentence: "Stored rows have a user id that is not a string; no answer contains them.",
  },
  memory_rows_legacy: {
    sentence: "Rows of an earlier version wait for `turnproof migrate --apply` to adopt them.",
  },
  memory_search_bounded: {
    sentence: "A search of memory met its exact bound; better rows may exist.",
  },
  embedder_failed: { sentence: "The embedder failed; words were compared instead." },
  embedding_model_other: { sentence: "Rows that another embedder made were found and left out." },
  bundle_invalid: {
    sentence: "A stored bundle does not have the form of its version.",
    status: 500,
  },
  record_invalid: { sentence: "The record does not have the form of its type.", status: 400 },

  // Journal
  journal_full: {
    sentence: "The journal reached its bound; try again later.",
    status: 503,
    retryable: true,
  },
  journal_failed: {
    sentence: "The journal could not make the data durable.",
    status: 503,
    retryable: true,
  },
  journal_locked: { sentence: "Another process uses this journal.", status: 503 },
  journal_owner_silent: {
    sentence: "Whether the lock's owner runs is unknown; waiting ten seconds for its heartbeat.",
  },
  journal_corrupt: { sentence: "Damaged journal bytes were set aside." },
  journal_torn: { sentence: "An unfinished write at the end of the journal was cut off." },
  journal_duplicate: { sentence: "A frame of the journal exists twice and is used once." },
  journal_segment_missing: { sentence: "A journal file is missing." },
  journal_healed: { sentence: "The journal can be written again." },
  journal_quarantined: { sentence: "Rows that the store refuses were set aside for a replay." },

  // Recorder and exporter
  write_failed: { sentence: "Evidence could not be written.", status: 500, retryable: true },
  export_failed: { sentence: "Spans could not be exported.", retryable: true },
  export_refused: { sentence: "The receiver refuses this span, and will refuse it again." },
  export_timeout: { sentence: "An export had no answer in time.", retryable: true },
  shutdown_deadline: { sentence: "The process ended before everything was exported." },
  driver_missing: { sentence: "A package that this store needs is not installed." },
  sdk_missing: { sentence: "No OpenTelemetry SDK or OTLP exporter is installed." },
  span_name_replaced: { sentence: "A span's name was replaced by the name of its kind." },
  span_status_message_dropped: { sentence: "A status message is content and was left out." },
  event_empty: { sentence: "A span event has no content of the registry and was left out." },
  span_event_dropped: { sentence: "A span event is content and was left out." },
  span_link_attribute_dropped: { sentence: "An attribute of a link was left out." },
  span_scope_dropped: { sentence: "The name of an unknown scope was left out." },
  queue_full: { sentence: "The export queue is full; spans were dropped and counted." },
  api_version_mismatch: {
    sentence:
      "A provider is registered but our spans do not record: two versions of @opentelemetry/api.",
  },
  provider_registered: {
    sentence: "A tracer provider is registered already: give it register's processor.",
  },
  content_source_missing: { sentence: "An artifact needs at least one source." },
  trace_context_missing: { sentence: "A worker continued without its carrier." },
  identity_refused: {
    sentence: "An identity was refused; the turn continues without it, or under an id of its own.",
  },
  context_manager_missing: {
    sentence: "No OpenTelemetry context manager is registered: spans have no parents.",
  },
  loss_report: { sentence: "A producer reports its sent and lost events." },
  producer_heartbeat: {
    sentence: "A producer is alive and holds evidence spans that have not ended.",
  },

  // Receiving OTLP (collector: Receive; OTLP's own rules for permanent and retryable)
  otlp_malformed: { sentence: "The body is not a valid OTLP message.", status: 400 },
  otlp_compression_invalid: { sentence: "The compressed body is damaged.", status: 400 },
  otlp_inflate_limit: { sentence: "The body grows too large when decompressed.", status: 413 },
  span_malformed: { sentence: "A span, or its resource or scope, is malformed." },
  span_id_invalid: { sentence: "A trace or span id is missing or invalid.", status: 400 },
  span_text_invalid: { sentence: "An allowlisted text is not valid UTF-8.", status: 400 },
  span_time_invalid: { sentence: "A time is not a count of nanoseconds.", status: 400 },
  span_application_foreign: {
    sentence: "This token may not write for another application.",
    status: 403,
  },
  span_unmapped: { sentence: "A span could not be turned into an event.", status: 400 },
  metrics_not_accepted: { sentence: "Metric points are not evidence and are not kept." },
  log_not_evidence: {
    sentence:
      "Of log records only evaluation results, details of model calls, and turns of Claude Code and Codex are kept.",
  },

  // HTTP
  bad_request: { sentence: "The request could not be read.", status: 400 },
  parameter_unknown: { sentence: "This parameter does not exist here.", status: 400 },
  parameter_repeated: { sentence: "A parameter occurs more than once.", status: 400 },
  parameter_invalid: { sentence: "A parameter has an invalid value.", status: 400 },
  range_empty: { sentence: "A range of time must end after it starts.", status: 400 },
  sides_overlap: {
    sentence: "Every turn of the baseline is a turn of the candidate; name two sets of turns.",
    status: 400,
  },
  filter_not_applicable: { sentence: "This filter needs view=events.", status: 400 },
  cursor_rejected: { sentence: "This cursor cannot be used; start again without it.", status: 400 },
  body_invalid: { sentence: "The body does not have the expected form.", status: 422 },
  unauthenticated: { sentence: "Sign in, or send a Bearer token.", status: 401 },
  sign_in_state: {
    sentence: "This sign-in expired, or began in another browser; begin again.",
    status: 400,
  },
  sign_in_refused: { sentence: "The identity provider's answer is not valid.", status: 401 },
  sign_in_unassigned: { sentence: "The identity provider names no role or tenant.", status: 403 },
  sign_in_unavailable: {
    sentence: "The identity provider cannot be reached.",
    status: 503,
    retryable: true,
  },
  forbidden: { sentence: "Your role does not permit this.", status: 403 },
  scope_forbidden: { sentence: "This is outside your scope.", status: 403 },
  cross_origin: { sentence: "Cross-origin requests are refused.", status: 403 },
  plain_http_refused: { sentence: "Plain HTTP is for loopback and declared proxies.", status: 403 },
  host_refused: { sentence: "This Host is not served here.", status: 421 },
  listen_failed: { sentence: "The address cannot be listened on.", status: 500 },
  path_refused: { sentence: "The path is not in canonical form.", status: 400 },
  not_found: { sentence: "There is nothing here.", status: 404 },
  trace_not_found_in_window: {
    sentence: "No such trace in the bounded window that was read.",
    status: 404,
  },
  method_not_allowed: { sentence: "This method is not served here.", status: 405 },
  root_too_large: { sentence: "A root has more events than are read of one.", status: 422 },
  body_too_large: { sentence: "The body is larger than the limit.", status: 413 },
  media_type_unsupported: {
    sentence: "This media type or encoding is not supported.",
    status: 415,
  },
  session_ended: { sentence: "The session of this stream ended; sign in again.", status: 401 },
  streams_full: {
    sentence: "This account reached its limit of open streams; close one.",
    status: 429,
    retryable: true,
  },
  throttled: { sentence: "Too many attempts; wait.", status: 429, retryable: true },
  request_too_slow: { sentence: "The request came too slowly.", status: 408, retryable: true },
  overloaded: {
    sentence: "The collector is at its bound; try again later.",
    status: 503,
    retryable: true,
  },
  internal_error: { sentence: "Something failed; the request id is in the log.", status: 500 },
  not_configured: { sentence: "The hook or store for this is not configured.", status: 501 },
  ingest_off: { sentence: "Ingest is switched off.", status: 503 },
  audit_unavailable: {
    sentence:
      "The audit log cannot be written. Protected reads are refused; Health and /metrics respond.",
    status: 503,
    retryable: true,
  },
  content_hidden: { sentence: "The content mode of this collector shows no content.", status: 403 },
  replay_plan_refused: {
    sentence: "A replay plan needs a complete, trusted window of one tenant.",
    status: 409,
  },
  recommendation_closed: {
    sentence: "This revision was decided already; propose a new one.",
    status: 409,
  },
  config_invalid: { sentence: "The configuration has problems." },
  arguments_invalid: {
    sentence: "An argument or option of a command is missing, unknown or not valid.",
  },
  folder_not_empty: { sentence: "The folder holds files; nothing is written over them." },
  folder_locked: { sentence: "Another process fills this folder." },
  file_unreadable: { sentence: "A file or folder cannot be read." },
  file_unwritable: { sentence: "A file or folder cannot be written." },
  folder_missing: { sentence: "There is no such folder." },
  not_a_folder: { sentence: "A file is in place of the folder." },
  manifest_missing: {
    sentence: "The folder has no manifest: it is no backup, or one that was not finished.",
  },
  manifest_invalid: {
    sentence: "The manifest of the backup is damaged, or another version wrote it.",
  },
  backup_invalid: { sentence: "The backup is not whole: a file is missing, changed or unknown." },
  export_damaged: {
    sentence:
      "A file of the export is missing or changed, and the collector does not give it again as it was.",
  },
  data_directory_other: {
    sentence: "The data directory has no key of the collector that is read.",
  },
  key_unusable: { sentence: "A key file is missing, empty or damaged; none is made in its place." },
  contract_invalid: {
    sentence: "A turn contract has a field or a value that the language does not have.",
    status: 400,
  },
} as const;

codes satisfies { readonly [code: string]: CodeRow };

/** A content-free code. */
export type Code = keyof typeof codes;
