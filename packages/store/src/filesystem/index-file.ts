/** @module IndexFile: the native index of one batch, beside it, under the checksum of its rows. */
import { groupBy } from "@turnproof/semconv";
import type { StoredEvent } from "../stored-event.ts";
import type { Manifest } from "./batch-file.ts";
import { decodeEvents } from "./batch-file.ts";
import type { Disk, Place } from "./disk.ts";
import { parseObject } from "./document.ts";
import { termsOfAll } from "../index-terms.ts";

/** Terms of each root of a batch. */
export type BatchTerms = readonly (readonly [root: string, terms: readonly number[]])[];

/** Where the index lies. */
export const indexPlace: Place = ["evidence", "index"];
/** Stands while appends index what they write. */
export const provisionPlace: Place = [...indexPlace, "provision.json"];

/** Of the first format the events themselves could not be found; such a file leads nobody. */
const format = 2;

/** Place of the index of a batch. */
export function indexPlaceOf(batch: Place): Place {
  return [...indexPlace, batch.at(-2) ?? "", `${batch.at(-1) ?? ""}.json`];
}

/** The terms of a batch's events. */
export function termsOfBatch(events: readonly StoredEvent[]): BatchTerms {
  return [...groupBy(events, (event) => event.root_trace_id ?? "")].map(
    ([root, own]) => [root, termsOfAll(own)] as const,
  );
}

/** The terms of a batch, made anew from its rows; undefined where they are damaged. */
export async function termsFromRows(
  disk: Disk,
  batch: Place,
  manifest: Manifest,
): Promise<BatchTerms | undefined> {
  const terms: (readonly [string, readonly number[]])[] = [];
  const bytes = await disk.read(batch);
  for (const part of manifest.roots) {
    const own = bytes?.subarray(part.at, part.at + part.length);
    const events = own === undefined ? undefined : decodeEvents(own, part);
    if (events === undefined) return undefined;
    terms.push([part.root, termsOfAll(events)]);
  }
  return terms;
}

/** Writes the index of a batch; durable when it resolves. */
export async function writeIndexFile(
  disk: Disk,
  batch: Place,
  manifest: Manifest,
  roots: BatchTerms,
): Promise<void> {
  const place = indexPlaceOf(batch);
  const text = JSON.stringify({ format, checksum: manifest.checksum, roots });
  await disk.ensure(place.slice(0, -1));
  await disk.replace(place, Buffer.from(text, "utf8"));
  await disk.sync(place.slice(0, -1));
}

/** The index of a batch; undefined where there is none for these very rows. */
export async function readIndexFile(
  disk: Disk,
  batch: Place,
  manifest: Manifest,
): Promise<BatchTerms | undefined> {
  const bytes = await disk.read(indexPlaceOf(batch));
  const parsed = bytes === undefined ? undefined : parseObject(bytes);
  if (parsed?.["format"] !== format || parsed["checksum"] !== manifest.checksum) return undefined;
  const roots = parsed["roots"];
  const whole = Array.isArray(roots) && roots.length === manifest.roots.length;
  return whole ? (roots as BatchTerms) : undefined;
}
