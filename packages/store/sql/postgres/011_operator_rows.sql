-- What operators write beside the evidence: notes on turns, and views that they share. Each row
-- belongs to one tenant.
CREATE TABLE IF NOT EXISTS operator_rows
(
    id text COLLATE "C" PRIMARY KEY,
    kind text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    place text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    value text COLLATE "C" NOT NULL
);
CREATE INDEX IF NOT EXISTS operator_rows_place ON operator_rows (kind, place);
