/**
 * @module `turnproof import`: imports legacy bundles of versions 1 to 3, from files or the
 * databases of earlier providers, as events of the configured store, and their content as rows of
 * the configured memory. Unreadable records are reported by code, never by value.
 */
import type { Command } from "commander";
import { normalize } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { CodedError, isoMicros } from "@turnproof/semconv";
import { providersWith } from "@turnproof/store";
import type { EvidenceStore, MemoryStore } from "@turnproof/store";

import { openMemory, openStore } from "../backend/backend.ts";
import { readConfig } from "../config/read-config.ts";
import type { Config } from "../config/config.ts";
import { keepContent, legacyContent } from "../memory/legacy-content.ts";
import { anyOf } from "../config/config-variables.ts";
import { withJson } from "./command.ts";
import { appendAll } from "./evidence-copy.ts";
import { attempt } from "./failure.ts";
import { defaultTable, recordsOf } from "./import-sources.ts";
import { exitCodes, printJson, printTable, write } from "./terminal.ts";

interface ImportFlags {
  readonly json?: boolean;
  readonly apply?: boolean;
  /** False with `--no-content`. */
  readonly content: boolean;
  readonly table: string;
  readonly dataDir?: string;
  readonly backend?: string;
}

/** Counts of the records. */
interface Report {
  files: number;
  rows: number;
  events: number;
  duplicates: number;
  /** Events without a root of their own got one from their turn or bundle. */
  rootless: number;
  /** Events whose content was stored, or would be. */
  content: number;
  readonly findings: { [code: string]: number };
}

/** Where it is written; unset in a dry run. */
interface Target {
  readonly store: EvidenceStore | undefined;
  readonly memory: MemoryStore | undefined;
}

/** Adds the command. */
export function addImportCommand(program: Command): void {
  withJson(program.command("import <source>"))
    .description("read legacy bundles (v1 to v3) from files, PostgreSQL or MongoDB into the store")
    .option("--apply", "write; without it records are only read and reported")
    .option("--table <name>", "table or collection that holds the bundles", defaultTable)
    .option("--no-content", "do not import content; otherwise only reveal shows it")
    .option("--backend <kind>", anyOf(providersWith("evidence", "durable")))
    .option("--data-dir <dir>", "directory of embedded stores (default .turnproof)")
    .addHelpText(
      "after",
      `
The source is a folder or a file, or one of the words postgres (TURNPROOF_POSTGRES_URL) and mongodb
(DOCUMENT_DB_URI). A file holds one record, a list of them, or one per line (.jsonl, .ndjson).

  turnproof import ./old-traces
  turnproof import postgres --table public.trace_bundles \\
    --backend clickhouse --apply

Only allowlisted fields become evidence. Content becomes rows of the memory backend, which expire as
previews (turnproof retention) and which POST /traces/reveal alone shows. Running it again writes
nothing twice. Exit code 3 when some records could not be read. Stop a collector that uses the
embedded store.`,
    )
    .action((source: string, flags: ImportFlags) => attempt(flags, () => importAll(source, flags)));
}

async function importAll(source: string, flags: ImportFlags): Promise<void> {
  const config = readConfig(flags);
  const counts = { files: 0, rows: 0, events: 0, duplicates: 0, rootless: 0, content: 0 };
  const report: Report = { ...counts, findings: {} };
  const target = await openTarget(config, flags);
  try {
    for await (const { rows, files } of recordsOf(source, flags.table, config)) {
      report.files = files;
      await importRows(rows, report, target);
      await importContent(rows, report, target, flags.content && config.memoryBackend !== "none");
      if (process.stderr.isTTY) process.stderr.write(`\r${report.rows} records`);
    }
  } finally {
    await target.store?.close();
    await target.memory?.close();
  }
  if (process.stderr.isTTY) process.stderr.write("\r");
  printReport(report, flags);
}

async function openTarget(config: Config, flags: ImportFlags): Promise<Target> {
  if (flags.apply !== true) return { store: undefined, memory: undefined };
  const store = await openStore(config);
  try {
    return { store, memory: flags.content ? await openMemory(config) : undefined };
  } catch (error) {
    await store.close();
    throw error;
  }
}

function printReport(report: Report, flags: ImportFlags): void {
  const applied = flags.apply === true;
  if (flags.json === true) printJson({ applied, ...report });
  else {
    const { files, rows, events, duplicates, rootless, content } = report;
    printTable(
      ["SOURCES", "RECORDS", "EVENTS", "COPIES", "WITHOUT ROOT", "WITH WORDS"],
      [[files, rows, events, duplicates, rootless, content].map(String)],
    );
    for (const [code, count] of Object.entries(report.findings)) write(`${count} × ${code}`);
    if (!applied) write("A dry run: --apply writes these events.");
  }
  const clean = Object.keys(report.findings).length === 0;
  process.exitCode = clean ? exitCodes.ok : exitCodes.partial;
}

async function importContent(
  rows: readonly unknown[],
  report: Report,
  { memory }: Target,
  wanted: boolean,
): Promise<void> {
  if (!wanted) return;
  for (const row of rows) {
    const content = legacyContent(row, withRoot);
    report.content += content.length;
    if (memory !== undefined) await keepContent(memory, content);
  }
}

async function importRows(
  rows: readonly unknown[],
  report: Report,
  { store }: Target,
): Promise<void> {
  const { events, errors, duplicates_removed } = normalize(rows);
  report.rows += rows.length;
  report.duplicates += duplicates_removed;
  for (const { code, count } of errors) {
    report.findings[code] = (report.findings[code] ?? 0) + count;
  }
  report.rootless += events.filter((event) => event.root_trace_id === undefined).length;
  const rooted = events.map(withRoot);
  report.events += rooted.length;
  if (store === undefined || rooted.length === 0) return;
  const receivedAt = isoMicros(Date.now() * 1_000);
  try {
    await appendAll(store, rooted, receivedAt);
  } catch (error) {
    // A row that the store refuses must not prevent the others.
    if (!CodedError.is(error) || error.code !== "store_rejected_row") throw error;
    report.events -= rooted.length;
    for (const event of rooted) report.events += await appendOne(store, event, receivedAt, report);
  }
}

async function appendOne(
  store: EvidenceStore,
  event: TurnEvent,
  receivedAt: string,
  report: Report,
): Promise<number> {
  try {
    await appendAll(store, [event], receivedAt);
    return 1;
  } catch (error) {
    if (!CodedError.is(error) || error.code !== "store_rejected_row") throw error;
    report.findings[error.code] = (report.findings[error.code] ?? 0) + 1;
    return 0;
  }
}

/** A store keeps evidence by root; a legacy row without one is a root of its own turn. */
function withRoot(event: TurnEvent): TurnEvent {
  if (event.root_trace_id !== undefined) return event;
  const own = event.turn_id ?? event.run_id ?? event.thread_id ?? event.event_id;
  return { ...event, root_trace_id: `legacy:${own}`.slice(0, 240) };
}
