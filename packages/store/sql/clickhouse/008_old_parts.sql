-- Parts that a merge replaced leave the disk after 15 seconds instead of eight minutes: merges are
-- synced, so nothing but a query that runs still needs them.
ALTER TABLE events MODIFY SETTING old_parts_lifetime = 15;
ALTER TABLE locate MODIFY SETTING old_parts_lifetime = 15;
ALTER TABLE batches MODIFY SETTING old_parts_lifetime = 15;
ALTER TABLE touched MODIFY SETTING old_parts_lifetime = 15;
ALTER TABLE verdicts MODIFY SETTING old_parts_lifetime = 15;
ALTER TABLE turns MODIFY SETTING old_parts_lifetime = 15;
