-- Lists go by a turn's own time: its end, and no later than its last receipt. It follows from columns
-- that are there, so that the index alone holds it; parts of an older version get the index in the
-- background, and are read whole until then.
ALTER TABLE turn_ledger
    ADD COLUMN IF NOT EXISTS own_time DateTime64(6, 'UTC') ALIAS least(ended_at, ifNull(received_at, ended_at));
ALTER TABLE turn_ledger
    ADD INDEX IF NOT EXISTS by_own_time least(ended_at, ifNull(received_at, ended_at)) TYPE minmax GRANULARITY 1;
ALTER TABLE turn_ledger
    MATERIALIZE INDEX by_own_time;
