-- Replays have a collection of their own (design 3.6: Envelopes).
CREATE TABLE IF NOT EXISTS replays (LIKE agents INCLUDING ALL);
