-- Verdicts stand in the turn ledger. Where events of an earlier version lie, its verdicts stay beside
-- them until both are dropped: without them the earlier version could not be started again.
DO $$
BEGIN
    IF to_regclass('old_events') IS NULL THEN
        DROP TABLE IF EXISTS evidence_verdicts;
    END IF;
END
$$;
