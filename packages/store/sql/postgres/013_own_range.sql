-- Events are filtered by their own time: first and last second of the events of a root. A root of an
-- older version holds any time, whatever is added to it.
ALTER TABLE evidence_roots
    ADD COLUMN IF NOT EXISTS own_from bigint NOT NULL DEFAULT -9007199254740991,
    ADD COLUMN IF NOT EXISTS own_to bigint NOT NULL DEFAULT 9007199254740991;
CREATE INDEX IF NOT EXISTS evidence_roots_own ON evidence_roots USING gist (int8range(own_from, own_to, '[]'));
