/**
 * @module `turnproof import`: bundles of versions 1 to 3 from a folder of JSON and JSONL files, as
 * events of the configured store. What cannot be read is reported by code and file, never by value.
 */
import { createReadStream } from "node:fs";
import { readFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";

import type { Command } from "commander";
import { normalize } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";
import type { EvidenceStore } from "@turnproof/store";

import { openStore } from "../backend.ts";
import { readConfig } from "../config.ts";
import { withJson } from "./command.ts";
import { appendAll } from "./evidence-copy.ts";
import { attempt } from "./failure.ts";
import { exitCodes, printJson, printTable, say } from "./terminal.ts";

interface ImportFlags {
  readonly json?: boolean;
  readonly apply?: boolean;
  readonly dataDir?: string;
  readonly backend?: string;
}

/** What became of the files. */
interface Report {
  files: number;
  rows: number;
  events: number;
  duplicates: number;
  /** Events without a root of their own got one from their turn or bundle. */
  rootless: number;
  readonly findings: { [code: string]: number };
}

const batchRows = 500;

/** Adds the command. */
export function addImportCommand(program: Command): void {
  withJson(program.command("import <folder>"))
    .description("read legacy bundles (v1 to v3) from JSON and JSONL files into the store")
    .option("--apply", "write; without it files are only read and reported")
    .option("--backend <kind>", "clickhouse, filesystem or postgres")
    .option("--data-dir <dir>", "where embedded stores lie (default .turnproof)")
    .addHelpText(
      "after",
      `
A file holds one record, a list of them, or one per line (.jsonl, .ndjson). Only allowlisted fields
become evidence; texts stay where they are. Running it again writes nothing twice.
Exit code 3 when some records could not be read. Stop a collector that uses the embedded store.`,
    )
    .action((folder: string, flags: ImportFlags) => attempt(flags, () => importAll(folder, flags)));
}

async function importAll(folder: string, flags: ImportFlags): Promise<void> {
  const config = readConfig(flags);
  const report: Report = { files: 0, rows: 0, events: 0, duplicates: 0, rootless: 0, findings: {} };
  const store = flags.apply === true ? await openStore(config) : undefined;
  try {
    for (const file of await filesOf(folder)) {
      report.files += 1;
      await importFile(file, report, store);
      if (process.stderr.isTTY) process.stderr.write(`\r${report.files} files`);
    }
  } finally {
    await store?.close();
  }
  if (process.stderr.isTTY) process.stderr.write("\r");
  const applied = flags.apply === true;
  if (flags.json === true) printJson({ applied, ...report });
  else {
    printTable(
      ["FILES", "RECORDS", "EVENTS", "COPIES", "WITHOUT ROOT"],
      [[report.files, report.rows, report.events, report.duplicates, report.rootless].map(String)],
    );
    for (const [code, count] of Object.entries(report.findings)) say(`${count} × ${code}`);
    if (!applied) say("A dry run: --apply writes these events.");
  }
  const clean = Object.keys(report.findings).length === 0;
  process.exitCode = clean ? exitCodes.ok : exitCodes.partial;
}

async function filesOf(folder: string): Promise<readonly string[]> {
  const at = await stat(folder);
  if (at.isFile()) return [folder];
  const names = await readdir(folder, { recursive: true });
  return names
    .filter((name) => /\.(json|jsonl|ndjson)$/i.test(name))
    .toSorted()
    .map((name) => join(folder, name));
}

async function importFile(
  file: string,
  report: Report,
  store: EvidenceStore | undefined,
): Promise<void> {
  let rows: unknown[] = [];
  for await (const row of rowsOf(file)) {
    rows.push(row);
    if (rows.length < batchRows) continue;
    await importRows(rows, report, store);
    rows = [];
  }
  if (rows.length > 0) await importRows(rows, report, store);
}

/** A line that is no JSON is a row that is no record: the normalizer says so. */
async function* rowsOf(file: string): AsyncGenerator<unknown> {
  if (/\.(jsonl|ndjson)$/i.test(file)) {
    const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity });
    for await (const line of lines) if (line.trim() !== "") yield parsed(line);
    return;
  }
  const value = parsed(await readFile(file, "utf8"));
  if (Array.isArray(value)) yield* value as unknown[];
  else yield value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

async function importRows(
  rows: readonly unknown[],
  report: Report,
  store: EvidenceStore | undefined,
): Promise<void> {
  const { events, errors, duplicates_removed } = normalize(rows);
  report.rows += rows.length;
  report.duplicates += duplicates_removed;
  for (const { code, count } of errors) {
    report.findings[code] = (report.findings[code] ?? 0) + count;
  }
  const rooted = events.map((event) => withRoot(event, report));
  report.events += rooted.length;
  if (store === undefined || rooted.length === 0) return;
  const receivedAt = new Date().toISOString().replace("Z", "000Z");
  try {
    await appendAll(store, rooted, receivedAt);
  } catch (error) {
    // One row that the store refuses must not keep the others out.
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
function withRoot(event: TurnEvent, report: Report): TurnEvent {
  if (event.root_trace_id !== undefined) return event;
  report.rootless += 1;
  const own = event.turn_id ?? event.run_id ?? event.thread_id ?? event.event_id;
  return { ...event, root_trace_id: `legacy:${own}`.slice(0, 240) };
}
