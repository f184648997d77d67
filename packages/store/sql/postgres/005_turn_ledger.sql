-- The ledger: one row for each turn, the newest version of its key. A turn that was taken away keeps
-- its key and version, so that nothing older comes back. Columns are the fields of the ledger; an
-- unknown value is NULL, times are microseconds since the epoch. `record` is the whole row as JSON
-- text, whose form escapes what a text column cannot hold.
CREATE TABLE IF NOT EXISTS turn_ledger
(
    key text COLLATE "C" PRIMARY KEY,
    version bigint NOT NULL,
    gone boolean NOT NULL,
    has_error boolean,
    application_id text COLLATE "C",
    agent_id text COLLATE "C",
    tenant text COLLATE "C",
    memory_id text COLLATE "C",
    thread_id text COLLATE "C",
    run_id text COLLATE "C",
    turn_id text COLLATE "C",
    root_trace_id text COLLATE "C",
    status text COLLATE "C",
    verdict text COLLATE "C",
    cache_decision text COLLATE "C",
    timing_state text COLLATE "C",
    usage_state text COLLATE "C",
    duration_class text COLLATE "C",
    code_list text[] COLLATE "C",
    tool_name_list text[] COLLATE "C",
    model_list text[] COLLATE "C",
    release_list text[] COLLATE "C",
    service_list text[] COLLATE "C",
    producer_list text[] COLLATE "C",
    dialect_list text[] COLLATE "C",
    event_kind_list text[] COLLATE "C",
    coverage_profile_list text[] COLLATE "C",
    dropped_list text[] COLLATE "C",
    environment_list text[] COLLATE "C",
    application_list text[] COLLATE "C",
    name_list text[] COLLATE "C",
    flag_list text[] COLLATE "C",
    duration_ms double precision,
    input_tokens double precision,
    output_tokens double precision,
    cached_tokens double precision,
    total_tokens double precision,
    event_count double precision,
    tool_results double precision,
    tool_limited double precision,
    tool_failed double precision,
    memory_supplied double precision,
    missing_completion double precision,
    started_at bigint,
    ended_at bigint,
    first_received bigint,
    received_at bigint,
    calls jsonb,
    record text,
    CHECK (gone OR (record IS NOT NULL AND first_received IS NOT NULL AND tenant IS NOT NULL))
);
CREATE INDEX IF NOT EXISTS turn_ledger_received ON turn_ledger (first_received DESC NULLS LAST, key DESC)
    WHERE NOT gone;
CREATE INDEX IF NOT EXISTS turn_ledger_ended ON turn_ledger (ended_at DESC NULLS LAST, key DESC)
    WHERE NOT gone;
CREATE INDEX IF NOT EXISTS turn_ledger_tenant ON turn_ledger (tenant, ended_at DESC NULLS LAST, key DESC)
    WHERE NOT gone;
CREATE INDEX IF NOT EXISTS turn_ledger_thread ON turn_ledger (thread_id) WHERE NOT gone;
CREATE INDEX IF NOT EXISTS turn_ledger_root ON turn_ledger (root_trace_id) WHERE NOT gone;
CREATE INDEX IF NOT EXISTS turn_ledger_names ON turn_ledger USING gin (name_list) WHERE NOT gone;
