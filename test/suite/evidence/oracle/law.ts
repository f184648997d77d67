/** @module Law: what the oracle holds against a window, and the verdict that follows from it. */
import type { WindowMetadata } from "@turnproof/evidence";

import type { Clocks } from "./order.ts";
import type { Json } from "./reading.ts";

/** The statuses of a verdict. */
export type Status = "success" | "partial" | "failed" | "unknown";

/**
 * One thing that keeps a window from success. `failed`: positively bad; `partial`: absent, unknown
 * or recovered; `either`: never success, and the law leaves open which of the two; `unsettled`:
 * the law leaves open whether it blocks at all.
 */
export interface Objection {
  readonly rule: Rule;
  readonly weight: "failed" | "partial" | "either" | "unsettled";
}

/** The sentences, by name. */
export type Rule =
  | "window"
  | "intent"
  | "identity"
  | "negative"
  | "sources"
  | "producer"
  | "artifact"
  | "contract"
  | "marker"
  | "delivery"
  | "late_intent"
  | "order"
  | "clock_conflict"
  | "clock_ahead"
  | "outcome"
  | "turn_error"
  | "unfinished"
  | "stage"
  | "failed_stage"
  | "loss"
  | "action"
  | "unrequested";

/** The oracle's verdict. `allowed` has more than one status where the law names none of them. */
export interface OracleVerdict {
  readonly allowed: readonly Status[];
  readonly objections: readonly Objection[];
}

/** A window as it is judged. */
export interface JudgedWindow {
  readonly events: readonly Json[];
  readonly metadata: WindowMetadata | null;
  readonly taskId: string | null;
  /** What is known of how it was read; the oracle uses this and not the reader's result. */
  readonly wasReadWhole?: boolean;
}

/** What rules look at: one intent's evidence, its turn and the clocks. */
export interface Scope {
  readonly intent: Json;
  readonly turn: readonly Json[];
  readonly own: readonly Json[];
  readonly clocks: Clocks;
  /** Everything in the window, without untrusted producers. */
  readonly all: readonly Json[];
}

export const failed = (rule: Rule): Objection => ({ rule, weight: "failed" });
export const partial = (rule: Rule): Objection => ({ rule, weight: "partial" });
export const either = (rule: Rule): Objection => ({ rule, weight: "either" });
export const unsettled = (rule: Rule): Objection => ({ rule, weight: "unsettled" });

/** The statuses that objections leave. */
export function statusesOf(objections: readonly Objection[]): Status[] {
  const has = (weight: Objection["weight"]): boolean =>
    objections.some((one) => one.weight === weight);
  // evidence: Reconcile, `failed`: the window is complete; a known loss or an unread page leaves it
  // partial.
  if (objections.some(({ rule }) => rule === "window")) return ["partial"];
  if (has("unsettled")) {
    if (objections.every(({ weight }) => weight === "unsettled"))
      return ["success", "partial", "failed"];
    return ["partial", "failed"];
  }
  if (has("either")) return ["partial", "failed"];
  if (has("failed")) return ["failed"];
  return has("partial") ? ["partial"] : ["success"];
}
