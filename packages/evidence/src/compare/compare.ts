/**
 * @module Compare: what changed between two windows, without rating either (requirements:
 * Endpoints; evidence: Compare). Operations are aligned by their logical place, refs and states by
 * name; nothing is executed or replayed, and no text is read.
 */
import { compareOperations } from "./compare-operations.ts";
import type { OperationComparison, Tolerance } from "./compare-operations.ts";
import { compareResults } from "./compare-results.ts";
import type { ResultComparison } from "./compare-results.ts";
import type { FindingCode } from "../reconcile/diagnostics-table.ts";
import type { Finding } from "../reconcile/finding-list.ts";
import type { TurnEvent } from "../event/event.ts";
import { judgeWindow } from "../reconcile/reconcile.ts";
import type { Verdict } from "../reconcile/reconcile.ts";
import type { WindowMetadata, WindowTrust } from "../reconcile/reconcile-window.ts";
import { buildGroups } from "../waterfall/waterfall.ts";
import { readWindow } from "../normalize/window-events.ts";

/** On which side a diagnostic code was found. Absence from a partial candidate proves nothing. */
export type CodePresence = "only_in_baseline" | "only_in_candidate" | "in_both" | "not_established";

/** One diagnostic code of either window. */
export interface CodeComparison {
  readonly code: FindingCode;
  readonly presence: CodePresence;
  readonly baseline_evidence_ids: readonly string[];
  readonly candidate_evidence_ids: readonly string[];
}

/** How reliable the comparison is. Percentages are null where the divisor is zero. */
export interface CompareTrust {
  readonly matched_percent: number | null;
  /** Share of matched operations whose equal siblings differ in number. */
  readonly ambiguous_percent: number | null;
  readonly baseline: WindowTrust;
  readonly candidate: WindowTrust;
  readonly truncated: boolean;
}

/** The comparison of two windows. */
export interface TraceComparison extends OperationComparison, ResultComparison {
  /** Sides without a readable event: `trace_not_found_in_window`, never an empty success. */
  readonly not_found: readonly ("baseline" | "candidate")[];
  readonly verdicts: {
    readonly baseline: Verdict["status"];
    readonly candidate: Verdict["status"];
  };
  /** Releases (`service.version`) that wrote each side, sorted; empty where not recorded. */
  readonly releases: {
    readonly baseline: readonly string[];
    readonly candidate: readonly string[];
  };
  readonly diagnostics: readonly CodeComparison[];
  readonly trust: CompareTrust;
}

/** How the two windows were read, and which differences are ignored. */
export interface CompareOptions extends Tolerance {
  readonly baselineMetadata?: WindowMetadata | null;
  readonly candidateMetadata?: WindowMetadata | null;
}

/** Compares two windows of any values; never throws on data. Linear except for sorting. */
export function compareTraceWindows(
  baseline: readonly unknown[],
  candidate: readonly unknown[],
  options: CompareOptions = {},
): TraceComparison {
  const before = readWindow(baseline);
  const after = readWindow(candidate);
  const left = judgeWindow(before, baseline, {
    normalizationMetadata: options.baselineMetadata ?? null,
  });
  const right = judgeWindow(after, candidate, {
    normalizationMetadata: options.candidateMetadata ?? null,
  });
  const operations = compareOperations(
    { events: before.events, groups: buildGroups(before) },
    { events: after.events, groups: buildGroups(after) },
    options,
  );
  const { matched, ambiguous, total } = operations.counts;
  const percent = (part: number, whole: number): number | null =>
    whole === 0 ? null : Math.round((part / whole) * 1000) / 10;
  return {
    not_found: [
      ...(before.events.length === 0 ? (["baseline"] as const) : []),
      ...(after.events.length === 0 ? (["candidate"] as const) : []),
    ],
    verdicts: { baseline: left.status, candidate: right.status },
    releases: { baseline: releasesOf(before.events), candidate: releasesOf(after.events) },
    ...operations,
    ...compareResults(before.events, after.events),
    diagnostics: compareCodes(left.findings, right.findings, right.window.complete),
    trust: {
      matched_percent: percent(matched, total),
      ambiguous_percent: percent(ambiguous, matched),
      baseline: left.window,
      candidate: right.window,
      truncated: [left, right].some(({ window }) => window.reasons.includes("truncated")),
    },
  };
}

/** Releases that wrote the events, each once and sorted. */
export function releasesOf(events: readonly TurnEvent[]): readonly string[] {
  const versions = new Set<string>();
  for (const { attributes } of events) {
    if (attributes.service_version !== undefined) versions.add(attributes.service_version);
  }
  return [...versions].toSorted();
}

function compareCodes(
  baseline: readonly Finding[],
  candidate: readonly Finding[],
  candidateComplete: boolean,
): CodeComparison[] {
  const before = idsByCode(baseline);
  const after = idsByCode(candidate);
  const codes = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return codes.map((code) => {
    const left = before.get(code);
    const right = after.get(code);
    const gone = candidateComplete ? "only_in_baseline" : "not_established";
    return {
      code,
      presence: left === undefined ? "only_in_candidate" : right === undefined ? gone : "in_both",
      baseline_evidence_ids: left ?? [],
      candidate_evidence_ids: right ?? [],
    };
  });
}

function idsByCode(findings: readonly Finding[]): Map<FindingCode, readonly string[]> {
  const ids = new Map<FindingCode, readonly string[]>();
  for (const { code, evidence_ids } of findings) if (!ids.has(code)) ids.set(code, evidence_ids);
  return ids;
}
