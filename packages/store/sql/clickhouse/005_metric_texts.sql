-- Metrics of an outcome that are labels, named in metric_names after the numbers.
ALTER TABLE events ADD COLUMN IF NOT EXISTS metric_texts Array(String) CODEC(LZ4) AFTER metric_values;
