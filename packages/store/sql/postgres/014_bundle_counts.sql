-- All stored events are counted again and again: from an index, without the bodies of the bundles.
CREATE INDEX IF NOT EXISTS evidence_bundles_counts ON evidence_bundles (batch_no, events);
DROP INDEX IF EXISTS evidence_bundles_batch;
