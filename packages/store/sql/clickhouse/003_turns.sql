-- One row per batch and turn, for whoever counts turns over time: when it was received, the root's
-- hash (its lower half is the one that `locate` has), the hash of the turn's id, until when it
-- spoke, and whether anything of it failed. What says no turn counts to the only one that its root
-- names in the batch, else it is turn 0 of the root. A set: readers fold the rows of one turn.
CREATE TABLE IF NOT EXISTS turns
(
    received_at DateTime('UTC') CODEC(Delta(4), ZSTD(1)),
    root UInt64 CODEC(ZSTD(1)),
    turn UInt32 CODEC(ZSTD(1)),
    timestamp DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
    failed Bool CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
PARTITION BY toMonday(received_at)
ORDER BY (received_at, root, turn, timestamp, failed)
SETTINGS index_granularity = 8192, non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1, fsync_part_directory = 1, min_compressed_bytes_to_fsync_after_merge = 1;

-- Turns from before, five minutes of a root together as if they were one batch.
INSERT INTO turns (received_at, root, turn, timestamp, failed)
SELECT spoken.1, root, spoken.2, spoken.3, spoken.4
FROM (
    SELECT
        bitShiftLeft(toUInt64(murmurHash3_32(concat('/', root_trace_id))), 32)
            + murmurHash3_32(root_trace_id) AS root,
        groupArray((received, own, at, fails)) AS rows,
        countIf(own != 0) AS named,
        arrayJoin(if(named = 1, [(max(received), max(own), max(at), max(fails))], rows)) AS spoken
    FROM (
        SELECT
            toStartOfFiveMinutes(received_at) AS bucket,
            root_trace_id,
            multiIf(
                turn_id != '', greatest(murmurHash3_32(turn_id), 1),
                event_kind != 'turn', 0,
                phase = 'start' AND endsWith(event_id, ':start') AND length(event_id) > 6,
                greatest(murmurHash3_32(substring(event_id, 1, length(event_id) - 6)), 1),
                span_id != '', greatest(murmurHash3_32(span_id), 1),
                0
            ) AS own,
            toDateTime(max(received_at), 'UTC') AS received,
            max(timestamp) AS at,
            max(status = 'error') AS fails
        FROM events
        WHERE event_kind NOT IN ('span', 'conversation', 'execution_log', 'data_quality')
            AND source_store IN ('', 'trace')
        GROUP BY bucket, root_trace_id, own
    )
    GROUP BY bucket, root_trace_id
)
SETTINGS optimize_aggregation_in_order = 1, max_bytes_before_external_group_by = 500000000,
    max_bytes_ratio_before_external_group_by = 0;
