/**
 * @module Pglite: PostgreSQL in memory, with pgvector. Its empty database is made once in a run of
 * tests: loading it takes a fourth of making it.
 */
import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";

/** An engine over an empty database of its own. */
export async function startPglite(): Promise<PGlite> {
  const extensions = { vector };
  const ofTheRun = process.env["TURNPROOF_TEST_TMPDIR"];
  if (ofTheRun === undefined) return PGlite.create({ extensions });
  const kept = join(ofTheRun, "turnproof-pglite-empty.tar");
  if (existsSync(kept)) {
    return PGlite.create({ extensions, loadDataDir: new Blob([await readFile(kept)]) });
  }
  const engine = await PGlite.create({ extensions });
  const empty = await engine.dumpDataDir("none");
  const making = `${kept}-${process.pid}`;
  await writeFile(making, Buffer.from(await empty.arrayBuffer()));
  // Whole or not there: another worker may look for it now.
  await rename(making, kept);
  return engine;
}
