/**
 * @module Pglite: PostgreSQL in memory or in a directory, with pgvector. Its empty database is made
 * once in a run of tests: loading it takes a fourth of making it, opening a copy of it a tenth.
 */
import { existsSync } from "node:fs";
import { cp, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";

const extensions = { vector };

/** An engine over an empty database of its own. */
export async function startPglite(): Promise<PGlite> {
  const ofTheRun = process.env["TURNPROOF_TEST_TMPDIR"];
  if (ofTheRun === undefined) return PGlite.create({ extensions });
  return PGlite.create({ extensions, loadDataDir: await emptyDatabase(ofTheRun) });
}

/**
 * Fills a directory, which may be there and empty, with an empty database, as the engine does when
 * it opens one without files.
 */
export async function emptyPgliteDirectory(directory: string): Promise<void> {
  const ofTheRun = process.env["TURNPROOF_TEST_TMPDIR"];
  if (ofTheRun === undefined) return;
  const kept = join(ofTheRun, "turnproof-pglite-empty");
  if (!existsSync(kept)) {
    const making = await mkdtemp(join(ofTheRun, "turnproof-pglite-making-"));
    const dataDir = join(making, "data");
    const loadDataDir = await emptyDatabase(ofTheRun);
    await (await PGlite.create({ dataDir, extensions, loadDataDir })).close();
    // Whole or not there: another worker may look for it now, or have made its own.
    await rename(dataDir, kept).catch(() => undefined);
    await rm(making, { recursive: true, force: true });
  }
  await cp(kept, directory, { recursive: true });
}

/** The files of an empty database, made by the first that needs them. */
async function emptyDatabase(ofTheRun: string): Promise<Blob> {
  const kept = join(ofTheRun, "turnproof-pglite-empty.tar");
  if (existsSync(kept)) return new Blob([await readFile(kept)]);
  const engine = await PGlite.create({ extensions });
  const empty = await engine.dumpDataDir("none");
  await engine.close();
  const making = `${kept}-${process.pid}`;
  await writeFile(making, Buffer.from(await empty.arrayBuffer()));
  // Whole or not there: another worker may look for it now.
  await rename(making, kept);
  return empty;
}
