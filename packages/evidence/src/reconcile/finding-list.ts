/**
 * @module FindingList: the findings of one window, one per code, task and subject, with at most 32
 * evidence ids each (evidence: Diagnostics).
 */
import { limits } from "@turnproof/semconv";

import { findingTexts, variantTexts } from "./diagnostics-table.ts";
import type { FindingCode, FindingVariant } from "./diagnostics-table.ts";
import { effectOf } from "./finding-text.ts";
import type { FindingEffect, FindingText, Priority } from "./finding-text.ts";
import type { TurnEvent } from "../event/event.ts";
import { compareTuples } from "../event/identity-tuple.ts";
import type { IdentityTuple } from "../event/identity-tuple.ts";
import { compareText } from "../event/text-order.ts";

/** A finding of the judge, with its text and the ids of its evidence. */
export interface Finding {
  readonly code: FindingCode;
  readonly priority: Priority;
  /** Whether it prevents a success. */
  readonly effect: FindingEffect;
  readonly title: string;
  readonly finding: string;
  readonly recommendation: string;
  /** Low where it is based on absence and the window is incomplete. */
  readonly confidence: "high" | "low";
  readonly task_id: string | null;
  readonly identity: IdentityTuple;
  /** The registered label that it concerns: artifact type, contract or delivery target. */
  readonly subject: string | null;
  /**
   * At most 32, sorted; `evidence_count` is the full number. Of evidence that many findings share,
   * such as the deliveries of one instant, at most 32 are counted for each.
   */
  readonly evidence_ids: readonly string[];
  readonly evidence_count: number;
}

interface FindingScope {
  readonly identity: IdentityTuple;
  readonly taskId: string | undefined;
}

/** Result of one check; `absence` marks a finding that more evidence could remove. */
export interface Notice {
  readonly code: FindingCode;
  readonly subject?: string | undefined;
  readonly evidence: readonly TurnEvent[];
  readonly absence?: boolean;
  /** Variant of the code, where it has its own text. */
  readonly variant?: FindingVariant | undefined;
}

const labelForm = /^[A-Za-z0-9][A-Za-z0-9_.:@/+-]{0,79}$/;

/** A label that can be shown: a token. Any other text could be content and is not repeated. */
export function labelOf(value: string | undefined): string | null {
  return value !== undefined && labelForm.test(value) ? value : null;
}

/** Ids of events, sorted, each once. */
export function idsOf(events: readonly TurnEvent[]): string[] {
  const [only] = events;
  if (only !== undefined && events.length === 1) return [only.event_id];
  return [...new Set(events.map((event) => event.event_id))].toSorted();
}

/**
 * The events of a finding, bounded, those with the lowest ids first. For evidence that many
 * findings share: otherwise each would contain all of it.
 */
export function shownOf(events: readonly TurnEvent[]): readonly TurnEvent[] {
  if (events.length <= limits.findingEvidenceMax) return events;
  const sorted = events.toSorted((a, b) => compareText(a.event_id, b.event_id));
  return sorted.slice(0, limits.findingEvidenceMax);
}

/** The findings of one task: notices with the same code and subject are merged. */
export function toFindings(
  place: FindingScope,
  notices: readonly Notice[],
  windowComplete: boolean,
): Finding[] {
  const merged = new Map<FindingCode, Map<string | undefined, Notice[]>>();
  for (const notice of notices) {
    let bySubject = merged.get(notice.code);
    if (bySubject === undefined) {
      bySubject = new Map();
      merged.set(notice.code, bySubject);
    }
    const same = bySubject.get(notice.subject);
    if (same === undefined) bySubject.set(notice.subject, [notice]);
    else same.push(notice);
  }
  const findings: Finding[] = [];
  for (const [code, bySubject] of merged) {
    for (const [subject, same] of bySubject) {
      const ids = idsOf(same.flatMap((notice) => notice.evidence));
      const rests = same.every((notice) => notice.absence === true);
      const words = wordsOf(code, same);
      findings.push({
        code,
        effect: effectOf(words.priority),
        ...words,
        confidence: rests && !windowComplete ? "low" : "high",
        task_id: place.taskId ?? null,
        identity: place.identity,
        subject: labelOf(subject),
        evidence_ids: ids.slice(0, limits.findingEvidenceMax),
        evidence_count: ids.length,
      });
    }
  }
  return findings;
}

/** The text of a code, or of the variant that all its notices share. */
function wordsOf(code: FindingCode, [first, ...others]: readonly Notice[]): FindingText {
  const variant = first?.variant;
  const alike = others.every((notice) => notice.variant === variant);
  return {
    ...findingTexts[code],
    ...(variant === undefined || !alike ? {} : variantTexts[variant]),
  };
}

/** Order of findings: priority, code, task, subject, first evidence; independent of arrival. */
export function compareFindings(a: Finding, b: Finding): number {
  return (
    a.priority - b.priority ||
    compareText(a.code, b.code) ||
    compareText(a.task_id ?? "", b.task_id ?? "") ||
    compareText(a.subject ?? "", b.subject ?? "") ||
    compareText(a.evidence_ids[0] ?? "", b.evidence_ids[0] ?? "") ||
    compareTuples(a.identity, b.identity)
  );
}
