-- Optional second layer: row-level security of scoped memory. Run once by the schema owner; the
-- application connects as a role that is neither superuser nor BYPASSRLS, with
-- GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO <role>. The policy has all three
-- states explicitly: comparing with IS NOT DISTINCT FROM would show every legacy row to a connection
-- that names no owner. Here that connection sees nothing. Safe to run again.
CREATE OR REPLACE FUNCTION turnproof_row_visible(tenant text) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN CASE current_setting('turnproof_scope.state', true)
        WHEN 'user' THEN coalesce(tenant = current_setting('turnproof_scope.tenant', true), false)
        WHEN 'anonymous' THEN tenant IS NULL
        ELSE false
    END;

ALTER TABLE conversation_memory ENABLE ROW LEVEL SECURITY;
ALTER TABLE conversation_memory FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS conversation_memory_tenant ON conversation_memory;
CREATE POLICY conversation_memory_tenant ON conversation_memory
    USING (turnproof_row_visible(user_id)) WITH CHECK (turnproof_row_visible(user_id));

ALTER TABLE summaries ENABLE ROW LEVEL SECURITY;
ALTER TABLE summaries FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS summaries_tenant ON summaries;
CREATE POLICY summaries_tenant ON summaries
    USING (turnproof_row_visible(user_id)) WITH CHECK (turnproof_row_visible(user_id));

ALTER TABLE entity_memory ENABLE ROW LEVEL SECURITY;
ALTER TABLE entity_memory FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS entity_memory_tenant ON entity_memory;
CREATE POLICY entity_memory_tenant ON entity_memory
    USING (turnproof_row_visible(user_id)) WITH CHECK (turnproof_row_visible(user_id));

ALTER TABLE workflow_memory ENABLE ROW LEVEL SECURITY;
ALTER TABLE workflow_memory FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS workflow_memory_tenant ON workflow_memory;
CREATE POLICY workflow_memory_tenant ON workflow_memory
    USING (turnproof_row_visible(user_id)) WITH CHECK (turnproof_row_visible(user_id));

ALTER TABLE tool_logs ENABLE ROW LEVEL SECURITY;
ALTER TABLE tool_logs FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS tool_logs_tenant ON tool_logs;
CREATE POLICY tool_logs_tenant ON tool_logs
    USING (turnproof_row_visible(user_id)) WITH CHECK (turnproof_row_visible(user_id));

ALTER TABLE semantic_cache ENABLE ROW LEVEL SECURITY;
ALTER TABLE semantic_cache FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS semantic_cache_tenant ON semantic_cache;
CREATE POLICY semantic_cache_tenant ON semantic_cache
    USING (turnproof_row_visible(user_id)) WITH CHECK (turnproof_row_visible(user_id));

ALTER TABLE feedback ENABLE ROW LEVEL SECURITY;
ALTER TABLE feedback FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS feedback_tenant ON feedback;
CREATE POLICY feedback_tenant ON feedback
    USING (turnproof_row_visible(user_id)) WITH CHECK (turnproof_row_visible(user_id));

ALTER TABLE trace_content ENABLE ROW LEVEL SECURITY;
ALTER TABLE trace_content FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS trace_content_tenant ON trace_content;
CREATE POLICY trace_content_tenant ON trace_content
    USING (turnproof_row_visible(user_id)) WITH CHECK (turnproof_row_visible(user_id));
