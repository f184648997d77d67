-- All tables as the migrations leave them, with which an empty database begins.
-- Written by the test of fresh tables (CONTRIBUTING.md); do not edit.
CREATE TABLE IF NOT EXISTS bundles
(
    `received_at` DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    `first_received` DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    `root` UInt32 CODEC(ZSTD(1)),
    `root_trace_id` String CODEC(ZSTD(1)),
    `evidence` Bool CODEC(ZSTD(1)),
    `events` UInt16 CODEC(ZSTD(1)),
    `batch` UInt64 CODEC(ZSTD(1)),
    `batch_events` UInt32 CODEC(ZSTD(1)),
    `body` String CODEC(ZSTD(1)),
    `hashes` Array(UInt32) EPHEMERAL [],
    `ids` Array(FixedString(4)) DEFAULT arrayMap(x -> reinterpretAsFixedString(x), hashes) CODEC(ZSTD(1)),
    `own_from` Int64 DEFAULT -9007199254740991 CODEC(Delta(8), ZSTD(1)),
    `own_to` Int64 DEFAULT 9007199254740991 CODEC(Delta(8), ZSTD(1)),
    INDEX named ids TYPE text(tokenizer = 'array') GRANULARITY 100000000,
    INDEX by_own_from own_from TYPE minmax GRANULARITY 4,
    INDEX by_own_to own_to TYPE minmax GRANULARITY 4
)
ENGINE = MergeTree
PARTITION BY toMonday(received_at)
ORDER BY (toDateTime(received_at), root)
SETTINGS index_granularity = 64, min_bytes_for_wide_part = '100G', min_rows_for_wide_part = 0, fsync_after_insert = 1, fsync_part_directory = 1, min_compressed_bytes_to_fsync_after_merge = 1, non_replicated_deduplication_window = 10000, old_parts_lifetime = 15, merge_selector_base = 10, min_parts_to_merge_at_once = 6;

CREATE TABLE IF NOT EXISTS collector_state
(
    `kind` LowCardinality(String),
    `name` String,
    `version` UInt64,
    `value` String CODEC(ZSTD(1)),
    `keep_until` DateTime('UTC')
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (kind, name)
TTL keep_until
SETTINGS index_granularity = 1024, old_parts_lifetime = 15, fsync_after_insert = 1, fsync_part_directory = 1, min_compressed_bytes_to_fsync_after_merge = 1;

CREATE TABLE IF NOT EXISTS copied_slices
(
    `slice` String
)
ENGINE = ReplacingMergeTree
ORDER BY slice
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192;

CREATE TABLE IF NOT EXISTS operator_rows
(
    `kind` LowCardinality(String),
    `tenant` String,
    `place` String,
    `id` String,
    `subject` String,
    `version` UInt64,
    `created_at` String,
    `value` String CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (kind, tenant, place, id)
SETTINGS index_granularity = 1024, old_parts_lifetime = 15, fsync_after_insert = 1, fsync_part_directory = 1, min_compressed_bytes_to_fsync_after_merge = 1;

CREATE TABLE IF NOT EXISTS root_epochs
(
    `root` UInt32,
    `epoch` UInt32
)
ENGINE = ReplacingMergeTree(epoch)
ORDER BY root
SETTINGS index_granularity = 1024, old_parts_lifetime = 15, fsync_after_insert = 1, fsync_part_directory = 1, min_compressed_bytes_to_fsync_after_merge = 1;

CREATE TABLE IF NOT EXISTS turn_ledger
(
    `key` String CODEC(ZSTD(1)),
    `version` UInt64 CODEC(ZSTD(1)),
    `gone` UInt8 CODEC(ZSTD(1)),
    `has_error` Bool CODEC(ZSTD(1)),
    `application_id` LowCardinality(String) CODEC(ZSTD(1)),
    `agent_id` LowCardinality(String) CODEC(ZSTD(1)),
    `tenant` String CODEC(ZSTD(1)),
    `memory_id` String CODEC(ZSTD(1)),
    `thread_id` String CODEC(ZSTD(1)),
    `run_id` String CODEC(ZSTD(1)),
    `turn_id` String CODEC(ZSTD(1)),
    `root_trace_id` String CODEC(ZSTD(1)),
    `status` LowCardinality(String) CODEC(ZSTD(1)),
    `verdict` LowCardinality(String) CODEC(ZSTD(1)),
    `cache_decision` LowCardinality(String) CODEC(ZSTD(1)),
    `timing_state` LowCardinality(String) CODEC(ZSTD(1)),
    `usage_state` LowCardinality(String) CODEC(ZSTD(1)),
    `duration_class` LowCardinality(String) CODEC(ZSTD(1)),
    `code_list` Array(LowCardinality(String)) CODEC(ZSTD(1)),
    `tool_name_list` Array(LowCardinality(String)) CODEC(ZSTD(1)),
    `model_list` Array(LowCardinality(String)) CODEC(ZSTD(1)),
    `release_list` Array(LowCardinality(String)) CODEC(ZSTD(1)),
    `service_list` Array(LowCardinality(String)) CODEC(ZSTD(1)),
    `producer_list` Array(LowCardinality(String)) CODEC(ZSTD(1)),
    `dialect_list` Array(LowCardinality(String)) CODEC(ZSTD(1)),
    `event_kind_list` Array(LowCardinality(String)) CODEC(ZSTD(1)),
    `coverage_profile_list` Array(LowCardinality(String)) CODEC(ZSTD(1)),
    `dropped_list` Array(LowCardinality(String)) CODEC(ZSTD(1)),
    `environment_list` Array(LowCardinality(String)) CODEC(ZSTD(1)),
    `application_list` Array(LowCardinality(String)) CODEC(ZSTD(1)),
    `name_list` Array(String) CODEC(ZSTD(1)),
    `flag_list` Array(LowCardinality(String)) CODEC(ZSTD(1)),
    `duration_ms` Nullable(Float64) CODEC(ZSTD(1)),
    `input_tokens` Nullable(Float64) CODEC(ZSTD(1)),
    `output_tokens` Nullable(Float64) CODEC(ZSTD(1)),
    `cached_tokens` Nullable(Float64) CODEC(ZSTD(1)),
    `total_tokens` Nullable(Float64) CODEC(ZSTD(1)),
    `event_count` Nullable(Float64) CODEC(ZSTD(1)),
    `tool_results` Nullable(Float64) CODEC(ZSTD(1)),
    `tool_limited` Nullable(Float64) CODEC(ZSTD(1)),
    `tool_failed` Nullable(Float64) CODEC(ZSTD(1)),
    `memory_supplied` Nullable(Float64) CODEC(ZSTD(1)),
    `missing_completion` Nullable(Float64) CODEC(ZSTD(1)),
    `started_at` DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    `ended_at` DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    `first_received` DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    `received_at` Nullable(DateTime64(6, 'UTC')) CODEC(Delta(8), ZSTD(1)),
    `call_kind` Array(LowCardinality(String)) CODEC(ZSTD(1)),
    `call_name` Array(LowCardinality(String)) CODEC(ZSTD(1)),
    `call_provider` Array(LowCardinality(String)) CODEC(ZSTD(1)),
    `call_outcome` Array(LowCardinality(String)) CODEC(ZSTD(1)),
    `call_error_type` Array(LowCardinality(String)) CODEC(ZSTD(1)),
    `call_duration_ms` Array(Nullable(Float64)) CODEC(ZSTD(1)),
    `call_input_tokens` Array(Nullable(Float64)) CODEC(ZSTD(1)),
    `call_output_tokens` Array(Nullable(Float64)) CODEC(ZSTD(1)),
    `call_cached_tokens` Array(Nullable(Float64)) CODEC(ZSTD(1)),
    `record` String CODEC(ZSTD(1)),
    `code_set` LowCardinality(String) MATERIALIZED toJSONString(code_list) CODEC(ZSTD(1)),
    `tool_name_set` LowCardinality(String) MATERIALIZED toJSONString(tool_name_list) CODEC(ZSTD(1)),
    `model_set` LowCardinality(String) MATERIALIZED toJSONString(model_list) CODEC(ZSTD(1)),
    `release_set` LowCardinality(String) MATERIALIZED toJSONString(release_list) CODEC(ZSTD(1)),
    `service_set` LowCardinality(String) MATERIALIZED toJSONString(service_list) CODEC(ZSTD(1)),
    `producer_set` LowCardinality(String) MATERIALIZED toJSONString(producer_list) CODEC(ZSTD(1)),
    `dialect_set` LowCardinality(String) MATERIALIZED toJSONString(dialect_list) CODEC(ZSTD(1)),
    `event_kind_set` LowCardinality(String) MATERIALIZED toJSONString(event_kind_list) CODEC(ZSTD(1)),
    `coverage_profile_set` LowCardinality(String) MATERIALIZED toJSONString(coverage_profile_list) CODEC(ZSTD(1)),
    `dropped_set` LowCardinality(String) MATERIALIZED toJSONString(dropped_list) CODEC(ZSTD(1)),
    `environment_set` LowCardinality(String) MATERIALIZED toJSONString(environment_list) CODEC(ZSTD(1)),
    `application_set` LowCardinality(String) MATERIALIZED toJSONString(application_list) CODEC(ZSTD(1)),
    `name_set` String ALIAS toJSONString(name_list),
    `flag_set` LowCardinality(String) MATERIALIZED toJSONString(flag_list) CODEC(ZSTD(1)),
    `call_cache_write_tokens` Array(Nullable(Float64)) DEFAULT arrayMap(one -> CAST(NULL, 'Nullable(Float64)'), call_kind) CODEC(ZSTD(1)),
    `call_reasoning_tokens` Array(Nullable(Float64)) DEFAULT arrayMap(one -> CAST(NULL, 'Nullable(Float64)'), call_kind) CODEC(ZSTD(1)),
    `call_service_tier` Array(LowCardinality(String)) DEFAULT arrayMap(one -> CAST('', 'LowCardinality(String)'), call_kind) CODEC(ZSTD(1)),
    `own_time` DateTime64(6, 'UTC') ALIAS least(ended_at, ifNull(received_at, ended_at)),
    `contract_list` Array(String) ALIAS arrayMap(one -> substring(one, 10), arrayFilter(one -> (startsWith(one, 'contract:') AND (position(one, '@') = 0)), name_list)),
    `contract_set` LowCardinality(String) MATERIALIZED toJSONString(arrayMap(one -> substring(one, 10), arrayFilter(one -> (startsWith(one, 'contract:') AND (position(one, '@') = 0)), name_list))) CODEC(ZSTD(1)),
    `reason_list` Array(LowCardinality(String)) CODEC(ZSTD(1)),
    `reason_set` LowCardinality(String) MATERIALIZED toJSONString(reason_list) CODEC(ZSTD(1)),
    INDEX by_tenant tenant TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX by_thread_id thread_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX by_root_trace_id root_trace_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX by_started_at started_at TYPE minmax GRANULARITY 1,
    INDEX by_ended_at ended_at TYPE minmax GRANULARITY 1,
    INDEX by_own_time least(ended_at, ifNull(received_at, ended_at)) TYPE minmax GRANULARITY 1,
    INDEX by_received_at received_at TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, gone)
PARTITION BY toMonday(first_received)
ORDER BY (first_received, key)
SETTINGS index_granularity = 512, min_bytes_for_wide_part = '10M', old_parts_lifetime = 15, fsync_after_insert = 1, fsync_part_directory = 1, min_compressed_bytes_to_fsync_after_merge = 1, merge_selector_base = 10, min_parts_to_merge_at_once = 6, min_age_to_force_merge_seconds = 21600, min_age_to_force_merge_on_partition_only = 1;
