/**
 * @module TemporaryFiles: one directory for whatever the tests of a run leave beside them. It is
 * the temporary directory of every worker, holds what Node compiled, and goes with the run.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Makes the directory before the first project, and returns what removes it after the last. */
export default function setup(): (() => void) | undefined {
  if (process.env["TURNPROOF_TEST_TMPDIR"] !== undefined) return undefined;
  const directory = mkdtempSync(join(tmpdir(), "turnproof-run-"));
  // As the system's own: PostgreSQL does not run as root, and its user makes files there too.
  chmodSync(directory, 0o1777);
  process.env["TURNPROOF_TEST_TMPDIR"] = directory;
  process.env["TMPDIR"] = directory;
  // Node's own: workers and programs that tests start compile the modules that they share once.
  process.env["NODE_COMPILE_CACHE"] ??= join(directory, "compiled");
  return () => rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
