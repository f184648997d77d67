-- Events are filtered by their own time: first and last second of the events of a row, by which
-- granules are skipped. A row of an older version holds any time until a background mutation has
-- written its range, from the base second of each segment and the ends of its events; a row with an
-- end that is a text keeps any time. Division is towards zero, so the first second is one earlier.
ALTER TABLE bundles
    ADD COLUMN IF NOT EXISTS own_from Int64 DEFAULT -9007199254740991 CODEC(Delta(8), ZSTD(1)),
    ADD COLUMN IF NOT EXISTS own_to Int64 DEFAULT 9007199254740991 CODEC(Delta(8), ZSTD(1));
ALTER TABLE bundles
    ADD INDEX IF NOT EXISTS by_own_from own_from TYPE minmax GRANULARITY 4,
    ADD INDEX IF NOT EXISTS by_own_to own_to TYPE minmax GRANULARITY 4;
ALTER TABLE bundles
    UPDATE
        own_from = arrayMin(arrayFlatten(arrayMap(
            (base, ends) -> arrayMap(one -> if(JSONType(one, 4) = 'String', -9007199254740991, base + intDiv(JSONExtractInt(one, 4), 1000000000) - 1), ends),
            arrayMap(segment -> JSONExtractInt(segment, 2), JSONExtractArrayRaw(concat('[', body, ']'))),
            arrayMap(segment -> arraySlice(JSONExtractArrayRaw(segment), 4), JSONExtractArrayRaw(concat('[', body, ']')))))),
        own_to = arrayMax(arrayFlatten(arrayMap(
            (base, ends) -> arrayMap(one -> if(JSONType(one, 4) = 'String', 9007199254740991, base + intDiv(JSONExtractInt(one, 4), 1000000000)), ends),
            arrayMap(segment -> JSONExtractInt(segment, 2), JSONExtractArrayRaw(concat('[', body, ']'))),
            arrayMap(segment -> arraySlice(JSONExtractArrayRaw(segment), 4), JSONExtractArrayRaw(concat('[', body, ']'))))))
    WHERE own_to = 9007199254740991 AND events > 0 AND body != '';
