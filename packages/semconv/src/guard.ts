/**
 * @module Guard: decides which values leave a process and enter a store (privacy: How a value is
 * judged; requirements: Metadata validation). One rule, three reactions: the recorder throws on a
 * refusal, the exporter and the receiver drop and count. Order of checks: name, kind, type, length,
 * shape, detectors.
 */
import type { Code } from "./codes.ts";
import { detect } from "./guard/detectors.ts";
import { operationPattern } from "./kinds.ts";
import type { EventKind } from "./kinds.ts";
import { limits } from "./limits.ts";
import { attribute, attributeBySpanName, mayCarry } from "./registry.ts";
import type { AttributeValue, AttributeRow } from "./registry/row.ts";
import { admit, codeOf } from "./guard/screen-value.ts";

/** What `screen` kept, and what it refused, by code. Never a refused key or value. */
export interface Screened {
  /** A null-prototype record under the input's names; lists are copies. */
  readonly kept: Record<string, AttributeValue>;
  /** A null-prototype record: number of refused fields by code. */
  readonly refused: Record<string, number>;
  readonly refusedCount: number;
}

/** Which of a row's two names the input uses, and the kind of the event. */
export interface ScreenOptions {
  readonly names: "span" | "event";
  /** When set, a row that this kind may not carry is refused with `attribute_kind`. */
  readonly kind?: EventKind;
}

const rowByEventName: ReadonlyMap<string, AttributeRow> = new Map(Object.entries(attribute));

/** Rows by name that a kind may carry, built once per kind and naming. */
const carried: {
  readonly [K in ScreenOptions["names"]]: Map<EventKind, Map<string, AttributeRow>>;
} = { span: new Map(), event: new Map() };

function rowsFor(options: ScreenOptions): ReadonlyMap<string, AttributeRow> {
  const all = options.names === "span" ? attributeBySpanName : rowByEventName;
  const { kind } = options;
  if (kind === undefined) return all;
  let rows = carried[options.names].get(kind);
  if (rows === undefined) {
    rows = new Map([...all].filter(([, row]) => mayCarry(row, kind)));
    carried[options.names].set(kind, rows);
  }
  return rows;
}

function codeOfUnlisted(name: string, options: ScreenOptions): Code {
  const all = options.names === "span" ? attributeBySpanName : rowByEventName;
  return all.has(name) ? "attribute_kind" : "attribute_unknown";
}

/**
 * Screens a record of attributes: own enumerable keys only, at most 64 kept, everything else
 * counted by code. An absent value (undefined or null) is neither kept nor counted. Never throws.
 */
export function screen(input: object, options: ScreenOptions): Screened {
  const rows = rowsFor(options);
  const kept: Record<string, AttributeValue> = Object.create(null);
  const refused: Record<string, number> = Object.create(null);
  let keptCount = 0;
  let refusedCount = 0;
  const refuse = (code: Code): void => {
    refused[code] = (refused[code] ?? 0) + 1;
    refusedCount++;
  };
  for (const key of keysOf(input)) {
    const row = rows.get(key);
    if (row === undefined) {
      refuse(codeOfUnlisted(key, options));
      continue;
    }
    const value = read(input, key);
    if (value === undefined || value === null) continue;
    const admitted = admit(row, value);
    const code = codeOf(admitted);
    if (code !== undefined) refuse(code);
    else if (keptCount >= limits.attributesMax) refuse("attribute_limit");
    else {
      kept[key] = admitted as AttributeValue;
      keptCount++;
    }
  }
  return { kept, refused, refusedCount };
}

function keysOf(input: object): readonly string[] {
  try {
    return Object.keys(input);
  } catch {
    return [];
  }
}

/** A getter or trap that throws yields a symbol, which no row's type admits. */
function read(input: object, key: string): unknown {
  try {
    return (input as Record<string, unknown>)[key];
  } catch {
    return Symbol.for("turnproof.unreadable");
  }
}

/** Validates the name of a host's own operation; undefined when it passes. */
export function screenOperation(name: string): Code | undefined {
  if (typeof name !== "string" || !operationPattern.test(name)) return "operation_name_invalid";
  return detect(name, {});
}
