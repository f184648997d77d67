/**
 * @module `turnproof delete-user`: everything that memory holds of one user, kind by kind. There is
 * no cascade anywhere (requirements: Scope hierarchy 6), so the list is walked and looked at again.
 */
import type { Command } from "commander";
import { CodedError, memoryCollections, scopedKinds } from "@turnproof/semconv";

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
        "Exit code 3 when something is left.",
    )
    .action((user: string, flags: DeleteFlags) => attempt(flags, () => deleteUser(user, flags)));
}

async function deleteUser(tenant: string, flags: DeleteFlags): Promise<void> {
  if (tenant === "") throw new CodedError("identity_empty", { field: "user_id" });
  const config = readConfig(flags.dataDir === undefined ? {} : { dataDir: flags.dataDir });
  const memory = await openMemory(config);
  if (memory === undefined) throw new CodedError("not_configured");
  try {
    const kinds: { kind: string; found: number; deleted: number; remaining: number }[] = [];
    for (const kind of scopedKinds) {
      const found = await memory.admin.count({ tenant }, kind);
      const deleted = flags.apply === true ? await memory.admin.deleteTenant({ tenant }, kind) : 0;
      const remaining = flags.apply === true ? await memory.admin.count({ tenant }, kind) : found;
      kinds.push({ kind: memoryCollections[kind], found, deleted, remaining });
    }
    const left = kinds.reduce((sum, { remaining }) => sum + remaining, 0);
    if (flags.json === true) printJson({ applied: flags.apply === true, kinds, remaining: left });
    else {
      const rows = kinds.map(({ kind, found, deleted, remaining }) =>
        [kind, found, deleted, remaining].map(String),
      );
      printTable(["COLLECTION", "FOUND", "DELETED", "LEFT"], rows);
      if (flags.apply !== true) say("A dry run: --apply deletes these rows.");
    }
    process.exitCode = left === 0 || flags.apply !== true ? exitCodes.ok : exitCodes.partial;
  } finally {
    await memory.close();
  }
}
