-- The ledger of turns holds whether a root has more than plain spans.
ALTER TABLE evidence_roots DROP COLUMN IF EXISTS evidence;
