/**
 * @module `turnproof migrate`: brings the tables of the configured store to this version, which
 * starting the collector does as well; here it is a step of its own, with an answer.
 */
import type { Command } from "commander";

import { openStore } from "../backend.ts";
import { readConfig } from "../config.ts";
import { openMemory } from "../memory/memory-backend.ts";
import { withJson } from "./command.ts";
import { attempt } from "./failure.ts";
import { exitCodes, printJson, printTable } from "./terminal.ts";

interface MigrateFlags {
  readonly json?: boolean;
  readonly dataDir?: string;
  readonly backend?: string;
}

/** Adds the command. */
export function addMigrateCommand(program: Command): void {
  withJson(program.command("migrate"))
    .description("bring the configured stores to this version; additive, run as their owner")
    .option("--data-dir <dir>", "where embedded stores lie (default .turnproof)")
    .option("--backend <kind>", "clickhouse, filesystem, postgres, mongodb or ephemeral")
    .addHelpText("after", "\nForward only. Data of a newer version is refused, never guessed at.")
    .action((flags: MigrateFlags) => attempt(flags, () => migrate(flags)));
}

async function migrate(flags: MigrateFlags): Promise<void> {
  const config = readConfig(flags);
  await using store = await openStore(config);
  const memory = await openMemory(config);
  try {
    const checks = [
      { store: store.name, ...(await store.check()) },
      ...(memory === undefined
        ? []
        : [{ store: `memory: ${memory.name}`, ...(await memory.check()) }]),
    ];
    if (flags.json === true) printJson({ stores: checks });
    else {
      const rows = checks.map(({ store: name, ok, code }) => [
        name,
        ok ? "ready" : (code ?? "fails"),
      ]);
      printTable(["STORE", "STATE"], rows);
    }
    process.exitCode = checks.every(({ ok }) => ok) ? exitCodes.ok : exitCodes.failed;
  } finally {
    await memory?.close();
  }
}
