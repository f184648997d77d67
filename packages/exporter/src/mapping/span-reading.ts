/**
 * @module Span reading: screens the attributes of one span and sorts them into registry rows. One
 * instance is reused for every span, because mapping is synchronous and on the hot path.
 */
import {
  attribute,
  isKeyedName,
  limits,
  mayCarry,
  registryRows,
  screenIdentity,
  screenValue,
  usageDetailNames,
} from "@turnproof/semconv";
import type {
  AttributeRow,
  AttributeValue,
  Code,
  EventKind,
  IdentityKey,
  RegistryName,
} from "@turnproof/semconv";
import { nameDigest } from "@turnproof/semconv/name-key";

import type { CodedAttributes } from "./coded-attributes.ts";
import { adapted, metadataTexts, usageCounts } from "./source-values.ts";
import { rowAt, appliesTo } from "./sources.ts";
import type { Target } from "./sources.ts";
import type { DropCounts, SourceAttributes } from "./span-record.ts";

/** Replaces an identity that is not opaque, or a name that may be content, by its fingerprint. */
export type KeyIdentity = IdentityKey;

/** Without a key, a name becomes its digest; the receiver's key is applied to it later. */
export const keylessNames: { readonly key: KeyIdentity } = { key: nameDigest };

/** The code for a value of the row that was keyed. */
export function keyedCode(row: AttributeRow): Code {
  return row.keyed === "name" ? "name_keyed" : "identity_not_opaque";
}

/** Which rows a kind may carry, by row index; built on the first span of the kind. */
const carriers: Map<EventKind, Uint8Array> = new Map();

/** 1 at each index whose row the kind may carry. */
export function carrierOf(kind: EventKind): Uint8Array {
  let carrier = carriers.get(kind);
  if (carrier === undefined) {
    carrier = Uint8Array.from(registryRows, (row) => (mayCarry(row, kind) ? 1 : 0));
    carriers.set(kind, carrier);
  }
  return carrier;
}

/** 1 at each index whose row is stored under `attributes`. */
const isAttribute: Uint8Array = Uint8Array.from(registryRows, (row) =>
  row.slot === "attributes" ? 1 : 0,
);

const eventNames: readonly string[] = registryRows.map((row) => row.event);

/** Rank of the registry's own name of a row; see `sources.ts`. */
const ownRank = 1;

/** Rank of a value that the mapping derived; any source wins over it. */
const concludedRank = 0xffff;

/** Sorts the first `count` elements ascending, in place; a few dozen numbers, nearly sorted. */
function sortSmall(list: Uint16Array, count: number): void {
  for (let at = 1; at < count; at++) {
    const value = list[at] as number;
    let before = at - 1;
    while (before >= 0 && (list[before] as number) > value) {
      list[before + 1] = list[before] as number;
      before--;
    }
    list[before + 1] = value;
  }
}

/** Values by row, best source first, and refusals by code. */
export class SpanReading {
  private readonly ranks = new Uint16Array(registryRows.length);
  private readonly values: (AttributeValue | undefined)[] = registryRows.map(() => undefined);
  private readonly touched = new Uint16Array(registryRows.length);
  private touchedCount = 0;
  /** Text of each row that passed last; spans of a turn share most of them. */
  private readonly passed: (string | undefined)[] = registryRows.map(() => undefined);
  private drops: DropCounts | undefined;
  /** True once a row of references, or of a ledger, has a value. */
  hasRefs = false;
  hasLedger = false;
  private carried = 0;
  private kind: EventKind = "span";
  private carrier: Uint8Array = carrierOf("span");
  private key: { readonly key?: KeyIdentity } = {};
  private nameKey: { readonly key: KeyIdentity } = keylessNames;

  /** Resets for the next span; `before` are refusals counted earlier. */
  begin(kind: EventKind, before: DropCounts | undefined, key: KeyIdentity | undefined): void {
    for (let at = 0; at < this.touchedCount; at++) {
      const index = this.touched[at] as number;
      this.ranks[index] = 0;
      this.values[index] = undefined;
    }
    this.touchedCount = 0;
    this.carried = 0;
    this.kind = kind;
    this.carrier = carrierOf(kind);
    this.hasRefs = false;
    this.hasLedger = false;
    this.key = key === undefined ? {} : { key };
    this.nameKey = key === undefined ? keylessNames : { key };
    this.drops = before === undefined ? undefined : { ...before };
  }

  /** Counts a refusal. */
  drop(code: string): void {
    this.drops ??= {};
    this.drops[code] = (this.drops[code] ?? 0) + 1;
  }

  /**
   * Refusals by code in alphabetical order, so that equal spans give equal events; or undefined.
   */
  dropped(): DropCounts | undefined {
    if (this.drops === undefined) return undefined;
    const codes = Object.keys(this.drops);
    if (codes.length < 2) return codes.length === 0 ? undefined : this.drops;
    const sorted: DropCounts = {};
    for (const code of codes.toSorted()) sorted[code] = this.drops[code] as number;
    return sorted;
  }

  /** Reads every attribute; one that is in no table is counted as unknown. */
  readAll(attributes: SourceAttributes, sources: ReadonlyMap<string, readonly Target[]>): void {
    for (const name in attributes) {
      const value = attributes[name];
      if (value === undefined || value === null) continue;
      const targets = sources.get(name);
      if (targets === undefined) this.drop("attribute_unknown");
      else if (targets.length > 0) this.read(targets, value);
    }
  }

  /** Reads every attribute of a span whose names are given by number. */
  readCoded(coded: CodedAttributes, byCode: readonly (readonly Target[])[]): void {
    const { codes, length, values } = coded;
    for (let at = 0; at < length; at++) {
      const targets = byCode[codes[at] as number] as readonly Target[];
      if (targets.length > 0) this.read(targets, values[at] as AttributeValue);
    }
  }

  private read(targets: readonly Target[], value: AttributeValue): void {
    let carried = false;
    for (const item of targets) {
      if (this.carrier[item.index] === 0) continue;
      carried = true;
      if (!appliesTo(item, this.kind)) continue;
      if (item.adapter === "usage_json") {
        this.readUsage(item, value);
        continue;
      }
      if (item.adapter === "identity_json") {
        this.readMetadata(item, value);
        continue;
      }
      if (this.isHeld(item.index, item.rank)) continue;
      const read = adapted(item.adapter, value);
      if (read !== undefined) this.admit(item, read);
    }
    if (!carried) this.drop("attribute_kind");
  }

  private readUsage(item: Target, value: AttributeValue): void {
    for (const [name, count] of usageCounts(value)) {
      const to = Object.hasOwn(usageDetailNames, name) ? usageDetailNames[name] : undefined;
      if (to === undefined) continue;
      const index = rowAt[to];
      if (this.isHeld(index, item.rank)) continue;
      this.admit({ row: attribute[to], index, rank: item.rank, adapter: "as_is" }, count);
    }
  }

  private readMetadata(item: Target, value: AttributeValue): void {
    for (const [, to, text] of metadataTexts(value).texts) {
      const index = rowAt[to];
      if (this.carrier[index] === 0 || this.isHeld(index, item.rank)) continue;
      this.admit({ row: attribute[to], index, rank: item.rank, adapter: "as_is" }, text);
    }
  }

  private isHeld(index: number, rank: number): boolean {
    const held = this.ranks[index] as number;
    return held !== 0 && held <= rank;
  }

  private admit(item: Target, value: AttributeValue): void {
    const { row, index, rank } = item;
    const known = row.keyed === undefined ? this.judged(item, value) : this.knownAs(item, value);
    if (known === undefined) return undefined;
    if (row.slot === "attributes" && this.ranks[index] === 0) {
      if (this.carried >= limits.attributesMax) return this.drop("attribute_limit");
      this.carried++;
    } else if (row.slot === "refs") this.hasRefs = true;
    else if (row.slot === "ledger") this.hasLedger = true;
    return this.put(index, rank, known);
  }

  /** The value when it passes; otherwise its refusal is counted. */
  private judged(item: Target, value: AttributeValue): AttributeValue | undefined {
    const code = this.screened(item, value);
    if (code === undefined) return value;
    this.drop(code);
    return undefined;
  }

  /** An identity or a name in its stored form; undefined when it has none. */
  private knownAs(item: Target, value: AttributeValue): string | undefined {
    const { row } = item;
    const named = row.keyed === "name";
    // Nearly every identity is opaque, and then nothing is counted.
    if (typeof value === "string" && value !== "" && !(named && isKeyedName(value))) {
      if (this.screened(item, value) === undefined) return value;
    }
    const screened = screenIdentity(row, value, named ? this.nameKey : this.key);
    if ("code" in screened) {
      this.drop(screened.code);
      return undefined;
    }
    if (screened.keyed) this.drop(keyedCode(row));
    return screened.value;
  }

  /**
   * The guard's decision on a value; a text that just passed for the same row is not screened
   * again.
   */
  private screened({ row, index }: Target, value: AttributeValue): Code | undefined {
    if (typeof value !== "string") return screenValue(row, value);
    if (value === this.passed[index]) return undefined;
    const code = screenValue(row, value);
    if (code === undefined) this.passed[index] = value;
    return code;
  }

  private put(index: number, rank: number, value: AttributeValue): void {
    if (this.ranks[index] === 0) this.touched[this.touchedCount++] = index;
    this.ranks[index] = rank;
    this.values[index] = value;
  }

  /** Sets a derived value, unless a source has set the row or it does not pass. */
  conclude(name: RegistryName, value: AttributeValue): void {
    const index = rowAt[name];
    if (this.ranks[index] !== 0 || this.carrier[index] === 0) return;
    if (screenValue(attribute[name], value) === undefined) this.put(index, concludedRank, value);
  }

  /** Sets a value that is in no attribute; it is screened and counted like one. */
  offer(name: RegistryName, value: AttributeValue): void {
    const index = rowAt[name];
    if (this.ranks[index] !== 0 || this.carrier[index] === 0) return;
    this.admit({ row: attribute[name], index, rank: concludedRank, adapter: "as_is" }, value);
  }

  /** Clears the row at an index. */
  forget(at: number): void {
    this.values[at] = undefined;
  }

  /** The value of the row at an index (`rowAt`), or undefined. */
  get(at: number): AttributeValue | undefined {
    return this.values[at];
  }

  /** True when the row at an index was set under the registry's own name. */
  isOwn(at: number): boolean {
    return this.ranks[at] === ownRank;
  }

  /** The value of the row at an index when it is a text. */
  text(at: number): string | undefined {
    const value = this.values[at];
    return typeof value === "string" ? value : undefined;
  }

  /** Values stored under `attributes`, in registry order regardless of input order. */
  attributes(): Record<string, AttributeValue> {
    const out: Record<string, AttributeValue> = {};
    const { touched, touchedCount, values } = this;
    sortSmall(touched, touchedCount);
    for (let at = 0; at < touchedCount; at++) {
      const place = touched[at] as number;
      const value = values[place];
      if (isAttribute[place] === 1 && value !== undefined) {
        out[eventNames[place] as string] = value;
      }
    }
    return out;
  }
}
