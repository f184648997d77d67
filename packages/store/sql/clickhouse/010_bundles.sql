-- Evidence: one row for each root, batch and minute of receipt, its events packed in `body`. A text
-- index over hashed words finds candidates, the body decides; the view `events` shows every field.
-- A row holds how many events its batch has, so that a batch is counted without a table of batches.
-- Parts are compact: a wide one has a file for each column.
CREATE TABLE IF NOT EXISTS bundles
(
    received_at DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    first_received DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    root UInt32 CODEC(ZSTD(1)),
    root_trace_id String CODEC(ZSTD(1)),
    evidence Bool CODEC(ZSTD(1)),
    events UInt16 CODEC(ZSTD(1)),
    batch UInt64 CODEC(ZSTD(1)),
    batch_events UInt32 CODEC(ZSTD(1)),
    body String CODEC(ZSTD(1)),
    hashes Array(UInt32) EPHEMERAL [],
    ids Array(FixedString(4)) DEFAULT arrayMap(x -> reinterpretAsFixedString(x), hashes) CODEC(ZSTD(1)),
    INDEX named ids TYPE text(tokenizer = 'array') GRANULARITY 100000000
)
ENGINE = MergeTree
PARTITION BY toMonday(received_at)
ORDER BY (toDateTime(received_at), root)
SETTINGS index_granularity = 64, min_bytes_for_wide_part = '100G', min_rows_for_wide_part = 0,
    fsync_after_insert = 1, fsync_part_directory = 1, min_compressed_bytes_to_fsync_after_merge = 1,
    non_replicated_deduplication_window = 10000, old_parts_lifetime = 15;

-- How often rows of a root were deleted, by the hash of the root; two roots of one hash count
-- together, which costs one of them a second look and nothing else.
CREATE TABLE IF NOT EXISTS root_epochs
(
    root UInt32,
    epoch UInt32
)
ENGINE = ReplacingMergeTree(epoch)
ORDER BY root
SETTINGS index_granularity = 1024, old_parts_lifetime = 15,
    fsync_after_insert = 1, fsync_part_directory = 1, min_compressed_bytes_to_fsync_after_merge = 1;

-- Slices of the old table of events that were copied to bundles.
CREATE TABLE IF NOT EXISTS copied_slices
(
    slice String
)
ENGINE = ReplacingMergeTree
ORDER BY slice
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
