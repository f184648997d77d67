/**
 * @module `turnproof journal replay`: offers what the store once refused for ever to it again, after
 * the cause was mended. The collector must be stopped: the journal has one user at a time.
 */
import { access } from "node:fs/promises";
import { join } from "node:path";

import type { Command } from "commander";
import { openJournal, replayQuarantine } from "@turnproof/exporter/journal";

import { openStore } from "../backend.ts";
import { readConfig } from "../config.ts";
import { decodeFrame } from "../otlp/frame-codec.ts";
import { withJson } from "./command.ts";
import { attempt } from "./failure.ts";
import { exitCodes, printJson, printTable } from "./terminal.ts";

interface JournalFlags {
  readonly json?: boolean;
  readonly dataDir?: string;
}

/** Adds the command. */
export function addJournalCommand(program: Command): void {
  const journal = program.command("journal").description("the journal between door and store");
  withJson(journal.command("replay"))
    .description("offer quarantined rows to the store again; stop the collector first")
    .option("--data-dir <dir>", "where the journal lies (default .turnproof)")
    .addHelpText("after", "\nExit code 0 when nothing is left in quarantine, 3 otherwise.")
    .action((flags: JournalFlags) => attempt(flags, () => replay(flags)));
}

async function replay(flags: JournalFlags): Promise<void> {
  const config = readConfig(flags.dataDir === undefined ? {} : { dataDir: flags.dataDir });
  const directory = join(config.dataDir, "journal");
  // A mistyped directory has nothing in quarantine, and must not come into being by that.
  await access(directory);
  const journal = await openJournal({ directory });
  try {
    const store = await openStore(config);
    try {
      const decode = (payload: Uint8Array): { events: ReturnType<typeof decodeFrame> } => ({
        events: decodeFrame(payload),
      });
      const result = await replayQuarantine(journal, store, { decode });
      if (flags.json === true) printJson(result);
      else {
        printTable(
          ["REPLAYED", "STILL REFUSED"],
          [[String(result.replayed), String(result.remaining)]],
        );
      }
      process.exitCode = result.remaining === 0 ? exitCodes.ok : exitCodes.partial;
    } finally {
      await store.close();
    }
  } finally {
    await journal.close();
  }
}
