/** @module DenialRows: words for and against ownership and provenance, and their verdicts. */
import { reconcileOutcome } from "@turnproof/evidence";

import { at, whole } from "./text-windows.ts";
import type { Json } from "./verdict-cases.ts";

/** Status and codes of the verdict. */
export const judged = (
  events: readonly unknown[],
  taskId: string | null = null,
): [string, string[]] => {
  const verdict = reconcileOutcome(events, { normalizationMetadata: whole, taskId });
  return [verdict.status, [...new Set(verdict.findings.map(({ code }) => code))].toSorted()];
};

/** A binding with this value of ownership. */
export const binding = (second: number, owned: boolean | undefined, extra: Json = {}): Json =>
  at(second, "context_binding", owned === undefined ? {} : { ownership_verified: owned }, {
    event_id: `binding-${second}`,
    ...extra,
  });
/** A selection of memory, of one candidate. */
export const selection = (resource: Json, selected: boolean): Json =>
  at(5, "memory_selection", {}, { selection_ledger: [{ resource, selected }] });

/** A word against ownership. */
export const unowned = { ownership_verified: false };
/** A word for it. */
export const owned = { ownership_verified: true };
