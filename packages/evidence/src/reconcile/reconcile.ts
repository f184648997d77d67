/**
 * @module Reconcile: the strict verdict over a window (requirements: Reconciliation 1 to 11;
 * evidence: Reconcile). Success requires that nothing contradicts it and nothing required is
 * missing; everything unknown counts against it.
 */
import type { VerdictStatus } from "@turnproof/semconv";
import { compareTimes, normalizeTime } from "@turnproof/semconv";

import type { CoverageProfiles } from "../coverage/coverage.ts";
import { compareEvents } from "../event/event-order.ts";
import { compareFindings, toFindings } from "./finding-list.ts";
import type { Finding } from "./finding-list.ts";
import { compareTuples, tupleOf } from "../event/identity-tuple.ts";
import { explain } from "./reconcile-explanation.ts";
import { judgeTuples } from "./reconcile-tuples.ts";
import type { TaskChain } from "./reconcile-tuples.ts";
import { assessWindow, windowClock } from "./reconcile-window.ts";
import { isStageMissing } from "./verdict-reasons.ts";
import type { WindowMetadata, WindowTrust } from "./reconcile-window.ts";
import type { TaskScope } from "./turn-evidence.ts";
import { compareText } from "../event/text-order.ts";
import { isUntrusted } from "../normalize/untrusted.ts";
import { readWindow } from "../normalize/window-events.ts";
import type { WindowEvents } from "../normalize/window-events.ts";
import type { ChainLink } from "./reconcile-tuples.ts";

/** The verdict. `verified` is true only for a success. */
export interface Verdict {
  readonly status: VerdictStatus;
  readonly verified: boolean;
  /** The requested task; null for every intent of the window. */
  readonly task_id: string | null;
  /** Mark of the window, else the latest receipt in it; null where neither is known. */
  readonly as_of: string | null;
  /**
   * When the operations that are open now count as unfinished if nothing arrives; null where none
   * is open.
   */
  readonly open_until: string | null;
  readonly findings: readonly Finding[];
  readonly chain: readonly ChainLink[];
  /** Declared stages that are missing; `outcome` alone does not block a success. */
  readonly missing_stages: readonly string[];
  readonly window: WindowTrust;
  readonly intent_count: number;
  /** One sentence of codes and labels. */
  readonly why: string;
}

/** Input of a verdict, and how the window was read. */
export interface ReconcileOptions {
  /** Judges this task alone. */
  readonly taskId?: string | null;
  /** Without it the list is unverified, and at most partial. */
  readonly normalizationMetadata?: WindowMetadata | null;
  /** A host's own coverage profiles. */
  readonly profiles?: CoverageProfiles;
}

/**
 * Judges the complete, authorized, normalized window. Accepts any array and never throws on data:
 * a value that is no event makes the window untrusted. The result does not depend on order or
 * repetition of the events. Identity must be resolved already (vocabulary: From a span to an
 * event).
 */
export function reconcileOutcome(
  events: readonly unknown[],
  options: ReconcileOptions = {},
): Verdict {
  return judgeWindow(readWindow(events), events, options);
}

/**
 * The verdict over a window that was read already, from `input`. It is based on trusted evidence
 * alone; where the rest would change the status, there is a note. Events received after the mark of
 * the window (`as_of`) are left out.
 */
export function judgeWindow(
  read: WindowEvents,
  input: readonly unknown[],
  options: ReconcileOptions,
): Verdict {
  const stated: unknown = options.normalizationMetadata?.as_of;
  const mark = typeof stated === "string" ? normalizeTime(stated) : undefined;
  if (mark !== undefined && read.receivedAt !== null && compareTimes(read.receivedAt, mark) > 0) {
    // Of events after the mark a reader may have found some and missed the rest.
    const seen = input.filter((value) => !isReceivedAfter(value, mark));
    return judgeSeen(readWindow(seen), seen, options);
  }
  return judgeSeen(read, input, options);
}

function judgeSeen(
  read: WindowEvents,
  input: readonly unknown[],
  options: ReconcileOptions,
): Verdict {
  const metadata = options.normalizationMetadata;
  const errors: unknown = metadata?.normalization_errors;
  const malformed = Array.isArray(errors) && errors.some(isUntrusted);
  if (!read.untrusted && !malformed) return judgeTrusted(read, options);
  const own = judgeTrusted(readWindow(input.filter((value) => !isUntrusted(value))), options);
  const all = readWindow(trusting(input));
  const counted = malformed ? { normalization_errors: trusting(errors) as [] } : {};
  const reported = malformed ? { normalizationMetadata: { ...metadata, ...counted } } : {};
  const theirs = judgeTrusted(all, { ...options, ...reported });
  if (theirs.status === own.status) return own;
  const evidence = read.events.filter(isUntrusted).toSorted(compareEvents);
  const [first] = evidence;
  const place = { identity: first === undefined ? {} : tupleOf(first), taskId: undefined };
  const note = { code: "untrusted_contradiction", evidence } as const;
  const findings = [...own.findings, ...toFindings(place, [note], own.window.complete)];
  return { ...own, findings: findings.toSorted(compareFindings) };
}

function isReceivedAfter(value: unknown, mark: string): boolean {
  try {
    const { received_at: received } = value as { readonly received_at?: unknown };
    const time = typeof received === "string" ? normalizeTime(received) : undefined;
    return time !== undefined && compareTimes(time, mark) > 0;
  } catch {
    return false;
  }
}

/** The same values as if all producers were trusted. */
function trusting(values: readonly unknown[]): unknown[] {
  return values.map((value) =>
    isUntrusted(value) ? { ...(value as object), ingest_trusted: true } : value,
  );
}

function judgeTrusted(read: WindowEvents, options: ReconcileOptions): Verdict {
  const taskId = options.taskId ?? undefined;
  const metadata = options.normalizationMetadata ?? undefined;
  const trust = assessWindow(read, metadata);
  const clock = windowClock(read, metadata);
  const notes = judgeTuples(read, { trust, profiles: options.profiles, taskId, clock });
  const { intended, other, findings } = notes;
  if (intended.tasks + other.tasks === 0) {
    findings.push(...notes.idle);
    // A failed outcome is judged even where nothing else is recorded.
    if (notes.idleFailed) Object.assign(other, { tasks: 1, bad: true });
  }
  // Evidence without an intent is reported only where nothing else prevents a success.
  const settled = findings.every(({ effect }) => effect === "note");
  if (settled || intended.tasks === 0)
    findings.push(...notes.unrequested.flatMap((scope) => intentMissing(scope, trust)));
  findings.sort(compareFindings);
  const missing = [...notes.missingStages].toSorted();
  const judged = intended.tasks > 0 ? intended : other;
  const blocked = findings.some(({ effect }) => effect === "blocking") || isStageMissing(missing);
  const { complete } = trust;
  const status = decide({ judged: judged.tasks > 0, complete, bad: judged.bad, blocked });
  const { intents } = notes;
  return {
    status,
    verified: status === "success",
    task_id: taskId ?? null,
    as_of: clock.asOf,
    open_until: notes.openUntil,
    findings,
    chain: notes.chains.sort(compareChains).flatMap(({ links }) => links),
    missing_stages: missing,
    window: trust,
    intent_count: intents,
    why: explain(status, { trust, findings, missing, intents }),
  };
}

function decide(facts: {
  readonly judged: boolean;
  readonly complete: boolean;
  readonly bad: boolean;
  readonly blocked: boolean;
}): VerdictStatus {
  if (!facts.judged) return "unknown";
  if (facts.complete && facts.bad) return "failed";
  return facts.complete && !facts.blocked ? "success" : "partial";
}

/** Evidence of a result without an intent: the intent was lost, or never recorded. */
function intentMissing(scope: TaskScope, trust: WindowTrust): Finding[] {
  const evidence = [...scope.artifacts, ...scope.contracts, ...scope.deliveries];
  const notice = { code: "intent_missing", evidence, absence: true } as const;
  return toFindings(scope, [notice], trust.complete);
}

function compareChains(a: TaskChain, b: TaskChain): number {
  return (
    compareTuples(a.scope.identity, b.scope.identity) ||
    compareText(a.scope.taskId ?? "", b.scope.taskId ?? "") ||
    // A turn without labels may have two scopes: that of its intents, and that of the rest.
    b.intents - a.intents
  );
}
