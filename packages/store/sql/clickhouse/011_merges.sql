-- Each second of evidence makes a part of a table or two. Merged as the engine does by default, such
-- parts are rewritten so often that it costs more than writing them; a list reads some more of them.
ALTER TABLE turn_ledger
    MODIFY SETTING merge_selector_base = 10, min_parts_to_merge_at_once = 6;
ALTER TABLE bundles
    MODIFY SETTING merge_selector_base = 10, min_parts_to_merge_at_once = 6;
