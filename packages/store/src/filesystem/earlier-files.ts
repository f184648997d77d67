/**
 * @module EarlierFiles: reads batches in the format of earlier versions: one file each, a line per
 * event, root by root, then a manifest with the position of each root, and the length of the
 * manifest. They are never written.
 */
import { createHash } from "node:crypto";

import type { StoredEvent } from "../stored-event.ts";
import type { Disk, DiskPlace } from "./disk.ts";
import { parseObject } from "./document.ts";

/** Folder of the batches. */
const batchesPlace: DiskPlace = ["evidence", "batches"];
/** Folder of all evidence of earlier versions. */
const earlierPlace: DiskPlace = ["evidence"];

/** Position of one root's rows in a batch, and when they were received, in microseconds. */
interface RootPart {
  readonly root: string;
  readonly at: number;
  readonly length: number;
  readonly rows: number;
  readonly first: number;
  readonly last: number;
}

interface Manifest {
  readonly batch_id: string;
  readonly received_at: string;
  readonly rows: number;
  /** Hash of all lines. */
  readonly checksum: string;
  readonly roots: readonly RootPart[];
}

/** A part of a batch whose lines were changed. */
export type DamagedPart = Pick<RootPart, "root" | "rows" | "first" | "last">;

/** A batch as read. */
export interface EarlierBatch {
  readonly batchId: string;
  readonly events: readonly StoredEvent[];
  /** Parts whose rows cannot be read. */
  readonly damaged: readonly DamagedPart[];
}

/** The files of batches, oldest day first. */
export async function earlierBatchFiles(disk: Disk): Promise<readonly DiskPlace[]> {
  const days = (await disk.list(batchesPlace)).filter(isDay).toSorted();
  const places: DiskPlace[] = [];
  for (const day of days) {
    const names = (await disk.list([...batchesPlace, day])).filter(isBatchName).toSorted();
    places.push(...names.map((name) => [...batchesPlace, day, name]));
  }
  return places;
}

/** Reads a batch; undefined where its content is unknown. */
export async function readEarlierBatch(
  disk: Disk,
  place: DiskPlace,
): Promise<EarlierBatch | undefined> {
  const bytes = await disk.read(place);
  const manifest = bytes === undefined ? undefined : decodeManifest(bytes);
  if (bytes === undefined || manifest === undefined) return undefined;
  const length = manifest.roots.reduce((sum, part) => sum + part.length, 0);
  const sum = createHash("sha256").update(bytes.subarray(0, length)).digest("hex");
  const events: StoredEvent[] = [];
  const damaged: DamagedPart[] = [];
  for (const part of manifest.roots) {
    const own = decodeEvents(bytes.subarray(part.at, part.at + part.length), part);
    if (own === undefined) damaged.push(part);
    else for (const event of own) events.push(event);
  }
  // Readable lines that differ from the written ones count as damaged too.
  const whole = sum === manifest.checksum || damaged.length > 0;
  return whole
    ? { batchId: manifest.batch_id, events, damaged }
    : { batchId: manifest.batch_id, events: [], damaged: manifest.roots };
}

/** Deletes the evidence files of earlier versions. */
export async function dropEarlierFiles(disk: Disk): Promise<void> {
  await dropFolder(disk, earlierPlace);
}

async function dropFolder(disk: Disk, folder: DiskPlace): Promise<void> {
  for (const name of await disk.list(folder)) {
    const place = [...folder, name];
    if ((await disk.stat(place))?.kind === "folder") await dropFolder(disk, place);
    else await disk.remove(place);
  }
  await disk.prune(folder);
}

function isBatchName(name: string): boolean {
  return /^b_[0-9a-f]{64}\.ndjson$/.test(name);
}

function isDay(name: string): boolean {
  return name === "undated" || /^\d{4}-\d\d-\d\d$/.test(name);
}

/** Digits of the manifest's length, and the line end after them. */
const trailerBytes = 13;

function decodeManifest(bytes: Buffer): Manifest | undefined {
  const digits = bytes.subarray(-trailerBytes).toString("latin1");
  if (!/^\d{12}\n$/.test(digits)) return undefined;
  const needed = Number(digits) + trailerBytes;
  if (needed > bytes.length) return undefined;
  const parsed = parseObject(bytes.subarray(-needed, -trailerBytes));
  if (parsed?.["format"] !== 1) return undefined;
  const manifest = parsed as unknown as Manifest;
  const rows = manifest.roots.reduce((sum, part) => sum + part.rows, 0);
  return rows === manifest.rows ? manifest : undefined;
}

/** The events of a part; undefined where a line is damaged or belongs to another root. */
function decodeEvents(bytes: Buffer, part: RootPart): readonly StoredEvent[] | undefined {
  const lines = bytes.toString("utf8").split("\n").slice(0, -1);
  const events = lines.map((line) => parseObject(line));
  const whole =
    events.length === part.rows && events.every((one) => one?.["root_trace_id"] === part.root);
  return whole ? (events as unknown as StoredEvent[]) : undefined;
}
