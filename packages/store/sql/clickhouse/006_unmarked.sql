-- Whether a contract says that its output has no markers; tables from before have none that says so.
ALTER TABLE events ADD COLUMN IF NOT EXISTS unmarked Nullable(Bool) CODEC(LZ4) AFTER recovery_used;
