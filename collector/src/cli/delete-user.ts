/**
 * @module `turnproof delete-user`: everything that memory holds of one user, kind by kind, deleted or
 * only counted (requirements: Scope hierarchy 6).
 */
import type { Command } from "commander";
import { CodedError } from "@turnproof/semconv";
import { deleteUser as deleteRows } from "@turnproof/store/admin";

import { readConfig } from "../config.ts";
import { openMemory } from "../memory/memory-backend.ts";
import { withJson } from "./command.ts";
import { attempt } from "./failure.ts";
import { exitCodes, printJson, printTable, say } from "./terminal.ts";

interface DeleteFlags {
  readonly json?: boolean;
  readonly apply?: boolean;
  readonly dataDir?: string;
}

/** Adds the command. */
export function addDeleteUserCommand(program: Command): void {
  withJson(program.command("delete-user <user_id>"))
    .description("show what memory holds of one user; --apply deletes it, kind by kind")
    .option("--apply", "delete; without it rows are only counted")
    .option("--data-dir <dir>", "where embedded stores lie (default .turnproof)")
    .addHelpText(
      "after",
      "\nEvidence is content-free, has its own retention and is not deleted here.\n" +
        "Exit code 3 when something is left or could not be looked at.",
    )
    .action((user: string, flags: DeleteFlags) => attempt(flags, () => deleteUser(user, flags)));
}

async function deleteUser(userId: string, flags: DeleteFlags): Promise<void> {
  if (userId === "") throw new CodedError("identity_empty", { field: "user_id" });
  const config = readConfig(flags.dataDir === undefined ? {} : { dataDir: flags.dataDir });
  const memory = await openMemory(config);
  if (memory === undefined) throw new CodedError("not_configured");
  try {
    const report = await deleteRows(memory.admin, { userId, dryRun: flags.apply !== true });
    const kinds = report.kinds.map(({ collection, found, deleted, remaining, error }) => ({
      kind: collection,
      found,
      deleted,
      // After a failure nobody knows; in a dry run everything found is left.
      remaining: remaining ?? (error === undefined ? found : null),
      ...(error === undefined ? {} : { error }),
    }));
    const left = kinds.reduce((sum, { remaining }) => sum + (remaining ?? 0), 0);
    if (flags.json === true) printJson({ applied: !report.dry_run, kinds, remaining: left });
    else {
      const rows = kinds.map(({ kind, found, deleted, remaining, error }) => [
        kind,
        String(found),
        String(deleted),
        error ?? String(remaining),
      ]);
      printTable(["COLLECTION", "FOUND", "DELETED", "LEFT"], rows);
      if (report.dry_run) say("A dry run: --apply deletes these rows.");
    }
    const failed = kinds.some(({ error }) => error !== undefined);
    const done = report.dry_run ? !failed : report.complete;
    process.exitCode = done ? exitCodes.ok : exitCodes.partial;
  } finally {
    await memory.close();
  }
}
