-- Words of imported legacy bundles (design 6.2), with the tenant and the indexes of every scoped kind.
CREATE TABLE IF NOT EXISTS trace_content (LIKE conversation_memory INCLUDING ALL);
