-- The tenant of every scoped row (requirements: Provider scoping). Run once by the schema
-- owner. Additive: the column is nullable, so rows that are there keep NULL, which is the anonymous
-- or legacy scope, and no authenticated read ever equals it. The digest puts the tenant first in
-- the key: 'u' before a user's id and 'a' for anonymous, so no id can spell the anonymous scope.
--
-- It succeeds on whatever lies under these names. An index that the rows or the columns do not
-- allow, such as a unique one over ids that stand twice, is left out with a notice: the provider then
-- finds the row to replace under a lock. Errors of another kind, a missing right or a lock that was
-- not given, still end the script.
DO $migration$
DECLARE
    kind text;
    held regclass;
    form "char";
    wanted text;
    made boolean;
BEGIN
    FOREACH kind IN ARRAY ARRAY['conversation_memory', 'summaries', 'entity_memory',
        'workflow_memory', 'tool_logs', 'semantic_cache', 'feedback', 'trace_bundles'] LOOP
        held := to_regclass(kind);
        SELECT relkind INTO form FROM pg_class WHERE oid = held;
        -- What is missing is made by the provider; a view or a foreign table shows what lies elsewhere.
        CONTINUE WHEN held IS NULL OR form NOT IN ('r', 'p');
        BEGIN
            -- A partition has the columns of the table that it is a part of.
            EXECUTE format('ALTER TABLE %s ADD COLUMN IF NOT EXISTS user_id text COLLATE "C"',
                coalesce(pg_partition_root(held), held));
        EXCEPTION WHEN wrong_object_type OR feature_not_supported OR invalid_table_definition
            OR too_many_columns OR datatype_mismatch THEN
            RAISE WARNING 'turnproof: % takes no column user_id (%)', kind, SQLSTATE;
        END;
        -- Bundles of an earlier version are read where they lie; they need no index.
        CONTINUE WHEN kind = 'trace_bundles';
        made := false;
        FOREACH wanted IN ARRAY ARRAY[
            'CREATE UNIQUE INDEX IF NOT EXISTS %s_tenant_id
                ON %s (md5(coalesce(''u'' || user_id, ''a'')), md5(id))',
            -- Where ids stand twice, the same key without a promise.
            'CREATE INDEX IF NOT EXISTS %s_tenant_row
                ON %s (md5(coalesce(''u'' || user_id, ''a'')), md5(id))',
            'CREATE INDEX IF NOT EXISTS %s_tenant_created
                ON %s (md5(coalesce(''u'' || user_id, ''a'')), created_key DESC)'] LOOP
            CONTINUE WHEN made AND wanted LIKE '%tenant_row%';
            BEGIN
                EXECUTE format(wanted, kind, held);
                made := true;
            EXCEPTION WHEN unique_violation OR undefined_column OR undefined_function
                OR ambiguous_function OR invalid_object_definition OR datatype_mismatch
                OR feature_not_supported OR wrong_object_type OR program_limit_exceeded
                OR indeterminate_collation THEN
                RAISE NOTICE 'turnproof: an index of % is left out (%)', kind, SQLSTATE;
            END;
        END LOOP;
    END LOOP;
END
$migration$;
