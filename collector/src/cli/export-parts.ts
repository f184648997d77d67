/** @module ExportParts: `turnproof export --out`: a table, part by part, into a folder. */
import { CodedError } from "@turnproof/semconv";

import { Refusal, wholeBody } from "./client.ts";
import type { Client, Parameters } from "./client.ts";
import {
  addPart,
  damagedParts,
  filtersDigest,
  isPart,
  readFolder,
  restorePart,
  writeManifest,
} from "./export-folder.ts";
import type { ExportManifest, ExportPart } from "./export-folder.ts";
import { retried } from "./retried.ts";
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
 * Writes the parts that the folder lacks, and returns the list of all. The collector reads a part
 * while the one before it arrives; two parts at a time are in memory. Of a resumed export each
 * listed file is compared with its size and digest, and fetched again where it differs. A part for
 * which the collector is busy is requested again.
 *
 * @throws CodedError `parameter_invalid` for a folder of another export, or a started one without
 * `resume`; `export_damaged` naming a file that cannot be fetched again as it was
 */
export async function exportParts(client: Client, requested: ExportParts): Promise<ExportManifest> {
  const { folder, table, format } = requested;
  let manifest = await startOf(requested);
  const { parts, next_cursor: from } = manifest;
  const stop = new AbortController();
  const request = (cursor: string | null): Promise<Response> => {
    const shared = { ...requested.filters, table, format, cursor: cursor ?? undefined };
    const read = () => client.answer("/traces/export", shared, stop.signal);
    const part = retried(read, stop.signal);
    // It can fail while the part before it arrives; it is awaited after that one.
    part.catch(() => {});
    return part;
  };
  for (const part of await damagedParts(folder, manifest)) {
    await restorePart(folder, part, await fetchedAgain(part, request));
  }
  let cursor = from;
  let coming = parts.length === 0 || from !== null ? request(from) : undefined;
  try {
    while (coming !== undefined) {
      const answer = await coming;
      const next = header(answer, "next-cursor");
      coming = next === null ? undefined : request(next);
      manifest = await withPart(folder, manifest, { answer, cursor });
      cursor = next;
      if (process.stderr.isTTY) process.stderr.write(`\r${rowsOf(manifest)} rows`);
    }
  } finally {
    stop.abort();
  }
  if (process.stderr.isTTY) process.stderr.write("\r");
  return manifest;
}

const header = (answer: Response, name: string): string | null =>
  answer.headers.get(`turnproof-${name}`);

/**
 * Reads a listed file from the collector again. A cursor keeps the time of the export, so the rows
 * are the same unless some were removed. The first part has no cursor: its rows are those of now.
 */
async function fetchedAgain(
  part: ExportPart,
  request: (cursor: string | null) => Promise<Response>,
): Promise<readonly Uint8Array[]> {
  const damaged = new CodedError("export_damaged", { field: part.file });
  if (part.cursor === undefined) throw damaged;
  try {
    const bytes = await wholeBody(await request(part.cursor));
    if (isPart(part, bytes)) return bytes;
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "cursor_rejected") throw error;
  }
  throw damaged;
}

/** Writes a part once its body is whole, then the list that names it. */
async function withPart(
  folder: string,
  manifest: ExportManifest,
  { answer, cursor }: { readonly answer: Response; readonly cursor: string | null },
): Promise<ExportManifest> {
  const bytes = await wholeBody(answer);
  // A command killed before its first part is listed leaves a folder that can be resumed.
  if (manifest.parts.length === 0) await writeManifest(folder, manifest);
  const rows = Number(header(answer, "rows") ?? 0);
  const next = header(answer, "next-cursor");
  // A filter may pass nothing of what a part read: only an export without rows has a file for it.
  const isKept = rows > 0 || (next === null && manifest.parts.length === 0);
  const added = isKept ? await addPart(folder, manifest, { bytes, rows, cursor }) : manifest;
  const whole = header(answer, "window") === "complete" && header(answer, "unread") === "0";
  const now = {
    ...added,
    as_of: manifest.as_of === "" ? (header(answer, "as-of") ?? "") : manifest.as_of,
    next_cursor: next,
    window_complete: manifest.window_complete && whole,
  };
  await writeManifest(folder, now);
  return now;
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
