-- Events are filtered by their own time: first and last second of the events of a row, by which
-- granules are skipped. A row of an older version holds any time until a background mutation has read
-- its body; a second before the first one serves times before the base.
ALTER TABLE bundles
    ADD COLUMN IF NOT EXISTS own_from Int64 DEFAULT -9007199254740991 CODEC(Delta(8), ZSTD(1)),
    ADD COLUMN IF NOT EXISTS own_to Int64 DEFAULT 9007199254740991 CODEC(Delta(8), ZSTD(1));
ALTER TABLE bundles
    ADD INDEX IF NOT EXISTS by_own_from own_from TYPE minmax GRANULARITY 4,
    ADD INDEX IF NOT EXISTS by_own_to own_to TYPE minmax GRANULARITY 4;
