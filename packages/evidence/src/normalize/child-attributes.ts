/**
 * @module ChildAttributes: reads the attributes of a stored event through the guard (vocabulary:
 * Attributes). Current children have registered names; older ones are read through a table of old
 * names. Text that no row admits is never copied.
 */
import {
  attribute,
  isRecord,
  registryRows,
  screen,
  screenValue,
  splitMetrics,
} from "@turnproof/semconv";
import type { AttributeName, EventKind, UntypedRecord } from "@turnproof/semconv";

import { nameDigest } from "@turnproof/semconv/name-key";

import type { EventAttributeMap } from "../event/event.ts";
import { legacyFieldsOf } from "./legacy/fields.ts";

/** Attributes that passed, and whether any was refused. */
export interface AttributeReading {
  readonly attributes: EventAttributeMap;
  readonly refused: boolean;
  /** True when the list of source ids was refused. */
  readonly sourcesRefused: boolean;
}

const attributeNames: ReadonlySet<string> = new Set(
  registryRows.filter((row) => row.slot === "attributes").map((row) => row.event),
);

const sourceIds: AttributeName = "grounding_source_ids";

/** Reads registered names; a refusal is a fault of the record. */
export function readAttributes(value: unknown, kind: EventKind): AttributeReading {
  if (value === undefined || value === null) return nothing;
  if (!isRecord(value)) return { ...nothing, refused: true };
  const input = withOlderNames(lenient(value, kind));
  const { kept, refusedCount } = screen(input, { names: "event", kind });
  let refused = refusedCount > 0;
  for (const name of Object.keys(kept)) {
    // Identity and references are separate fields; read from here they would bypass their checks.
    if (attributeNames.has(name)) continue;
    delete kept[name];
    refused = true;
  }
  const attributes: Record<string, unknown> = { ...kept };
  if (kind === "delivery" && input["acknowledged"] === null) attributes["acknowledged"] = null;
  const sources = input[sourceIds];
  const sourcesRefused = sources !== undefined && sources !== null && kept[sourceIds] === undefined;
  return {
    attributes,
    refused: refused && !(sourcesRefused && refusedCount === 1),
    sourcesRefused,
  };
}

const nothing: AttributeReading = { attributes: {}, refused: false, sourcesRefused: false };

const namingRows = registryRows.filter((row) => row.keyed === "name" && row.slot === "attributes");

/** A name that an older guard admitted is kept as its digest, without a fault of the record. */
function withOlderNames(value: UntypedRecord): UntypedRecord {
  let input = value;
  for (const row of namingRows) {
    const name = value[row.event];
    if (typeof name !== "string" || screenValue(row, name) === undefined) continue;
    input = { ...input, [row.event]: nameDigest(name) };
  }
  return input;
}

/** The few older spellings that are accepted in current events too, e.g. posted ones. */
function lenient(value: UntypedRecord, kind: EventKind): UntypedRecord {
  const reason = value["finish_reason"];
  const single = typeof reason === "string";
  const counts = kind === "contract" && isRecord(value["item_counts"]);
  const metrics = kind === "outcome" && isRecord(value["metrics"]);
  if (!single && !counts && !metrics && value["task_id"] === undefined) return value;
  // The task is a field of its own on the event; the caller has read it already.
  const { task_id: _, ...copy } = value as UntypedRecord & { readonly task_id?: unknown };
  const spelled: Record<string, unknown> = copy;
  if (kind === "contract" && reason !== undefined) {
    spelled["contract_finish_reason"] ??= reason;
    delete spelled["finish_reason"];
  } else if (single) spelled["finish_reason"] = [reason];
  if (counts) splitCounts(spelled, "item_counts", "item_names", "item_values");
  if (metrics) addMetrics(spelled, spelled["metrics"] as UntypedRecord);
  return spelled;
}

/** Converts an object of numbers to its two parallel lists. */
function splitCounts(
  record: Record<string, unknown>,
  from: string,
  names: AttributeName,
  values: AttributeName,
): void {
  const counts = record[from] as UntypedRecord;
  delete record[from];
  const keys = Object.keys(counts).slice(0, attribute[names].cap);
  record[names] ??= keys;
  record[values] ??= keys.map((key) => counts[key]);
}

/** Converts an object of scalars to its lists; lists that are present already take precedence. */
function addMetrics(record: Record<string, unknown>, metrics: UntypedRecord): void {
  delete record["metrics"];
  const most = Object.entries(metrics).slice(0, attribute.metric_names.cap);
  for (const [name, list] of Object.entries(splitMetrics(Object.fromEntries(most)))) {
    record[name] ??= list;
  }
}

/** Objects in which older writers put their fields, searched in this order. */
const containers = ["attributes", "data", "payload", "metadata", "details"] as const;
const nested = ["usage", "counts", "source_counts", "sources", "supply"] as const;

/** Reads an older child through the table of its kind; fields outside the table are not read. */
export function readLegacyAttributes(child: UntypedRecord, kind: EventKind): AttributeReading {
  const places = placesOf(child);
  const input: Record<string, unknown> = {};
  const exact = new Set<string>();
  for (const [name, { names, read }] of legacyFieldsOf(kind)) {
    for (const older of names) {
      const value = firstOf(places, older);
      const taken = read === undefined ? value : read(value);
      if (taken === undefined || taken === null || (isRecord(taken) && older !== name)) continue;
      input[name] = taken;
      if (older === name) exact.add(name);
      break;
    }
  }
  addPairs(input, places, kind);
  const { kept } = screen(input, { names: "event", kind });
  const attributes: Record<string, unknown> = { ...kept };
  if (kind === "delivery" && firstOf(places, "acknowledged") === undefined) {
    if (places.some((place) => place["acknowledged"] === null)) attributes["acknowledged"] = null;
  }
  const ids = firstOf(places, sourceIds) ?? firstOf(places, "source_ids");
  const usable = kind === "context_binding" ? readSourceIds(ids) : [];
  if (usable !== undefined && usable.length > 0) attributes[sourceIds] = usable;
  return {
    attributes,
    // A value under a current name must pass; an older spelling may have held something else.
    refused: [...exact].some((name) => kept[name] === undefined),
    sourcesRefused: usable === undefined,
  };
}

function placesOf(child: UntypedRecord): UntypedRecord[] {
  const places: UntypedRecord[] = [];
  for (const name of containers) if (isRecord(child[name])) places.push(child[name]);
  places.push(child);
  const inner = places.flatMap((place) => nested.map((name) => place[name]).filter(isRecord));
  return [...places, ...inner];
}

function firstOf(places: readonly UntypedRecord[], name: string): unknown {
  for (const place of places) {
    const value = place[name];
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/** Converts objects of numbers to the two lists of current events. */
function addPairs(
  input: Record<string, unknown>,
  places: readonly UntypedRecord[],
  kind: EventKind,
): void {
  const counts = kind === "contract" ? firstOf(places, "item_counts") : undefined;
  const metrics = kind === "outcome" ? firstOf(places, "metrics") : undefined;
  if (isRecord(counts)) {
    splitCounts(
      Object.assign(input, { item_counts: counts }),
      "item_counts",
      "item_names",
      "item_values",
    );
  }
  if (isRecord(metrics)) {
    addMetrics(input, metrics);
  }
}

/** Usable source ids; undefined when the value is not a list of texts. */
function readSourceIds(value: unknown): readonly string[] | undefined {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return undefined;
  const { kept } = screen({ [sourceIds]: value }, { names: "event" });
  return kept[sourceIds] as readonly string[] | undefined;
}
