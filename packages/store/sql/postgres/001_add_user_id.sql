-- The tenant of every scoped row (requirements: Provider scoping behaviour). Run once by the schema
-- owner. Additive: the column is nullable, so rows that are there keep NULL, which is the anonymous
-- or legacy scope, and no authenticated read ever equals it. The digest puts the tenant first in
-- the key: 'u' before a user's id and 'a' for nobody, so no id can spell the anonymous scope.
ALTER TABLE conversation_memory ADD COLUMN IF NOT EXISTS user_id text COLLATE "C";
CREATE UNIQUE INDEX IF NOT EXISTS conversation_memory_tenant_id
    ON conversation_memory (md5(coalesce('u' || user_id, 'a')), md5(id));
CREATE INDEX IF NOT EXISTS conversation_memory_tenant_created
    ON conversation_memory (md5(coalesce('u' || user_id, 'a')), created_key DESC);

ALTER TABLE summaries ADD COLUMN IF NOT EXISTS user_id text COLLATE "C";
CREATE UNIQUE INDEX IF NOT EXISTS summaries_tenant_id
    ON summaries (md5(coalesce('u' || user_id, 'a')), md5(id));
CREATE INDEX IF NOT EXISTS summaries_tenant_created
    ON summaries (md5(coalesce('u' || user_id, 'a')), created_key DESC);

ALTER TABLE entity_memory ADD COLUMN IF NOT EXISTS user_id text COLLATE "C";
CREATE UNIQUE INDEX IF NOT EXISTS entity_memory_tenant_id
    ON entity_memory (md5(coalesce('u' || user_id, 'a')), md5(id));
CREATE INDEX IF NOT EXISTS entity_memory_tenant_created
    ON entity_memory (md5(coalesce('u' || user_id, 'a')), created_key DESC);

ALTER TABLE workflow_memory ADD COLUMN IF NOT EXISTS user_id text COLLATE "C";
CREATE UNIQUE INDEX IF NOT EXISTS workflow_memory_tenant_id
    ON workflow_memory (md5(coalesce('u' || user_id, 'a')), md5(id));
CREATE INDEX IF NOT EXISTS workflow_memory_tenant_created
    ON workflow_memory (md5(coalesce('u' || user_id, 'a')), created_key DESC);

ALTER TABLE tool_logs ADD COLUMN IF NOT EXISTS user_id text COLLATE "C";
CREATE UNIQUE INDEX IF NOT EXISTS tool_logs_tenant_id
    ON tool_logs (md5(coalesce('u' || user_id, 'a')), md5(id));
CREATE INDEX IF NOT EXISTS tool_logs_tenant_created
    ON tool_logs (md5(coalesce('u' || user_id, 'a')), created_key DESC);

ALTER TABLE semantic_cache ADD COLUMN IF NOT EXISTS user_id text COLLATE "C";
CREATE UNIQUE INDEX IF NOT EXISTS semantic_cache_tenant_id
    ON semantic_cache (md5(coalesce('u' || user_id, 'a')), md5(id));
CREATE INDEX IF NOT EXISTS semantic_cache_tenant_created
    ON semantic_cache (md5(coalesce('u' || user_id, 'a')), created_key DESC);

ALTER TABLE feedback ADD COLUMN IF NOT EXISTS user_id text COLLATE "C";
CREATE UNIQUE INDEX IF NOT EXISTS feedback_tenant_id
    ON feedback (md5(coalesce('u' || user_id, 'a')), md5(id));
CREATE INDEX IF NOT EXISTS feedback_tenant_created
    ON feedback (md5(coalesce('u' || user_id, 'a')), created_key DESC);

-- Bundles of an earlier version are read where they lie; where there is no such table, nothing is to
-- be done.
ALTER TABLE IF EXISTS trace_bundles ADD COLUMN IF NOT EXISTS user_id text COLLATE "C";
