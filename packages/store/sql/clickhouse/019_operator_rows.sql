-- What operators write beside the evidence: notes on turns, and views that they share. Each row
-- belongs to one tenant. The largest version of an id stands; an empty value is a deleted row.
CREATE TABLE IF NOT EXISTS operator_rows
(
    kind LowCardinality(String),
    tenant String,
    place String,
    id String,
    subject String,
    version UInt64,
    created_at String,
    value String CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (kind, tenant, place, id)
SETTINGS index_granularity = 1024, old_parts_lifetime = 15,
    fsync_after_insert = 1, fsync_part_directory = 1, min_compressed_bytes_to_fsync_after_merge = 1;
