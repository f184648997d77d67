-- Alerts list turns by their last receipt. Rows lie in the order of their first receipt, so that a
-- granule has last receipts near each other; parts of an older version get the index in the background.
ALTER TABLE turn_ledger
    ADD INDEX IF NOT EXISTS by_received_at received_at TYPE minmax GRANULARITY 1;
ALTER TABLE turn_ledger
    MATERIALIZE INDEX by_received_at;
