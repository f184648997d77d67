-- Why a verdict is no success, beside findings. A row of an older version has none until its turn is
-- judged again; that it is unknown shows in its flags.
ALTER TABLE turn_ledger ADD COLUMN IF NOT EXISTS reason_list text[] COLLATE "C" DEFAULT '{}';
