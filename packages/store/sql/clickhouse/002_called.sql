-- An event is looked up by its own id or its span's: what a filter of some bits per row leaves out
-- need not be read. Parts from before are read whole until a merge makes theirs.
ALTER TABLE events ADD INDEX IF NOT EXISTS called (event_id, span_id) TYPE bloom_filter(0.01) GRANULARITY 1;
