-- How many evidence spans a producer holds open, as its heartbeat says; tables from before have none.
ALTER TABLE events ADD COLUMN IF NOT EXISTS open_spans Nullable(Int64) CODEC(LZ4) AFTER last_seq;
