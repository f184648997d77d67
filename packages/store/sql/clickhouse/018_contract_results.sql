-- Results of contracts are among the names of a turn; facets count them by a column of their own.
-- Rows of an older version have it as soon as a background mutation wrote it; until then it is worked
-- out as it is read.
ALTER TABLE turn_ledger
    ADD COLUMN IF NOT EXISTS contract_list Array(String) ALIAS arrayMap(one -> substring(one, 10), arrayFilter(one -> startsWith(one, 'contract:') AND position(one, '@') = 0, name_list)),
    ADD COLUMN IF NOT EXISTS contract_set LowCardinality(String) MATERIALIZED toJSONString(arrayMap(one -> substring(one, 10), arrayFilter(one -> startsWith(one, 'contract:') AND position(one, '@') = 0, name_list))) CODEC(ZSTD(1));
ALTER TABLE turn_ledger
    MATERIALIZE COLUMN contract_set;
