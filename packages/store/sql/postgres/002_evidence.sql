-- Evidence: v3 children as JSONB, insert-once, beside the identity of the row itself. What a
-- row inherits from its root is resolved at read, so these columns only lead to roots. Order of a
-- page: microseconds of receipt, nanoseconds of the event's own time, then the order of arrival.
CREATE TABLE IF NOT EXISTS evidence_batches
(
    batch_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch_id text COLLATE "C" NOT NULL,
    event_count bigint NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS evidence_batches_id ON evidence_batches (md5(batch_id));

CREATE TABLE IF NOT EXISTS evidence_events
(
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch_no bigint NOT NULL REFERENCES evidence_batches (batch_no),
    received_us bigint NOT NULL,
    event_ns bigint NOT NULL,
    root_trace_id text COLLATE "C" NOT NULL,
    application_id text COLLATE "C",
    agent_id text COLLATE "C",
    -- Three states: a user; anonymous (recorded as NULL); unattributed (not recorded).
    tenant_said boolean NOT NULL,
    user_id text COLLATE "C",
    memory_id text COLLATE "C",
    thread_id text COLLATE "C",
    run_id text COLLATE "C",
    turn_id text COLLATE "C",
    task_id text COLLATE "C",
    span_id text COLLATE "C",
    event_kind text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL,
    tool_name text COLLATE "C",
    source_store text COLLATE "C" NOT NULL,
    -- Every opaque id that the row names, for the incident finder.
    mentions text[] COLLATE "C" NOT NULL,
    event jsonb NOT NULL,
    CHECK (tenant_said OR user_id IS NULL)
);
CREATE INDEX IF NOT EXISTS evidence_events_page ON evidence_events (received_us DESC, event_ns DESC, seq DESC);
CREATE INDEX IF NOT EXISTS evidence_events_root ON evidence_events (root_trace_id, seq);
CREATE INDEX IF NOT EXISTS evidence_events_batch ON evidence_events (batch_no);
CREATE INDEX IF NOT EXISTS evidence_events_user ON evidence_events (user_id) WHERE tenant_said;
CREATE INDEX IF NOT EXISTS evidence_events_thread ON evidence_events (thread_id) WHERE thread_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS evidence_events_mentions ON evidence_events USING gin (mentions);

CREATE TABLE IF NOT EXISTS evidence_verdicts
(
    turn_key text COLLATE "C" PRIMARY KEY,
    root_trace_id text COLLATE "C" NOT NULL,
    application_id text COLLATE "C",
    tenant_said boolean NOT NULL,
    user_id text COLLATE "C",
    judged_ns bigint NOT NULL,
    verdict jsonb NOT NULL
);
CREATE INDEX IF NOT EXISTS evidence_verdicts_root ON evidence_verdicts (root_trace_id);
