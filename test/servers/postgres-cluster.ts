/**
 * @module PostgresCluster: the data directory of a server before its first start. One is made in a
 * run of tests and copied for each server: a copy costs a tenth of what `initdb` does.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Copies a directory with its owners, which the server checks. */
const copy = (from: string, to: string): Promise<unknown> => run("cp", ["-Rp", from, to]);

/** Fills `directory`: by `initialise`, or from what an earlier call of the run made by it. */
export async function emptyCluster(
  directory: string,
  initialise: () => Promise<void>,
): Promise<void> {
  const ofTheRun = process.env["TURNPROOF_TEST_TMPDIR"];
  if (ofTheRun === undefined) return initialise();
  const kept = join(ofTheRun, "turnproof-postgres-empty");
  if (existsSync(kept)) return void (await copy(kept, directory));
  await initialise();
  const making = await mkdtemp(join(ofTheRun, "turnproof-postgres-making-"));
  await copy(directory, join(making, "data"));
  // Whole or not there: another worker may look for it now, or have made its own.
  await rename(join(making, "data"), kept).catch(() => undefined);
  await rm(making, { recursive: true, force: true });
}
