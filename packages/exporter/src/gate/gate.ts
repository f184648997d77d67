/**
 * @module Gate: screens spans one by one, caches what they share and counts what it refused. All
 * our code that sends spans uses one.
 */
import type { RegistryName } from "@turnproof/semconv";

import type { KeyIdentity } from "../mapping/span-reading.ts";
import { AttributeScreen } from "./screened-attributes.ts";
import type { IdentityRules } from "./screened-attributes.ts";
import type { ReadableSpanLike } from "./sdk-shapes.ts";
import { screenedSpan } from "./screened-span.ts";
import type { GateMemory } from "./screened-span.ts";
import type { RequestWriter } from "../wire/trace-request.ts";
import { SpanWriter } from "../wire/span-message.ts";
import type { Numbering } from "../wire/span-message.ts";

/** Options of the gate. */
export interface GateOptions {
  /** Identity fields that are always exported as their fingerprint, e.g. `["user_id"]`. */
  readonly keyed?: readonly RegistryName[];
  /** Makes the fingerprint; without it an identity that is not opaque is dropped and counted. */
  readonly keyIdentity?: KeyIdentity;
}

/** Refusals by code; never a key or a value. */
export type GateCounts = Readonly<Record<string, number>>;

/** A gate. */
export interface Gate {
  readonly dropped: GateCounts;
  /** The screened span, or undefined when it cannot be screened. */
  screen(span: ReadableSpanLike): ReadableSpanLike | undefined;
  /** The same as `screen`, for a span whose refusals are counted already. */
  screenAgain(span: ReadableSpanLike): ReadableSpanLike | undefined;
  /** Writes the screened span; false when it cannot be screened. */
  write(span: ReadableSpanLike, to: RequestWriter, numbering: Numbering | undefined): boolean;
}

/** Creates a gate with its own counts and cache. */
export function createGate(options: GateOptions = {}): Gate {
  const dropped: Record<string, number> = Object.create(null);
  let counting = true;
  const drop = (code: string): void => {
    if (counting) dropped[code] = (dropped[code] ?? 0) + 1;
  };
  const rules: IdentityRules = {
    keyed: new Set(options.keyed),
    keyIdentity: options.keyIdentity,
  };
  const memory: GateMemory = {
    screen: new AttributeScreen(rules, drop),
    resources: new WeakMap(),
    scopes: new WeakMap(),
  };
  const writer = new SpanWriter(memory, drop);
  const screen = (span: ReadableSpanLike): ReadableSpanLike | undefined => {
    try {
      return screenedSpan(span, memory, drop);
    } catch {
      drop("span_unmapped");
      return undefined;
    }
  };
  return {
    dropped,
    screen,
    screenAgain(span) {
      counting = false;
      try {
        return screen(span);
      } finally {
        counting = true;
      }
    },
    write(span, to, numbering) {
      try {
        writer.write(span, to, numbering);
        return true;
      } catch {
        drop("span_unmapped");
        return false;
      }
    },
  };
}
