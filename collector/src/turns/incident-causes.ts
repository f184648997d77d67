/**
 * @module IncidentCauses: what went wrong in turns, the most urgent first, so that each turn counts
 * under one cause alone: a finding of the judge, else a call that failed, else its error, else a
 * call that got by with a fallback or a limitation.
 */
import { findingTexts } from "@turnproof/evidence";
import type { TurnCondition, TurnQuestion, TurnReader } from "@turnproof/store";

import { callTerm } from "../ui/display/call-term.ts";
import { termText } from "../ui/display/filter-terms.ts";
import { findingPriority } from "../ui/display/kind-words.ts";

/** What went wrong. */
export interface Cause {
  readonly kind: "finding" | "failed_call" | "error" | "limited_call";
  /** Code of the finding, or name of the tool or model; null for an error without either. */
  readonly name: string | null;
  readonly call: "tool" | "model" | null;
  readonly priority: 0 | 1 | 2;
}

/** A cause with the turns that have it. */
export interface AskedCause extends Cause {
  readonly condition: TurnCondition;
  /** Its term of the filter bar; null where it has none. */
  readonly term: string | null;
}

const valuesMax = 500;

/** Outcomes of the words `failed` and `limited` of the filter bar. */
export const troubles = {
  failed: ["error", "provider_error"],
  limited: ["fallback", "degraded"],
} as const;

/** True for an outcome of these. */
export function isTrouble(of: keyof typeof troubles, outcome: string | null | undefined): boolean {
  return (troubles[of] as readonly (string | null | undefined)[]).includes(outcome);
}

/** The causes among the turns of a question, in the order in which they are counted. */
export async function causesOf(
  ledger: TurnReader,
  question: TurnQuestion,
): Promise<readonly AskedCause[]> {
  const [[facet], tools, models] = await Promise.all([
    ledger.turnFacets(question, ["code"], valuesMax),
    ledger.callFigures(question, "tool", ["name", "outcome"]),
    ledger.callFigures(question, "model", ["name", "outcome"]),
  ]);
  const findings = (facet?.values ?? [])
    .flatMap(({ value, turns }) =>
      value !== null && Object.hasOwn(findingTexts, value) ? [{ code: value, turns }] : [],
    )
    .toSorted((a, b) => findingPriority(a.code) - findingPriority(b.code) || b.turns - a.turns);
  const calls = (kind: "tool" | "model", trouble: keyof typeof troubles): readonly AskedCause[] => {
    const sums = new Map<string | null, number>();
    for (const { group, calls: count } of kind === "tool" ? tools : models) {
      if (!isTrouble(trouble, group.outcome)) continue;
      const name = group.name ?? null;
      sums.set(name, (sums.get(name) ?? 0) + count);
    }
    return [...sums]
      .toSorted((a, b) => b[1] - a[1])
      .map(([name]) => callCause(kind, name, trouble));
  };
  return [
    ...findings.map(({ code }) => findingCause(code)),
    ...calls("tool", "failed"),
    ...calls("model", "failed"),
    {
      kind: "error",
      name: null,
      call: null,
      priority: 1,
      condition: { list: "flag", has: "error" },
      term: "has:error",
    },
    ...calls("tool", "limited"),
  ];
}

function findingCause(code: string): AskedCause {
  return {
    kind: "finding",
    name: code,
    call: null,
    priority: findingPriority(code),
    condition: { list: "code", has: code },
    term: termText({ key: "finding", value: code, negated: false }),
  };
}

function callCause(
  kind: "tool" | "model",
  name: string | null,
  trouble: keyof typeof troubles,
): AskedCause {
  const isFailed = trouble === "failed";
  const value = callTerm({ kind, name, outcome: trouble });
  return {
    kind: isFailed ? "failed_call" : "limited_call",
    name,
    call: kind,
    priority: isFailed ? 1 : 2,
    condition: { any: troubles[trouble].map((outcome) => ({ call: { kind, name, outcome } })) },
    term: value === undefined ? null : termText({ key: "call", value, negated: false }),
  };
}
