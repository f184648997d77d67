-- Evidence as packed bundles: one row per root and batch, found by hashed words. What is known of a
-- root before it is read stands once: bounds of its receipts in microseconds, how many events, and
-- whether one of them is evidence and no plain span.
CREATE TABLE IF NOT EXISTS evidence_roots
(
    root bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    root_trace_id text COLLATE "C" NOT NULL UNIQUE,
    first_us bigint NOT NULL,
    last_us bigint NOT NULL,
    events bigint NOT NULL,
    evidence boolean NOT NULL
);
CREATE INDEX IF NOT EXISTS evidence_roots_last ON evidence_roots (last_us DESC, root DESC);

CREATE TABLE IF NOT EXISTS evidence_bundles
(
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    root bigint NOT NULL REFERENCES evidence_roots (root),
    batch_no bigint NOT NULL REFERENCES evidence_batches (batch_no),
    events int NOT NULL,
    words int[] NOT NULL,
    body text COLLATE "C" NOT NULL
);
CREATE INDEX IF NOT EXISTS evidence_bundles_root ON evidence_bundles (root, seq);
CREATE INDEX IF NOT EXISTS evidence_bundles_batch ON evidence_bundles (batch_no);
CREATE INDEX IF NOT EXISTS evidence_bundles_words ON evidence_bundles USING gin (words);

-- How often rows of a root were deleted. A root is named by a hash, which identifies no user.
CREATE TABLE IF NOT EXISTS root_epochs
(
    root bigint PRIMARY KEY,
    epoch int NOT NULL
);

-- Events as earlier versions kept them, one row each, are copied root by root. A collector of such a
-- version that still runs misses its table and keeps what it was sent.
ALTER TABLE IF EXISTS evidence_events RENAME TO old_events;
DO $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM old_events) THEN
        DROP TABLE old_events;
    END IF;
END
$$;
CREATE TABLE IF NOT EXISTS old_events_copy
(
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    -- The last root that was copied.
    after_root text COLLATE "C",
    complete boolean NOT NULL DEFAULT false
);
