-- Memory before tenants: one table per kind, as the first schema had it. A row keeps its own times
-- as text with every digit; created_key is the same time in a form that sorts. Texts are compared by
-- bytes (COLLATE "C"), so no locale can make two ids one. Ids have no length that an index could
-- hold, so an index on one is an index on its digest.
CREATE TABLE IF NOT EXISTS conversation_memory
(
    row_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL,
    agent_id text COLLATE "C",
    memory_id text COLLATE "C",
    thread_id text COLLATE "C",
    body text COLLATE "C",
    embedding double precision[],
    data json NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    created_key text COLLATE "C" NOT NULL,
    expires_at text COLLATE "C",
    expires_ms bigint,
    updated_at text COLLATE "C" NOT NULL,
    version bigint NOT NULL DEFAULT 1
);
CREATE INDEX IF NOT EXISTS conversation_memory_created ON conversation_memory (created_key DESC);

CREATE TABLE IF NOT EXISTS summaries (LIKE conversation_memory INCLUDING ALL);
CREATE TABLE IF NOT EXISTS entity_memory (LIKE conversation_memory INCLUDING ALL);
CREATE TABLE IF NOT EXISTS workflow_memory (LIKE conversation_memory INCLUDING ALL);
CREATE TABLE IF NOT EXISTS tool_logs (LIKE conversation_memory INCLUDING ALL);
CREATE TABLE IF NOT EXISTS semantic_cache (LIKE conversation_memory INCLUDING ALL);
CREATE TABLE IF NOT EXISTS feedback (LIKE conversation_memory INCLUDING ALL);

-- Shared kinds have no tenant, by design.
CREATE TABLE IF NOT EXISTS agents
(
    row_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL,
    body text COLLATE "C",
    embedding double precision[],
    data json NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    created_key text COLLATE "C" NOT NULL,
    updated_at text COLLATE "C" NOT NULL,
    version bigint NOT NULL DEFAULT 1
);
CREATE UNIQUE INDEX IF NOT EXISTS agents_id ON agents (md5(id));
CREATE INDEX IF NOT EXISTS agents_created ON agents (created_key DESC);

CREATE TABLE IF NOT EXISTS personas (LIKE agents INCLUDING ALL);
CREATE TABLE IF NOT EXISTS toolbox (LIKE agents INCLUDING ALL);
CREATE TABLE IF NOT EXISTS tool_servers (LIKE agents INCLUDING ALL);
CREATE TABLE IF NOT EXISTS skills (LIKE agents INCLUDING ALL);
CREATE TABLE IF NOT EXISTS shared_memory (LIKE agents INCLUDING ALL);
CREATE TABLE IF NOT EXISTS automations (LIKE agents INCLUDING ALL);
CREATE TABLE IF NOT EXISTS recommendations (LIKE agents INCLUDING ALL);
CREATE TABLE IF NOT EXISTS experiments (LIKE agents INCLUDING ALL);
