-- Rows that all collectors of one store share: sessions, alerts, and which collector sends them. The
-- largest version of a name stands.
CREATE TABLE IF NOT EXISTS collector_state
(
    kind text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    value text COLLATE "C" NOT NULL,
    keep_until timestamptz NOT NULL,
    PRIMARY KEY (kind, name)
);
