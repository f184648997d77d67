/** @module JudgeContext: memory, cache, ownership, provenance and the binding of the context. */
import { readSupply } from "@turnproof/evidence";
import type { Metric, TurnEvent } from "@turnproof/evidence";

import type { ClauseOf } from "../language/clauses.ts";
import { allowedWords, limited } from "./judge-budgets.ts";
import { judged, listed } from "./judgement.ts";
import type { ClauseJudgement } from "./judgement.ts";
import { named } from "./matching.ts";
import { allOf, anyNumber } from "./three-values.ts";
import type { NumberLimits, Outcome, Range } from "./three-values.ts";
import type { TurnFacts } from "./turn-facts.ts";

/** The stages of memory supply. */
export function judgeMemory(clause: ClauseOf<"memory">, facts: TurnFacts): ClauseJudgement {
  const events = facts.events.filter(({ event_kind: kind }) => kind.startsWith("memory_"));
  const supply = readSupply(facts.events);
  const parts = (["supplied", "retrieved", "referenced"] as const).flatMap((stage) => {
    const limits: NumberLimits | undefined = clause[stage];
    if (limits === undefined) return [];
    const range = rangeOf(supply[stage], facts, stage === "supplied" || facts.whole);
    const part = limited(range, limits, `Memory ${stage}:`, "entries", events);
    const { value } = supply[stage];
    // What is missing may lower what is recorded.
    if (value === null || range.low === value) return [part];
    const sentence = `Memory ${stage}: ${value} recorded, and what is missing may replace it`;
    return [{ ...part, sentence: `${sentence}; ${allowedWords(limits)}.` }];
  });
  if (clause.degraded === false) parts.push(judgeDegraded(facts, events));
  const result = allOf(parts.map((part) => part.result));
  const decisive = parts.find((part) => part.result === result) ?? parts[0];
  return judged(result, decisive?.sentence ?? "Nothing is required.", events);
}

function rangeOf({ state, value }: Metric, facts: TurnFacts, lowKnown: boolean): Range {
  if (value === null) {
    // A turn that supplies memory records it; without a record nothing is known of it.
    return anyNumber;
  }
  const low = lowKnown ? value : 0;
  return { low, high: state === "known" && facts.closed ? value : Number.POSITIVE_INFINITY };
}

function judgeDegraded(facts: TurnFacts, events: readonly TurnEvent[]): ClauseJudgement {
  const degraded = events.filter(({ attributes }) => attributes.memory_degraded === true);
  if (degraded.length > 0) return judged("violated", "Memory answered in part.", degraded);
  const stated = events.some(({ attributes }) => attributes.memory_degraded === false);
  return facts.closed && stated
    ? judged("holds", "Memory answered in full.", events)
    : stated
      ? judged(
          "not_established",
          "Memory answered in full where it is recorded, and a part may be missing.",
          events,
        )
      : judged("not_established", "Whether memory answered in full is not recorded.", events);
}

/** Every decision of the cache is one of these, and there is one. */
export function judgeCache({ decision }: ClauseOf<"cache">, facts: TurnFacts): ClauseJudgement {
  const all = facts.events.flatMap(({ attributes }) => attributes.cache_decision ?? []);
  const others = [...new Set(all)].filter((made) => named(decision, made) !== true);
  const allowed = listed(decision);
  return judgeRecords(facts, facts.events, {
    read: ({ attributes }) => {
      const { cache_decision: made } = attributes;
      return made === undefined ? undefined : named(decision, made) === true;
    },
    good: `The cache decided ${allowed}.`,
    bad: `The cache decided ${listed(others, "and")}; the contract allows ${allowed}.`,
    none: "No decision of the cache is recorded.",
  });
}

/** No record denies that the resources belong to the tenant, and one confirms it. */
export function judgeOwnership(facts: TurnFacts): ClauseJudgement {
  return judgeRecords(facts, facts.events, {
    read: (event) => {
      const stated = [event.attributes, ...refsOf(event)].map((one) => one.ownership_verified);
      if (stated.includes(false)) return false;
      return stated.includes(true) ? true : undefined;
    },
    good: "Ownership is verified.",
    bad: "A record states that ownership is not verified.",
    none: "No record states that ownership is verified.",
  });
}

/** No source has a provenance other than verified, and one is verified. */
export function judgeProvenance(facts: TurnFacts): ClauseJudgement {
  return judgeRecords(facts, facts.events, {
    read: (event) => {
      const stated = refsOf(event).flatMap((ref) => ref.provenance_status ?? []);
      return stated.length === 0 ? undefined : stated.every((status) => status === "verified");
    },
    good: "The provenance of the sources is verified.",
    bad: "A source has no verified provenance.",
    none: "No provenance is recorded.",
  });
}

function refsOf(event: TurnEvent): NonNullable<TurnEvent["input_refs"]> {
  return [...(event.input_refs ?? []), ...(event.output_refs ?? [])];
}

/** Thread binding and grounding. */
export function judgeBinding(clause: ClauseOf<"context">, facts: TurnFacts): ClauseJudgement {
  const { binding, grounding } = clause;
  return judgeRecords(facts, facts.of("context_binding"), {
    read: ({ attributes: stated }) => {
      const answers = [
        ...(binding === undefined ? [] : [named(binding, stated.thread_binding_status)]),
        ...(grounding === undefined ? [] : [named(grounding, stated.grounding_status)]),
      ];
      if (answers.includes(false)) return false;
      return answers.includes(undefined) ? undefined : true;
    },
    good: "The context is bound as required.",
    bad: "The context is bound otherwise.",
    none: "The binding of the context is not recorded.",
  });
}

/**
 * A statement that every record must confirm and at least one does. A record that denies it
 * decides; for the rest the whole window is needed.
 */
function judgeRecords(
  facts: TurnFacts,
  events: readonly TurnEvent[],
  words: {
    readonly read: (event: TurnEvent) => boolean | undefined;
    readonly good: string;
    readonly bad: string;
    readonly none: string;
  },
): ClauseJudgement {
  const denied = events.filter((event) => words.read(event) === false);
  if (denied.length > 0) return judged("violated", words.bad, denied);
  const confirmed = events.filter((event) => words.read(event) === true);
  // What no record holds is unknown, also where nothing is missing.
  const result: Outcome = facts.closed && confirmed.length > 0 ? "holds" : "not_established";
  const sentence =
    result === "not_established" && confirmed.length > 0
      ? "What is recorded confirms it, and a part may be missing."
      : confirmed.length > 0
        ? words.good
        : words.none;
  return judged(result, sentence, confirmed);
}
