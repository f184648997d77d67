-- From here on records are packed and words have three bytes, so an older build must not open the data.
-- Receipts are near each other: their differences take half of the space, as parts are written.
ALTER TABLE turn_ledger
    MODIFY COLUMN received_at CODEC(Delta(8), ZSTD(1));
