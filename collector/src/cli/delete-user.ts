/**
 * @module `turnproof delete-user`: everything that memory holds of one user, kind by kind, deleted or
 * only counted (requirements: Scope hierarchy 6).
 */
import type { Command } from "commander";
import { attribute, CodedError, screenValue } from "@turnproof/semconv";
import { createIdentityKey } from "@turnproof/semconv/name-key";
import { deleteUser as deleteRows } from "@turnproof/store/admin";
import type { DeletedKind, DeletionReport } from "@turnproof/store/admin";

import { openIdentityKey } from "../auth/stable-secret.ts";
import { readConfig } from "../config.ts";
import type { Config } from "../config.ts";
import { openMemory } from "../memory/memory-backend.ts";
import { withJson } from "./command.ts";
import { attempt } from "./failure.ts";
import { exitCodes, printJson, printTable, say } from "./terminal.ts";

interface DeleteFlags {
  readonly json?: boolean;
  readonly apply?: boolean;
  readonly dataDir?: string;
}

/** A line of the report. */
interface Kind {
  readonly kind: string;
  readonly found: number;
  readonly deleted: number;
  readonly remaining: number | null;
  readonly error?: string;
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
    const dryRun = flags.apply !== true;
    const reports: DeletionReport[] = [];
    for (const stored of storedForms(userId, config)) {
      reports.push(await deleteRows(memory.admin, { userId: stored, dryRun }));
    }
    const byKind = Map.groupBy(
      reports.flatMap((report) => report.kinds),
      ({ kind }) => kind,
    );
    const kinds = [...byKind.values()].map(summed);
    const left = kinds.reduce((sum, { remaining }) => sum + (remaining ?? 0), 0);
    if (flags.json === true) printJson({ applied: !dryRun, kinds, remaining: left });
    else {
      const rows = kinds.map(({ kind, found, deleted, remaining, error }) => [
        kind,
        String(found),
        String(deleted),
        error ?? String(remaining),
      ]);
      printTable(["COLLECTION", "FOUND", "DELETED", "LEFT"], rows);
      if (dryRun) say("A dry run: --apply deletes these rows.");
    }
    const failed = kinds.some(({ error }) => error !== undefined);
    const done = dryRun ? !failed : reports.every(({ complete }) => complete);
    process.exitCode = done ? exitCodes.ok : exitCodes.partial;
  } finally {
    await memory.close();
  }
}

/** One kind over the forms of a user. */
function summed(rows: readonly DeletedKind[]): Kind {
  const error = rows.find((row) => row.error !== undefined)?.error;
  const sum = (of: (row: DeletedKind) => number): number =>
    rows.reduce((total, row) => total + of(row), 0);
  return {
    kind: rows[0]?.collection ?? "",
    found: sum(({ found }) => found),
    deleted: sum(({ deleted }) => deleted),
    // After a failure nobody knows; in a dry run everything found is left.
    remaining: error === undefined ? sum(({ remaining, found }) => remaining ?? found) : null,
    ...(error === undefined ? {} : { error }),
  };
}

/** Ids that no version of the guard refused. */
const plainId = /^[A-Za-z][A-Za-z0-9_.:-]{0,239}$/;

/**
 * What was typed, and, unless that is a plain id, its keyed form as well: a host may keep memory
 * under either, an older guard keyed more of them, and a deletion that looks at one of them alone
 * would say that there is nothing.
 */
function storedForms(userId: string, config: Config): readonly string[] {
  if (plainId.test(userId) && screenValue(attribute.user_id, userId) === undefined) return [userId];
  const key = openIdentityKey(config.identityKey, config.dataDir);
  return [userId, createIdentityKey(key)(userId, attribute.user_id)];
}
