-- Alerts list turns by their last receipt.
CREATE INDEX IF NOT EXISTS turn_ledger_last_received ON turn_ledger (received_at) WHERE NOT gone;
