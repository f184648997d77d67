/**
 * @module `turnproof export`: all events matching the filters, one JSON per line, following
 * cursors; or events, turns or calls as files of a folder.
 */
import type { Command } from "commander";
import type { EventPage } from "@turnproof/evidence";
import { CodedError, limits } from "@turnproof/semconv";

import { tableFormatNames } from "../tables/formats.ts";
import { Refusal, createClient } from "./client.ts";
import { filterParameters, withClient, withFilters } from "./command.ts";
import type { FilterFlags, SharedFlags } from "./command.ts";
import { exportGoldens } from "./export-goldens.ts";
import { exportParts, printExport } from "./export-parts.ts";
import { attempt } from "./failure.ts";
import { retried } from "./retried.ts";
import { exitCodes, write } from "./terminal.ts";

interface ExportFlags extends SharedFlags, FilterFlags {
  readonly store?: string;
  readonly pages?: boolean;
  readonly asGoldens?: boolean;
  readonly filter?: string;
  readonly limit: string;
  readonly out?: string;
  readonly format?: string;
  readonly table?: string;
  readonly resume?: boolean;
}

/** Adds the command. */
export function addExportCommand(program: Command): void {
  withFilters(withClient(program.command("export")))
    .description("write all events under the filters to stdout, one JSON per line; or to files")
    .option("--turn <id>", "only this turn")
    .option("--since <time>", "child events at or after this time (ISO 8601)")
    .option("--until <time>", "child events before this time (ISO 8601)")
    .option("--store <store>", "trace, conversation, tool_log or all")
    .option("--pages", "write whole pages instead, with read metadata")
    .option("--as-goldens", "write golden trajectories of the turns, as YAML")
    .option(
      "--filter <terms>",
      "with --as-goldens, or with --table turns or calls: turns under these terms of the filter bar",
    )
    .option("--limit <n>", "with --as-goldens: the newest turns, at most so many", "100")
    .option("--out <folder>", "write files into this folder instead, with export.json beside them")
    .option("--format <format>", `with --out: ${tableFormatNames.join(", ")} (default parquet)`)
    .option("--table <table>", "with --out: events, turns or calls (default events)")
    .option("--resume", "with --out: continue an export that was interrupted")
    .addHelpText(
      "after",
      // At each start of a command, a formatted number would load the data of the locales.
      () => `
Exit code 3 when the window could not be read completely, or a turn gave no golden trajectory:
one that did not end, or a part of which may be missing.
Files have up to ${limits.exportRowsMax.toLocaleString("en")} events or turns each and are read together by their
pattern; an interrupted export is resumed within a week.
Filters of turns and calls select turns: the file of calls has all calls of these turns.

  turnproof export --root "$TRACE_ID" --pages > window.ndjson
  turnproof reconcile --events window.ndjson
  turnproof export --as-goldens --filter 'release:3.2 verdict:success' \\
    > contracts/goldens.yaml
  turnproof export --format parquet --table turns --since 2026-11-01 \\
    --filter 'release:3.2 verdict:failed' --out ./turns
  duckdb -c "SELECT verdict, count(*) FROM './turns/*.parquet' GROUP BY ALL"`,
    )
    .action((flags: ExportFlags) =>
      attempt(flags, () => (flags.asGoldens === true ? exportGoldens(flags) : exportEvents(flags))),
    );
}

/** Flags that only files have, and flags that they do not have. */
const fileFlags = ["format", "table", "resume"] as const;

async function exportEvents(flags: ExportFlags): Promise<void> {
  const { out, format = "parquet", table = "events" } = flags;
  // The terms select turns, and events are listed by other filters.
  if (flags.filter !== undefined && (out === undefined || table === "events")) {
    throw new CodedError("parameter_invalid", { field: "filter" });
  }
  if (out !== undefined) {
    if (flags.pages === true) throw new CodedError("parameter_invalid", { field: "pages" });
    const filters = { ...filterParameters(flags), store: flags.store, q: flags.filter };
    const { resume = false, json = false } = flags;
    const requested = { folder: out, table, format, filters, resume, json };
    const parts = exportParts(createClient(flags), requested).catch(resumable);
    return printExport(requested, await parts);
  }
  const field = fileFlags.find((name) => flags[name] !== undefined);
  if (field !== undefined) throw new CodedError("parameter_invalid", { field });
  return exportLines(flags);
}

/** A failure of the collector that leaves whole parts in the folder, with what continues them. */
function resumable(error: unknown): never {
  const isBusy = error instanceof Refusal && (error.status >= 500 || error.status === 429);
  if (!isBusy) throw error;
  const { status, code, message, field } = error;
  const detail = `${message} The same command with --resume continues the export.`;
  throw new Refusal(status, code, detail, field === undefined ? {} : { field });
}

async function exportLines(flags: ExportFlags): Promise<void> {
  const client = createClient(flags);
  let cursor: string | null = null;
  let events = 0;
  let failures = 0;
  do {
    const parameters = {
      ...filterParameters(flags),
      store: flags.store,
      limit: 1_000,
      cursor: cursor ?? undefined,
    };
    const page: EventPage = await retried(() =>
      client.json<EventPage>("/traces/events.json", parameters),
    );
    const lines = flags.pages === true ? [page] : page.items;
    if (lines.length > 0) {
      const text = `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
      // Waits for a slow reader, so that the history is never in memory as a whole.
      if (!process.stdout.write(text)) {
        await new Promise((resolve) => process.stdout.once("drain", resolve));
      }
    }
    events += page.items.length;
    failures += page.normalization_errors;
    cursor = page.next_cursor;
    if (process.stderr.isTTY) process.stderr.write(`\r${events} events`);
  } while (cursor !== null);
  if (process.stderr.isTTY) process.stderr.write("\r");
  write(`${events} events${failures > 0 ? `, ${failures} records could not be read` : ""}.`);
  if (failures > 0) process.exitCode = exitCodes.partial;
}
