-- Lists go by a turn's own time: its end, and no later than its last receipt. It follows from columns
-- that are there, so that the index alone holds it.
CREATE INDEX IF NOT EXISTS turn_ledger_own_time
    ON turn_ledger (LEAST(ended_at, received_at) DESC NULLS LAST, key DESC) WHERE NOT gone;
