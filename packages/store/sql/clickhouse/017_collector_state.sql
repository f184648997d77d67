-- Rows that all collectors of one store share: sessions, alerts, and which collector sends them. The
-- largest version of a name stands.
CREATE TABLE IF NOT EXISTS collector_state
(
    kind LowCardinality(String),
    name String,
    version UInt64,
    value String CODEC(ZSTD(1)),
    keep_until DateTime('UTC')
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (kind, name)
TTL keep_until
SETTINGS index_granularity = 1024, old_parts_lifetime = 15,
    fsync_after_insert = 1, fsync_part_directory = 1, min_compressed_bytes_to_fsync_after_merge = 1;
