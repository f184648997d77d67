-- Whether a root has more than plain spans is asked of the ledger of turns.
ALTER TABLE evidence_roots DROP COLUMN IF EXISTS evidence;
