/**
 * @module StoredEvent: the form in which every provider stores an event, so that reads are equal
 * everywhere: no absent values, no empty string, no empty list, no `revision` and no `contested`
 * (readers work them out), `received_at` with microseconds. Refuses text that a store cannot keep
 * distinct.
 */
import type { TurnEvent } from "@turnproof/evidence";
import { CodedError, limits, registryRows } from "@turnproof/semconv";

/** An event in a store: it always has its time of receipt. */
export type StoredEvent = TurnEvent & { readonly received_at: string };

/**
 * The stored form of an event; the argument is unchanged, and unchanged parts are shared with it:
 * a caller that keeps events without encoding them must copy. Throws `store_rejected_row` for an
 * event without a root or an id, for an attribute that is not in the registry or of another type,
 * for text or a list over its cap (requirements: Limits), for a number that is not finite, and for
 * text with a lone surrogate: in UTF-8 two such ids would become equal, and so would two tenants.
 */
export function storedForm(event: TurnEvent, receivedAt: string): StoredEvent {
  const kept = (compact(event) ?? {}) as Readonly<Record<string, unknown>>;
  if (kept["root_trace_id"] === undefined || kept["event_id"] === undefined) refuse();
  const attributes = (kept["attributes"] ?? {}) as Readonly<Record<string, unknown>>;
  for (const name in attributes) if (!isRegistered(name, attributes[name])) refuse();
  const received_at = microseconds(event.received_at ?? receivedAt);
  const whole = kept["received_at"] === received_at && kept["attributes"] === attributes;
  if (whole && kept["revision"] === undefined && kept["contested"] === undefined)
    return kept as unknown as StoredEvent;
  const stored: Record<string, unknown> = { ...kept, attributes, received_at };
  delete stored["revision"];
  delete stored["contested"];
  return stored as unknown as StoredEvent;
}

/** JavaScript type of each attribute under `attributes`, with `[]` for lists. */
const attributeKinds: ReadonlyMap<string, string> = new Map(
  registryRows
    .filter((row) => row.slot === "attributes")
    .map((row) => [row.event, row.type.replace(/^(int|double)/, "number")]),
);

/** True for a registered attribute with a value of its type: no other has a column. */
export function isRegistered(name: string, value: unknown): boolean {
  const kind = attributeKinds.get(name);
  if (kind === undefined) return false;
  if (Array.isArray(value)) return value.length === 0 || `${typeof value[0]}[]` === kind;
  return typeof value === kind || (value === null && name === "acknowledged");
}

function refuse(): never {
  throw new CodedError("store_rejected_row");
}

/** The value without empty parts; the same object where nothing is left out. */
function compact(value: unknown): unknown {
  if (typeof value === "string") {
    if (value.length > limits.stringCharsMax || !value.isWellFormed()) refuse();
    return value === "" ? undefined : value;
  }
  if (typeof value === "number" && !Number.isFinite(value)) refuse();
  if (Array.isArray(value)) return compactList(value);
  if (typeof value !== "object" || value === null) return value;
  return compactFields(value as Readonly<Record<string, unknown>>);
}

function compactFields(fields: Readonly<Record<string, unknown>>): unknown {
  let changed: Record<string, unknown> | undefined;
  let count = 0;
  for (const name in fields) {
    const item = fields[name];
    const kept = compact(item);
    if (kept !== item || kept === undefined) {
      changed ??= { ...fields };
      if (kept === undefined) delete changed[name];
      else changed[name] = kept;
    }
    if (kept !== undefined) count += 1;
  }
  return count === 0 ? undefined : (changed ?? fields);
}

/** Entries of a list keep their position, so an empty string inside one is kept. */
function compactList(list: readonly unknown[]): unknown {
  if (list.length === 0) return undefined;
  if (list.length > limits.listEntriesMax) refuse();
  let changed: unknown[] | undefined;
  for (const [at, item] of list.entries()) {
    const kept = item === "" ? "" : (compact(item) ?? {});
    if (kept === item) continue;
    changed ??= [...list];
    changed[at] = kept;
  }
  return changed ?? list;
}

/** A received time cut or filled to six fractional digits. */
export function microseconds(time: string): string {
  if (time.length === 27 && time.charCodeAt(26) === 90) return time;
  const [seconds = "", fraction = ""] = time.replace(/Z$/, "").split(".");
  return `${seconds}.${fraction.slice(0, 6).padEnd(6, "0")}Z`;
}
