/**
 * @module Screened attributes: the attributes of a span that may be exported, under their original
 * names and, where a library has its own form of a value, in that form. The mapping reads the same
 * from them as from the original span.
 */
import type { Attributes } from "@opentelemetry/api";
import {
  attribute,
  entryIntegrations,
  graphNodeKey,
  isKeyedName,
  registryRows,
  screenIdentity,
  screenValue,
  usageDetailNames,
} from "@turnproof/semconv";
import type { AttributeRow, AttributeValue, EventKind, RegistryName } from "@turnproof/semconv";

import type { KindDecision } from "../mapping/kind-decision.ts";
import type { RowValues } from "../mapping/operation.ts";
import { adapted, metadataTexts, usageCounts } from "../mapping/source-values.ts";
import { carrierOf, keyedCode, keylessNames } from "../mapping/span-reading.ts";
import type { KeyIdentity } from "../mapping/span-reading.ts";
import { dialectMarks, rowAt, appliesTo } from "../mapping/sources.ts";
import type { Target } from "../mapping/sources.ts";
import type { StatedName } from "../mapping/span-name.ts";
import { isAdmittedValue } from "./span-record-of.ts";

/** How identity is treated before export. */
export interface IdentityRules {
  /** Identity rows whose values are always replaced by a fingerprint. */
  readonly keyed: ReadonlySet<RegistryName>;
  /** Makes the fingerprint; without it a value that is not opaque is dropped. */
  readonly keyIdentity: KeyIdentity | undefined;
}

/** Counts one refusal. */
export type CountDrop = (code: string) => void;

/** Indexes of the rows that a span's name is built from. */
const subjectPlaces: Uint8Array = new Uint8Array(registryRows.length);
for (const name of [
  "agent_name",
  "genai_operation",
  "model",
  "tool_name",
  "memory_operation",
] as const) {
  subjectPlaces[rowAt[name]] = 1;
}

/** Receives the admitted attributes, one after another. */
export interface AttributeSink {
  put(name: string, value: AttributeValue): void;
}

/** A plain object with inline room for a span's attributes, which keeps it fast in V8. */
const Bag = function (): void {} as unknown as new () => Attributes;
Bag.prototype = Object.prototype;

/** Collects the admitted attributes in a new object. */
export class AttributeBag implements AttributeSink {
  readonly attributes: Attributes = new Bag();

  put(name: string, value: AttributeValue): void {
    this.attributes[name] = value;
  }
}

/** Screens the attributes of one span after another; one per gate. */
export class AttributeScreen implements RowValues {
  private readonly rules: IdentityRules;
  private readonly count: CountDrop;
  private readonly key: { readonly key?: KeyIdentity };
  private readonly nameKey: { readonly key: KeyIdentity };
  /**
   * Values that names are built from, and the rank of each, by row index; `stated` lists the
   * indexes.
   */
  private readonly texts: (string | undefined)[] = registryRows.map(() => undefined);
  private readonly ranks = new Uint16Array(registryRows.length);
  private readonly filled: number[] = [];
  /** Number of subject names of the last span that were refused. */
  lost = 0;

  constructor(rules: IdentityRules, count: CountDrop) {
    this.rules = rules;
    this.count = count;
    this.key = rules.keyIdentity === undefined ? {} : { key: rules.keyIdentity };
    this.nameKey = rules.keyIdentity === undefined ? keylessNames : { key: rules.keyIdentity };
  }

  drop(code: string): void {
    this.count(code);
  }

  /** The last span's value of a row that names are built from. */
  text(at: number): string | undefined {
    return this.texts[at];
  }

  /** Passes the admitted attributes to the sink. */
  screen(
    attributes: Readonly<Record<string, unknown>>,
    decision: KindDecision,
    sink: AttributeSink,
  ): void {
    const { sources } = decision.plan;
    // Here and below by index: an iterator for each attribute of each span would be garbage.
    const { filled, texts } = this;
    for (let at = 0; at < filled.length; at++) texts[filled[at] as number] = undefined;
    filled.length = 0;
    const names = Object.keys(attributes);
    let left = 0;
    for (let at = 0; at < names.length; at++) {
      const name = names[at] as string;
      const value = attributes[name];
      const targets = sources.get(name);
      if (targets === undefined) this.count("attribute_unknown");
      else if (value === undefined || value === null) continue;
      else {
        const kept =
          targets.length === 0
            ? silent(decision, name, value)
            : (this.admitted(targets, value as AttributeValue, decision.kind) ??
              markOf(name, value));
        if (kept === undefined) continue;
        sink.put(name, kept);
        left++;
      }
    }
    this.lost = names.length - left;
  }

  private admitted(
    targets: readonly Target[],
    value: AttributeValue,
    kind: EventKind,
  ): AttributeValue | undefined {
    const carrier = carrierOf(kind);
    let reason = "attribute_kind";
    for (let at = 0; at < targets.length; at++) {
      const target = targets[at] as Target;
      if (carrier[target.index] === 0 || !appliesTo(target, kind)) continue;
      if (target.adapter === "usage_json") return this.countsText(value);
      if (target.adapter === "identity_json") return this.metadataText(value);
      const read = adapted(target.adapter, value);
      // A value without meaning, such as an HTTP status of 200, has no content to protect either.
      if (read === undefined) return typeof value === "number" ? value : undefined;
      if (target.row.keyed !== undefined) {
        const known = this.knownAs(target, read);
        if (known !== undefined && subjectPlaces[target.index] === 1) this.remember(target, known);
        return known;
      }
      const code = screenValue(target.row, read);
      if (code === undefined) {
        if (subjectPlaces[target.index] === 1) this.remember(target, read);
        return inForm(target, value, read);
      }
      reason = code;
    }
    this.count(reason);
    return undefined;
  }

  private remember(target: Target, value: AttributeValue): void {
    const { index, rank } = target;
    if (typeof value !== "string") return;
    if (this.texts[index] === undefined) this.filled.push(index);
    else if ((this.ranks[index] as number) <= rank) return;
    this.texts[index] = value;
    this.ranks[index] = rank;
  }

  /** An identity or a name in its exported form; undefined when it has none. */
  private knownAs({ row }: Target, value: AttributeValue): string | undefined {
    const { keyed } = this.rules;
    const { key } = row.keyed === "name" ? this.nameKey : this.key;
    if (keyed.size > 0 && keyed.has(row.event as RegistryName)) {
      if (key !== undefined) return key(String(value), row);
      this.count("identity_not_opaque");
      return undefined;
    }
    // Nearly every identity is opaque and is exported unchanged.
    if (typeof value === "string" && value !== "" && !isKeyedName(value)) {
      if (screenValue(row, value) === undefined) return value;
    }
    const screened = screenIdentity(row, value, key === undefined ? {} : { key });
    if ("value" in screened) {
      if (screened.keyed) this.count(keyedCode(row));
      return screened.value;
    }
    this.count(screened.code);
    return undefined;
  }

  /** The known part of free metadata, and whether it belongs to a graph's node. */
  private metadataText(value: AttributeValue): string {
    const { texts, ofNode, integration } = metadataTexts(value);
    const kept: Record<string, string> = {};
    if (integration !== undefined && entryIntegrations.includes(integration)) {
      kept["ls_integration"] = integration;
    }
    for (const [key, to, text] of texts) {
      const leaving = this.leaving(to, text);
      if (leaving !== undefined) kept[key] = leaving;
    }
    if (ofNode) kept[graphNodeKey] = "";
    return JSON.stringify(kept);
  }

  /** A row's text if it is admitted, else undefined with the reason counted. */
  private leaving(to: RegistryName, text: string): string | undefined {
    const row = attribute[to];
    const target: Target = { row, index: rowAt[to], rank: 0xffff, adapter: "as_is" };
    const known = row.keyed === undefined ? this.judged(row, text) : this.knownAs(target, text);
    if (known !== undefined && subjectPlaces[target.index] === 1) this.remember(target, known);
    return known;
  }

  private judged(row: AttributeRow, text: string): string | undefined {
    const code = screenValue(row, text);
    if (code !== undefined) this.count(code);
    return code === undefined ? text : undefined;
  }

  /**
   * Writes the name in the span's own name as an attribute, unless an attribute has it already.
   */
  name({ to, text }: StatedName, sink: AttributeSink): void {
    if (this.texts[rowAt[to]] !== undefined) return;
    const leaving = this.leaving(to, text);
    if (leaving !== undefined) sink.put(attribute[to].span, leaving);
  }

  /** The counts of a JSON text under the names of the table, and nothing else. */
  private countsText(value: AttributeValue): string {
    const kept: Record<string, number> = {};
    for (const [name, count] of usageCounts(value)) {
      const row = Object.hasOwn(usageDetailNames, name) ? usageDetailNames[name] : undefined;
      if (row === undefined) continue;
      const code = screenValue(attribute[row], count);
      if (code === undefined) kept[name] = count;
      else this.count(code);
    }
    return JSON.stringify(kept);
  }
}

/**
 * A mark, a kind value or a structural name: its presence is exported, its value only where the
 * dialect's table lists it. Any other value might be content.
 */
function silent(
  decision: KindDecision,
  name: string,
  value: unknown,
): string | boolean | undefined {
  const rule = decision.plan.rules.find((item) => item.source === name);
  const isWord = (word: string): boolean =>
    rule?.kinds.has(word) === true || rule?.atEntry.has(word) === true;
  if (typeof value === "string" && isWord(value)) return value;
  return isAdmittedValue(value) ? present(value) : undefined;
}

/**
 * The presence of a mark whose value was refused: without it the span would be read as another
 * dialect.
 */
function markOf(name: string, value: unknown): string | boolean | undefined {
  return dialectMarks.has(name) && isAdmittedValue(value) ? present(value) : undefined;
}

/** Placeholder for a refused value whose presence matters; no row admits either of its forms. */
function present(value: unknown): string | boolean {
  return typeof value === "string" ? "" : true;
}

/**
 * A list that came as JSON is exported as JSON of the screened list; a level is exported as it
 * came.
 */
function inForm(target: Target, value: AttributeValue, read: AttributeValue): AttributeValue {
  if (target.adapter === "as_is") return value;
  const wasText = typeof value === "string";
  if (target.adapter === "json_list") return wasText ? JSON.stringify(read) : read;
  if (target.adapter === "list_of_one" && wasText && Array.isArray(read)) return read[0] as string;
  return value;
}
