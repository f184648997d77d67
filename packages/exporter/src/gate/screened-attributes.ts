/**
 * @module Screened attributes: of a span's own attributes, those that may leave, under the names
 * and, where a library has another form for a value, in the form they came in. What leaves says the
 * same to the mapping as the original does.
 */
import type { Attributes } from "@opentelemetry/api";
import {
  attribute,
  mayCarry,
  screenIdentity,
  screenValue,
  usageDetailNames,
} from "@turnproof/semconv";
import type { AttributeValue, EventKind, RegistryName } from "@turnproof/semconv";

import type { KindDecision } from "../mapping/kind-decision.ts";
import { adapted, usageCounts } from "../mapping/source-values.ts";
import type { KeyIdentity } from "../mapping/span-reading.ts";
import type { SourceAttributes } from "../mapping/span-record.ts";
import { dialectMarks } from "../mapping/sources.ts";
import type { Target } from "../mapping/sources.ts";

/** How identity is treated before anything leaves. */
export interface IdentityRules {
  /** Identity rows whose values are always replaced by a fingerprint. */
  readonly keyed: ReadonlySet<RegistryName>;
  /** Makes the fingerprint; without it what is not opaque is dropped. */
  readonly keyIdentity: KeyIdentity | undefined;
}

/** Counts one refusal. */
export type CountDrop = (code: string) => void;

/** What may leave of these attributes. */
export function screenedAttributes(
  attributes: SourceAttributes,
  decision: KindDecision,
  rules: IdentityRules,
  drop: CountDrop,
): Attributes {
  const out: Attributes = {};
  const { plan, kind } = decision;
  for (const name in attributes) {
    const value = attributes[name];
    const targets = plan.sources.get(name);
    if (value === undefined) continue;
    if (targets === undefined) drop("attribute_unknown");
    else if (targets.length === 0) out[name] = silent(decision, name, value);
    else {
      const kept = admitted(targets, value, kind, rules, drop);
      if (kept !== undefined) out[name] = kept;
      // Without its mark a span would leave as another dialect's.
      else if (dialectMarks.has(name)) out[name] = present(value);
    }
  }
  return out;
}

/**
 * A mark, a kind word or a structural name: its presence counts, and its value only where the
 * dialect's table lists it. Anything else might be content.
 */
function silent(decision: KindDecision, name: string, value: AttributeValue): string | boolean {
  const rule = decision.plan.rules.find((item) => item.source === name);
  const listed = typeof value === "string" && rule?.kinds.has(value) === true;
  return listed ? value : present(value);
}

/** Stands for a value that may not leave, where its presence matters; no row admits either. */
function present(value: AttributeValue): string | boolean {
  return typeof value === "string" ? "" : true;
}

function admitted(
  targets: readonly Target[],
  value: AttributeValue,
  kind: EventKind,
  rules: IdentityRules,
  drop: CountDrop,
): AttributeValue | undefined {
  let reason = "attribute_kind";
  for (const target of targets) {
    if (!mayCarry(target.row, kind)) continue;
    if (target.adapter === "usage_json") return countsText(value, drop);
    const read = adapted(target.adapter, value);
    // A value that says nothing, such as an HTTP status of 200, has nothing to hide either.
    if (read === undefined) return typeof value === "number" ? value : undefined;
    if (target.row.slot === "identity" && target.row.shape === "id") {
      return identity(target, read, rules, drop);
    }
    const code = screenValue(target.row, read);
    if (code === undefined) return inForm(target, value, read);
    reason = code;
  }
  drop(reason);
  return undefined;
}

/** A list that came as JSON leaves as JSON of what was judged; a level leaves as it came. */
function inForm(target: Target, value: AttributeValue, read: AttributeValue): AttributeValue {
  if (target.adapter === "as_is") return value;
  const wasText = typeof value === "string";
  if (target.adapter === "json_list") return wasText ? JSON.stringify(read) : read;
  if (target.adapter === "list_of_one" && wasText && Array.isArray(read)) return read[0] as string;
  return value;
}

function identity(
  target: Target,
  value: AttributeValue,
  rules: IdentityRules,
  drop: CountDrop,
): string | undefined {
  const { keyIdentity } = rules;
  const key = keyIdentity === undefined ? {} : { key: keyIdentity };
  if (rules.keyed.has(target.row.event as RegistryName)) {
    if (keyIdentity !== undefined) return keyIdentity(String(value));
    drop("identity_not_opaque");
    return undefined;
  }
  const screened = screenIdentity(target.row, value, key);
  if ("value" in screened) {
    if (screened.keyed) drop("identity_not_opaque");
    return screened.value;
  }
  drop(screened.code);
  return undefined;
}

/** The counts of a JSON text under the names that the table knows, and nothing else of it. */
function countsText(value: AttributeValue, drop: CountDrop): string {
  const kept: Record<string, number> = {};
  for (const [name, count] of usageCounts(value)) {
    const row = Object.hasOwn(usageDetailNames, name) ? usageDetailNames[name] : undefined;
    if (row === undefined) continue;
    const code = screenValue(attribute[row], count);
    if (code === undefined) kept[name] = count;
    else drop(code);
  }
  return JSON.stringify(kept);
}
