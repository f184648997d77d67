/** SQLite keeps every promise of the evidence port. */
import { DatabaseSync } from "node:sqlite";

import { contract } from "../testing/contract.ts";
import { evidenceClauses } from "../testing/evidence-clauses.ts";
import { isolationClauses } from "../testing/isolation-clauses.ts";
import { sqliteEvidence } from "./sqlite-evidence.ts";

contract("sqlite", [...evidenceClauses, ...isolationClauses], {
  open: async () => sqliteEvidence(new DatabaseSync(":memory:")),
});
