-- FINAL over one part costs nothing; over ten parts it doubles the cost of a count. When nothing was
-- written into a week for six hours, its parts are merged into one.
ALTER TABLE turn_ledger
    MODIFY SETTING min_age_to_force_merge_seconds = 21600,
    min_age_to_force_merge_on_partition_only = 1;
