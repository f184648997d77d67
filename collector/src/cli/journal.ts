/**
 * @module `turnproof journal`: records in quarantine beside the journal, permanently refused by
 * the store or unreadable. `list` prints them and the reason, whether or not a collector runs;
 * `replay` sends them to the store again, and needs the journal for itself.
 */
import { access } from "node:fs/promises";
import { join } from "node:path";

import type { Command } from "commander";
import { readQuarantine, replayQuarantine } from "@turnproof/journal";

import { openStore } from "../backend/backend.ts";
import { readConfig } from "../config/read-config.ts";
import { bytesText } from "../ui/display/figures.ts";
import { decodeFrame } from "../receive/otlp/frame-codec.ts";
import { setAsideOf } from "../receive/otlp/quarantined-record.ts";
import type { SetAside } from "../receive/otlp/quarantined-record.ts";
import { openCommandJournal } from "./command-journal.ts";
import { withJson } from "./command.ts";
import { attempt } from "./failure.ts";
import { exitCodes, printJson, printTable, printable, write } from "./terminal.ts";

interface JournalFlags {
  readonly json?: boolean;
  readonly dataDir?: string;
}

/** Adds the commands. */
export function addJournalCommand(program: Command): void {
  const journal = program.command("journal").description("the journal between receiver and store");
  withJson(journal.command("list"))
    .description("list the rows in quarantine with the reason; works while the collector runs")
    .option("--data-dir <dir>", "directory of the journal (default .turnproof)")
    .addHelpText(
      "after",
      `
A line is one record: when it was set aside, the reason, how many items, their bytes, the
applications that sent them, and which items of the frame they are. Content is never shown.

  store_rejected_row   the store always refuses these items; a newer
                       version may accept them
  record_invalid       the frame cannot be read by this version
  damaged              the record itself was changed on the disk: nothing
                       can be replayed

Exit code 0 when nothing is in quarantine, 3 otherwise. After the cause is fixed, stop the
collector and run \`turnproof journal replay\`.`,
    )
    .action((flags: JournalFlags) => attempt(flags, () => list(flags)));
  withJson(journal.command("replay"))
    .description("store quarantined rows again; stop the collector first")
    .option("--data-dir <dir>", "directory of the journal (default .turnproof)")
    .addHelpText(
      "after",
      `
Exit code 0 when nothing is left in quarantine, 3 otherwise; \`turnproof journal list\` has the reasons.`,
    )
    .action((flags: JournalFlags) => attempt(flags, () => replay(flags)));
}

function directoryOf(flags: JournalFlags): string {
  return join(readConfig(configured(flags)).dataDir, "journal");
}

const configured = ({ dataDir }: JournalFlags): { dataDir?: string } =>
  dataDir === undefined ? {} : { dataDir };

async function list(flags: JournalFlags): Promise<void> {
  const records: SetAside[] = [];
  for await (const record of readQuarantine(directoryOf(flags))) records.push(setAsideOf(record));
  const items = records.reduce((sum, { items: some }) => sum + (some ?? 0), 0);
  const damaged = records.filter(({ reason }) => reason === "damaged").length;
  if (flags.json === true) printJson({ records, items, damaged });
  else {
    printTable(
      ["SET ASIDE", "REASON", "ITEMS", "SIZE", "FROM", "PLACES", "RECORD"],
      records.map((record) => [
        record.set_aside_at?.slice(0, 19) ?? "?",
        record.reason,
        record.items === null ? "?" : String(record.items),
        bytesText(record.bytes),
        record.producers === null ? "?" : record.producers.map(printable).join(" ") || "?",
        placesText(record.places),
        record.id.slice(0, 12),
      ]),
      "Nothing is in quarantine.",
    );
    if (records.length > 0) {
      write("Mend the cause, stop the collector and run `turnproof journal replay`.");
    }
  }
  process.exitCode = records.length === 0 ? exitCodes.ok : exitCodes.partial;
}

/** Most positions that fit into a line. */
const placesMax = 6;

function placesText(places: readonly number[] | null): string {
  if (places === null) return "?";
  const shown = places.slice(0, placesMax).join(",");
  return places.length > placesMax ? `${shown},+${places.length - placesMax}` : shown;
}

async function replay(flags: JournalFlags): Promise<void> {
  const config = readConfig(configured(flags));
  const directory = directoryOf(flags);
  // A mistyped directory has no quarantine, and checking must not create it.
  await access(directory);
  const journal = await openCommandJournal(directory);
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
