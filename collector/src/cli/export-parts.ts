/** @module ExportParts: `turnproof export --out`: a table, part by part, into a folder. */
import { CodedError } from "@turnproof/semconv";

import type { Client, Parameters } from "./client.ts";
import { addPart, filtersDigest, readFolder, writeManifest } from "./export-folder.ts";
import type { ExportManifest } from "./export-folder.ts";
import { exitCodes, printJson, write } from "./terminal.ts";

/** What is exported, and where to. */
export interface ExportParts {
  readonly folder: string;
  readonly table: string;
  readonly format: string;
  readonly filters: Parameters;
  readonly resume: boolean;
  readonly json: boolean;
}

/**
 * Writes the parts that the folder lacks, and returns the list of all. One part at a time is in
 * memory.
 *
 * @throws CodedError `parameter_invalid` for a folder of another export, or a started one without
 * `resume`
 */
export async function exportParts(client: Client, requested: ExportParts): Promise<ExportManifest> {
  const { folder, table, format, filters } = requested;
  let manifest = await startOf(requested);
  let first = manifest.parts.length === 0;
  while (first || manifest.next_cursor !== null) {
    first = false;
    const answer = await client.answer("/traces/export", {
      ...filters,
      table,
      format,
      cursor: manifest.next_cursor ?? undefined,
    });
    const stated = (name: string): string | null => answer.headers.get(`turnproof-${name}`);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    // A command killed before its first part is listed leaves a folder that can be resumed.
    if (manifest.parts.length === 0) await writeManifest(folder, manifest);
    const added = await addPart(folder, manifest, { bytes, rows: Number(stated("rows") ?? 0) });
    const whole = stated("window") === "complete" && stated("unread") === "0";
    manifest = {
      ...added,
      as_of: manifest.as_of === "" ? (stated("as-of") ?? "") : manifest.as_of,
      next_cursor: stated("next-cursor"),
      window_complete: manifest.window_complete && whole,
    };
    await writeManifest(folder, manifest);
    if (process.stderr.isTTY) process.stderr.write(`\r${rowsOf(manifest)} rows`);
  }
  if (process.stderr.isTTY) process.stderr.write("\r");
  return manifest;
}

/** Prints what an export wrote, and sets the exit code. */
export function printExport({ table, format, json }: ExportParts, manifest: ExportManifest): void {
  const { parts, window_complete: complete } = manifest;
  if (json) printJson({ table, format, rows: rowsOf(manifest), parts: parts.length, complete });
  else write(`${rowsOf(manifest)} rows of ${table} in ${parts.length} files.`);
  if (!complete) write("Some records could not be read, or were not readable yet.");
  process.exitCode = complete ? exitCodes.ok : exitCodes.partial;
}

async function startOf(requested: ExportParts): Promise<ExportManifest> {
  const { folder, table, format, filters, resume } = requested;
  const digest = filtersDigest(filters);
  const held = await readFolder(folder);
  if (held === undefined) {
    return {
      version: 1,
      table,
      format,
      filters: digest,
      as_of: "",
      parts: [],
      next_cursor: null,
      window_complete: true,
    };
  }
  const same = held.table === table && held.format === format && held.filters === digest;
  if (!same || !resume) throw new CodedError("parameter_invalid", { field: "resume" });
  return held;
}

function rowsOf({ parts }: ExportManifest): number {
  return parts.reduce((sum, { rows }) => sum + rows, 0);
}
