-- Words of imported legacy bundles, with the tenant and the indexes of every scoped kind.
CREATE TABLE IF NOT EXISTS trace_content (LIKE conversation_memory INCLUDING ALL);
