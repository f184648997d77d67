-- Optional: directions of embeddings as pgvector's type, where the extension is installed. Filled by
-- the writer with unit vectors, because cosine rests on direction alone and a float4 has less range
-- than what it is given. NULL where a vector has no direction or too many dimensions; such rows are
-- compared in the process. Safe to run again.
CREATE EXTENSION IF NOT EXISTS vector;
ALTER TABLE conversation_memory ADD COLUMN IF NOT EXISTS embedding_vector vector;
ALTER TABLE summaries ADD COLUMN IF NOT EXISTS embedding_vector vector;
ALTER TABLE entity_memory ADD COLUMN IF NOT EXISTS embedding_vector vector;
ALTER TABLE workflow_memory ADD COLUMN IF NOT EXISTS embedding_vector vector;
ALTER TABLE tool_logs ADD COLUMN IF NOT EXISTS embedding_vector vector;
ALTER TABLE semantic_cache ADD COLUMN IF NOT EXISTS embedding_vector vector;
ALTER TABLE feedback ADD COLUMN IF NOT EXISTS embedding_vector vector;
ALTER TABLE trace_content ADD COLUMN IF NOT EXISTS embedding_vector vector;
