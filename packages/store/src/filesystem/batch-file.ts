/**
 * @module BatchFile: one appended batch as one file: a line per event, root by root, then the
 * manifest, written last, that says where each root lies, and the length of the manifest. The file
 * is renamed into place whole, so a batch is there with its manifest or not at all.
 */
import type { EvidenceBatch } from "@turnproof/evidence";
import { createHash } from "node:crypto";

import { groupBy } from "@turnproof/semconv";
import type { StoredEvent } from "../stored-event.ts";
import { epochMicros } from "../time.ts";
import { parseObject } from "./document.ts";

/** Where the rows of one root lie in a batch, and when they were received, in microseconds. */
export interface RootPart {
  readonly root: string;
  readonly at: number;
  readonly length: number;
  readonly rows: number;
  readonly first: number;
  readonly last: number;
}

/** What a batch says of itself. */
export interface Manifest {
  readonly format: typeof batchFormat;
  readonly batch_id: string;
  readonly received_at: string;
  readonly rows: number;
  /** Hash of all lines. */
  readonly checksum: string;
  readonly roots: readonly RootPart[];
}

const batchFormat = 1;
/** Digits of the manifest's length, and the line end behind them. */
const trailerBytes = 13;
/** Bytes at the end of a batch that are read first; most manifests lie within. */
export const tailBytes = 65_536;

/** Name of a batch's file. */
export function batchName(batchId: string): string {
  return `b_${createHash("sha256").update(batchId).digest("hex")}.ndjson`;
}

/** True for what {@link batchName} gives. */
export function isBatchName(name: string): boolean {
  return /^b_[0-9a-f]{64}\.ndjson$/.test(name);
}

/** Folder of a received time: its day. */
export function dayOf(receivedAt: string): string {
  return /^\d{4}-\d\d-\d\d(?=T)/.exec(receivedAt)?.[0] ?? "undated";
}

/** True for what {@link dayOf} gives. */
export function isDay(name: string): boolean {
  return name === "undated" || /^\d{4}-\d\d-\d\d$/.test(name);
}

/** The bytes of a batch and its manifest. */
export function encodeBatch(
  batch: EvidenceBatch,
  events: readonly StoredEvent[],
): { readonly bytes: Buffer; readonly manifest: Manifest } {
  const chunks: Buffer[] = [];
  const roots: RootPart[] = [];
  const hash = createHash("sha256");
  let at = 0;
  for (const [root, own] of groupBy(events, (event) => event.root_trace_id ?? "")) {
    const lines = Buffer.from(own.map((event) => `${JSON.stringify(event)}\n`).join(""), "utf8");
    const times = own.map((event) => epochMicros(event.received_at));
    const first = times.reduce((a, b) => Math.min(a, b));
    const last = times.reduce((a, b) => Math.max(a, b));
    roots.push({ root, at, length: lines.length, rows: own.length, first, last });
    chunks.push(lines);
    hash.update(lines);
    at += lines.length;
  }
  const manifest: Manifest = {
    format: batchFormat,
    batch_id: batch.batchId,
    received_at: batch.receivedAt,
    rows: events.length,
    checksum: hash.digest("hex"),
    roots,
  };
  const last = Buffer.from(`${JSON.stringify(manifest)}\n`, "utf8");
  chunks.push(last, Buffer.from(`${String(last.length).padStart(trailerBytes - 1, "0")}\n`));
  return { bytes: Buffer.concat(chunks), manifest };
}

/**
 * The manifest at the end of a batch. `tail` are the last bytes of the file; a number is how many
 * more are needed, undefined that there is no manifest.
 */
export function decodeManifest(tail: Buffer): Manifest | number | undefined {
  const digits = tail.subarray(-trailerBytes).toString("latin1");
  if (!/^\d{12}\n$/.test(digits)) return undefined;
  const needed = Number(digits) + trailerBytes;
  if (needed > tail.length) return needed;
  const parsed = parseObject(tail.subarray(-needed, -trailerBytes));
  if (parsed === undefined || parsed["format"] !== batchFormat) return undefined;
  const manifest = parsed as unknown as Manifest;
  const rows = manifest.roots.reduce((sum, part) => sum + part.rows, 0);
  return rows === manifest.rows ? manifest : undefined;
}

/** True when the lines before the manifest are those that it was written for. */
export function holdsItsRows(bytes: Buffer, manifest: Manifest): boolean {
  const length = manifest.roots.reduce((sum, part) => sum + part.length, 0);
  const lines = bytes.subarray(0, length);
  return createHash("sha256").update(lines).digest("hex") === manifest.checksum;
}

/** The events of a part of a batch; undefined where a line is damaged or of another root. */
export function decodeEvents(bytes: Buffer, part: RootPart): readonly StoredEvent[] | undefined {
  const lines = bytes.toString("utf8").split("\n").slice(0, -1);
  const events = lines.map((line) => parseObject(line));
  const whole =
    events.length === part.rows && events.every((one) => one?.["root_trace_id"] === part.root);
  return whole ? (events as unknown as StoredEvent[]) : undefined;
}
