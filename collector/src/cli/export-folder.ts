/**
 * @module ExportFolder: the folder of an export: whole files, one for each part, and `export.json`,
 * which names them and has the cursor of the next part. A file is complete before it is named
 * there, so that a command killed at any time is resumed without a lost or doubled row.
 */
import { createHash } from "node:crypto";
import { mkdir, open, readFile, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";

import { CodedError } from "@turnproof/semconv";
import { z } from "zod";

const fileName = "export.json";

const manifestShape = z.strictObject({
  version: z.literal(1),
  table: z.string(),
  format: z.string(),
  /** Digest of the filters: a resumed export has the same. */
  filters: z.string(),
  /** Everything received by then was readable when the export began. */
  as_of: z.string(),
  parts: z.array(
    z.strictObject({
      file: z.string(),
      rows: z.number(),
      sha256: z.string(),
      /**
       * Size, and the cursor that it was read with (null: the start). Earlier lists have neither.
       */
      bytes: z.number().exactOptional(),
      cursor: z.string().nullable().exactOptional(),
    }),
  ),
  next_cursor: z.string().nullable(),
  /** False where frames were pending, records unreadable, or a bound ended a reading. */
  window_complete: z.boolean(),
});

/** What `export.json` holds. */
export type ExportManifest = z.output<typeof manifestShape>;

/** A file of the list. */
export type ExportPart = ExportManifest["parts"][number];

/** Digest of parameters. */
export function filtersDigest(parameters: Readonly<Record<string, unknown>>): string {
  const set = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const text = JSON.stringify(set.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return createHash("sha256").update(text).digest("hex");
}

/**
 * The state of a folder, without files of an unfinished part; undefined for a new one.
 *
 * @throws CodedError `parameter_invalid` for a folder that has other files, or a damaged list
 */
export async function readFolder(folder: string): Promise<ExportManifest | undefined> {
  await mkdir(folder, { recursive: true });
  const files = await readdir(folder);
  if (!files.includes(fileName)) {
    if (files.some((name) => !name.endsWith(".unfinished"))) refuse();
    return undefined;
  }
  const parsed = manifestShape.safeParse(
    parsedJson(await readFile(join(folder, fileName), "utf8")),
  );
  if (!parsed.success) return refuse();
  const named = new Set(parsed.data.parts.map(({ file }) => file));
  for (const name of files) {
    if (/^part-\d+\./.test(name) && !named.has(name)) await rm(join(folder, name));
  }
  return parsed.data;
}

/** Adds a part, then the list that names it; both are on disk before this returns. */
export async function addPart(
  folder: string,
  manifest: ExportManifest,
  part: {
    readonly bytes: readonly Uint8Array[];
    readonly rows: number;
    readonly cursor: string | null;
  },
): Promise<ExportManifest> {
  const number = String(manifest.parts.length + 1).padStart(6, "0");
  const file = `part-${number}.${manifest.format}`;
  await replaceFile(folder, file, part.bytes);
  const { bytes, rows, cursor } = part;
  const listed = { file, rows, sha256: digestOf(bytes), bytes: lengthOf(bytes), cursor };
  return { ...manifest, parts: [...manifest.parts, listed] };
}

function digestOf(pieces: readonly Uint8Array[]): string {
  const digest = createHash("sha256");
  for (const piece of pieces) digest.update(piece);
  return digest.digest("hex");
}

function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/** Whether these are the bytes of a listed file, piece by piece. */
export function isPart(
  { bytes: size, sha256 }: ExportPart,
  pieces: readonly Uint8Array[],
): boolean {
  return (size === undefined || size === lengthOf(pieces)) && digestOf(pieces) === sha256;
}

/** The listed files that are missing, or that have another size or digest. */
export async function damagedParts(
  folder: string,
  { parts }: ExportManifest,
): Promise<readonly ExportPart[]> {
  const damaged: ExportPart[] = [];
  for (const part of parts) {
    const bytes = await readFile(join(folder, part.file)).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      return undefined;
    });
    if (bytes === undefined || !isPart(part, [bytes])) damaged.push(part);
  }
  return damaged;
}

/** Writes a listed file again. */
export function restorePart(
  folder: string,
  part: ExportPart,
  bytes: readonly Uint8Array[],
): Promise<void> {
  return replaceFile(folder, part.file, bytes);
}

/** Writes the list. */
export async function writeManifest(folder: string, manifest: ExportManifest): Promise<void> {
  await replaceFile(folder, fileName, [Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)]);
}

async function replaceFile(
  folder: string,
  name: string,
  pieces: readonly Uint8Array[],
): Promise<void> {
  const unfinished = join(folder, `${name}.unfinished`);
  const handle = await open(unfinished, "w");
  try {
    await handle.writeFile(pieces);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(unfinished, join(folder, name));
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refuse(): never {
  throw new CodedError("parameter_invalid", { field: "out" });
}
