/** SQLite meets the contract of the evidence port. */
import { contract } from "../testing/contract.ts";
import { evidenceClauses } from "../testing/evidence-clauses.ts";
import { isolationClauses } from "../testing/isolation-clauses.ts";
import { openSqlite } from "./sqlite-database.ts";
import { makeEvidenceTables, sqliteEvidence } from "./sqlite-evidence.ts";

contract("sqlite", [...evidenceClauses, ...isolationClauses], {
  open: async () => {
    const database = openSqlite(":memory:");
    makeEvidenceTables(database);
    return sqliteEvidence(database);
  },
});
