/**
 * @module TurnDifferences: what sets some turns apart from all others of their time span. Each
 * value is tested by Fisher's exact test, one-sided; Holm's correction covers every compared value.
 */
import { compareShares, holm } from "@turnproof/contracts";
import type { TurnCounts, TurnQuery } from "@turnproof/store";
import { isoOfMicros } from "@turnproof/semconv";

import { differenceLevel, kindOf } from "../ui/display/differences.ts";
import type { Difference, Differences, SideCounts, Unrecorded } from "../ui/display/differences.ts";
import { valuesOf } from "../ui/display/filter-terms.ts";
import type { Term } from "../ui/display/filter-terms.ts";

/** Names of the compared keys, and the terms that selected the turns. */
export interface ComparedTerms {
  readonly names: ReadonlyMap<string, string>;
  readonly terms: readonly Term[];
}

const valuesMax = 40;
/** Confidence of the intervals. */
const confidence = 0.95;

/**
 * Compares turns with all others of the window that they are a part of. A value too rare to be
 * among the window's counts is left out, and so are the values that the turns were selected by:
 * all of them have those.
 */
export function differencesOf(
  these: SideCounts,
  window: SideCounts,
  { names, terms }: ComparedTerms,
): Differences {
  const requested = new Set(
    terms
      .filter(({ negated }) => !negated)
      .flatMap((term) => valuesOf(term).map((value) => `${term.key}:${value}`)),
  );
  // Turns that arrive between the two counts are only in the second one.
  const others = Math.max(window.turns - these.turns, 0);
  const found: Found[] = [];
  const unrecorded: Unrecorded[] = [];
  const cut: string[] = [];
  for (const { key, counts, unrecorded: missing, total } of these.keys) {
    const name = names.get(key) ?? key;
    const around = window.keys.find((one) => one.key === key);
    const missingBeside = Math.max((around?.unrecorded ?? missing) - missing, 0);
    if (missing + missingBeside > 0) {
      unrecorded.push({ key, name, these: missing, others: missingBeside });
    }
    let compared = 0;
    for (const [value, turns] of counts) {
      const inWindow = around?.counts.get(value);
      if (inWindow === undefined) continue;
      compared += 1;
      if (requested.has(`${key}:${value}`)) continue;
      const beside = Math.min(Math.max(inWindow - turns, 0), others);
      found.push({ key, name, value, kind: kindOf(key), these: turns, others: beside });
    }
    if (compared < total) cut.push(name);
  }
  const values = testedValues(found, these.turns, others);
  // Beside no other turn nothing can differ.
  const tested = others === 0 ? 0 : found.length;
  return { these: these.turns, others, values, tested, unrecorded, cut };
}

type Found = Pick<Difference, "key" | "name" | "value" | "kind" | "these" | "others">;

function testedValues(
  found: readonly Found[],
  these: number,
  others: number,
): readonly Difference[] {
  const tests = found.map((one) =>
    compareShares(
      { hits: one.others, of: others },
      { hits: Math.min(one.these, these), of: these },
      confidence,
    ),
  );
  const adjusted = holm(tests.map(({ more }) => more));
  return found
    .map((one, at): Difference => {
      const { difference = 0, interval = { low: -1, high: 1 } } = tests[at] ?? {};
      const p = adjusted[at] ?? 1;
      return { ...one, difference, ...interval, p, significant: p <= differenceLevel };
    })
    .filter(({ difference }) => difference > 0)
    .toSorted(
      (a, b) =>
        Number(b.significant) - Number(a.significant) ||
        Number(a.kind === "result") - Number(b.kind === "result") ||
        b.difference - a.difference ||
        b.these - a.these ||
        (a.value < b.value ? -1 : 1),
    )
    .slice(0, valuesMax);
}

/** The turns of the caller's scope from the first to the last of some turns, both included. */
export function ofSameSpan(query: TurnQuery, span: TurnCounts | undefined): TurnQuery {
  const { first_at: first, last_at: last } = span ?? {};
  if (typeof first !== "number" || typeof last !== "number") return query;
  const within = { time: "ended_at", from: isoOfMicros(first), to: isoOfMicros(last + 1) } as const;
  return { ...query, where: [...query.where, within] };
}
