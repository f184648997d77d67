-- Replays have a collection of their own.
CREATE TABLE IF NOT EXISTS replays (LIKE agents INCLUDING ALL);
