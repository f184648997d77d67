/**
 * @module IncidentCauses: what went wrong in turns, the most urgent first, so that each turn counts
 * under one cause alone: a finding of the judge, else a call that failed, else its error, else a
 * tool that answered by a fallback or with a limitation, else evidence that is lost or missing.
 */
import { findingTexts, lostReasons } from "@turnproof/evidence";
import type { TurnCall, TurnRow } from "@turnproof/evidence";
import type { TurnCondition, TurnRecord } from "@turnproof/store";

import { isLost } from "./lost-evidence.ts";
import { callTerm } from "../ui/display/call-term.ts";
import { termText } from "../ui/display/filter-terms.ts";
import { findingPriority } from "../ui/display/kind-texts.ts";

/** What went wrong. */
export interface Cause {
  readonly kind: "finding" | "failed_call" | "error" | "limited_call" | "evidence";
  /**
   * Code of the finding, name of the tool or model, or reason of the verdict; null for an error,
   * and where the reason was not recorded.
   */
  readonly name: string | null;
  readonly call: "tool" | "model" | null;
  readonly priority: 0 | 1 | 2;
}

const troubles = {
  failed: ["error", "provider_error"],
  limited: ["fallback", "degraded"],
} as const;

/** The turns in which something went wrong. */
export const wrongTurns: TurnCondition = {
  any: [
    { list: "flag", has: "finding" },
    { list: "flag", has: "error" },
    // Without a finding its evidence is lost or missing.
    { text: "verdict", is: "partial" },
    isLost,
    ...troubles.failed.map((outcome) => ({ call: { kind: "tool" as const, outcome } })),
    ...troubles.failed.map((outcome) => ({ call: { kind: "model" as const, outcome } })),
    ...troubles.limited.map((outcome) => ({ call: { kind: "tool" as const, outcome } })),
  ],
};

/** True for a call with one of these outcomes. */
export function isTrouble(of: keyof typeof troubles, { outcome }: TurnCall): boolean {
  return (troubles[of] as readonly (string | null)[]).includes(outcome);
}

/** Everything that went wrong in a turn, each cause once; unordered. */
export function causesIn({ row, calls }: TurnRecord): readonly Cause[] {
  const found = [
    ...(row.finding_codes ?? []).flatMap((code): Cause[] =>
      Object.hasOwn(findingTexts, code)
        ? [{ kind: "finding", name: code, call: null, priority: findingPriority(code) }]
        : [],
    ),
    ...calls.flatMap((call): Cause[] => {
      const { kind, name } = call;
      // The turn of a called agent has its own causes.
      if (kind === "agent") return [];
      if (isTrouble("failed", call)) {
        return [{ kind: "failed_call", name, call: kind, priority: 1 }];
      }
      return kind === "tool" && isTrouble("limited", call)
        ? [{ kind: "limited_call", name, call: kind, priority: 2 }]
        : [];
    }),
    ...(row.has_error ? [{ kind: "error", name: null, call: null, priority: 1 } as const] : []),
    ...evidenceReasons(row).map((name): Cause => ({
      kind: "evidence",
      name,
      call: null,
      priority: 2,
    })),
  ];
  return [...new Map(found.map((cause) => [causeKey(cause), cause])).values()];
}

/** What is lost or missing of a turn without a finding; null where it was not recorded. */
function evidenceReasons({
  verdict,
  finding_codes: codes,
  verdict_reasons: reasons,
}: TurnRow): readonly (string | null)[] {
  if ((codes ?? []).length > 0) return [];
  if (verdict === "partial") return reasons ?? [null];
  return (reasons ?? []).filter((reason) => (lostReasons as readonly string[]).includes(reason));
}

/** A text that is equal for equal causes only. */
export function causeKey({ kind, call, name }: Cause): string {
  return JSON.stringify([kind, call, name]);
}

const kinds: readonly Cause["kind"][] = [
  "finding",
  "failed_call",
  "error",
  "limited_call",
  "evidence",
];

/** Sorts causes, the most urgent first; of equal ones the one with more turns. */
export function byUrgency(turns: ReadonlyMap<string, number>): (a: Cause, b: Cause) => number {
  const count = (cause: Cause): number => turns.get(causeKey(cause)) ?? 0;
  return (a, b) =>
    kinds.indexOf(a.kind) - kinds.indexOf(b.kind) ||
    a.priority - b.priority ||
    // A broken tool is nearer to the cause than the model call that it fails.
    (b.call ?? "").localeCompare(a.call ?? "") ||
    count(b) - count(a) ||
    causeKey(a).localeCompare(causeKey(b));
}

/** Findings about how a turn ended, and those that follow from it. */
const endings: ReadonlySet<string | null> = new Set(["turn_failed", "turn_cancelled", "turn_open"]);
const absences: ReadonlySet<string | null> = new Set(["artifact_missing", "contract_missing"]);

/** Moves how a turn ended before what it therefore did not make. */
export function endingFirst(causes: readonly Cause[]): readonly Cause[] {
  const ending = causes.find(({ kind, name }) => kind === "finding" && endings.has(name));
  const [first] = causes;
  if (ending === undefined || first?.kind !== "finding" || !absences.has(first.name)) return causes;
  return [ending, ...causes.filter((one) => one !== ending)];
}

/**
 * The cause as a term of the filter bar; null where it has none.
 *
 * @param anyName true for calls of every name
 */
export function causeTerm({ kind, name, call }: Cause, anyName = false): string | null {
  if (kind === "error") return "has:error";
  if (kind === "evidence") {
    return name === null
      ? "verdict:partial -has:finding -has:reasons"
      : `${termText({ key: "reason", value: name, negated: false })} -has:finding`;
  }
  if (call === null) return termText({ key: "finding", value: name ?? "", negated: false });
  const outcome = kind === "failed_call" ? "failed" : "limited";
  const value = callTerm({ kind: call, ...(anyName ? {} : { name }), outcome });
  return value === undefined ? null : termText({ key: "call", value, negated: false });
}
