/**
 * @module Insights: notable facts of a turn, or of a window of an agent or thread (requirements:
 * Trace Insights; evidence: Insights). Never silently truncated, and no text is ever read.
 */
import { limits } from "@turnproof/semconv";

import type { FindingText } from "../reconcile/finding-text.ts";
import type { TurnEvent } from "../event/event.ts";
import { idsOf, labelOf } from "../reconcile/finding-list.ts";
import { membersOf } from "../event/identity-tuple.ts";
import type { IdentityTuple } from "../event/identity-tuple.ts";
import { contextInsights, identityInsights, judgementInsights } from "./insights-context.ts";
import { memoryInsights } from "./insights-memory.ts";
import { modelInsights } from "./insights-model.ts";
import { toolInsights } from "./insights-tools.ts";
import { insightTexts } from "./insight-table.ts";
import type { InsightCode, InsightMatch } from "./insight-table.ts";
import { findRecurringWorkflows } from "./learning.ts";
import { readWindow } from "../normalize/window-events.ts";
import type { WindowEvents } from "../normalize/window-events.ts";

/** One insight. */
export interface Insight extends FindingText {
  readonly code: InsightCode;
  /** The turn; for a window the owner of a recurring workflow, else null. */
  readonly identity: IdentityTuple | null;
  /** A registered label such as a tool's name, or the tool names of a workflow in order. */
  readonly subject: string | null;
  /** Number of events behind it; `evidence_ids` has at most 32 of them. */
  readonly evidence_count: number;
  readonly evidence_ids: readonly string[];
}

/** All insights, most urgent first. */
export interface Insights {
  readonly scope: "turn" | "window";
  /** Number of insights; a caller that shows fewer must state this number. */
  readonly total: number;
  readonly insights: readonly Insight[];
}

/**
 * Finds insights. With scope `turn` every rule is applied to each turn, with `window` to all
 * events together. Accepts any array; values that are no events are left out.
 */
export function findInsights(
  events: readonly unknown[],
  options: { readonly scope: "turn" | "window" },
): Insights {
  return insightsIn(readWindow(events), options);
}

/** The same for a window that was read already. */
export function insightsIn(
  { events: readable, groups }: WindowEvents,
  options: { readonly scope: "turn" | "window" },
): Insights {
  const insights: Insight[] = [];
  if (options.scope === "window") {
    for (const match of rules(readable)) insights.push(toInsight(match, null));
    for (const { evidence, name, identity } of findRecurringWorkflows(readable)) {
      // The name is composed of labels and longer than one, so it is not screened as a label.
      const insight = toInsight({ code: "recurring_workflow", evidence }, identity);
      insights.push({ ...insight, subject: name });
    }
  } else {
    groups.tuples.forEach((identity, group) => {
      for (const match of rules(membersOf(readable, groups, group))) {
        insights.push(toInsight(match, identity));
      }
    });
  }
  insights.sort(compareInsights);
  return { scope: options.scope, total: insights.length, insights };
}

function rules(events: readonly TurnEvent[]): InsightMatch[] {
  return [
    ...contextInsights(events),
    ...identityInsights(events),
    ...memoryInsights(events),
    ...toolInsights(events),
    ...modelInsights(events),
    ...judgementInsights(events),
  ];
}

function toInsight(match: InsightMatch, identity: IdentityTuple | null): Insight {
  const ids = idsOf(match.evidence);
  const words = insightTexts[match.code];
  return {
    code: match.code,
    ...words,
    priority: match.priority ?? words.priority,
    identity,
    subject: labelOf(match.subject),
    evidence_count: ids.length,
    evidence_ids: ids.slice(0, limits.findingEvidenceMax),
  };
}

function compareInsights(a: Insight, b: Insight): number {
  const left = `${a.code} ${a.evidence_ids[0] ?? ""}`;
  const right = `${b.code} ${b.evidence_ids[0] ?? ""}`;
  return a.priority - b.priority || (left < right ? -1 : left > right ? 1 : 0);
}
