/**
 * @module Lately: each of the judge's findings over all turns, with its newest turn: shown by the
 * incident finder before an id is entered.
 */
import { findingTexts } from "@turnproof/evidence";
import type { TurnQuestion, TurnReader } from "@turnproof/store";

import { findingPriority } from "../../ui/display/kind-words.ts";
import { turnQuestion } from "../../turns/turn-conditions.ts";
import { usualOrder } from "../../turns/turn-place.ts";
import type { Reading } from "../../access/grants.ts";
import type { Parts } from "../../parts.ts";

/** A finding, and the number of turns with it. */
export interface LateFinding {
  readonly code: string;
  readonly turns: number;
  /** The newest of them by its first receipt. */
  readonly last_root: string;
  readonly last_at: string;
}

/** Overview of all turns. */
export interface Lately {
  readonly turns: number;
  readonly unjudged: number;
  /** Most urgent first, then most frequent. */
  readonly findings: readonly LateFinding[];
}

/** Most findings in the list. */
const findingsMax = 20;
/** There are fewer codes than this. */
const codesMax = 500;

/** Findings on the turns of a reading. */
export async function lately(parts: Parts, reading: Reading, signal: AbortSignal): Promise<Lately> {
  const { ledger } = parts.store;
  const question: TurnQuestion = { ...turnQuestion(reading), signal };
  const [facet, verdicts] = await ledger.turnFacets(question, ["code", "verdict"], codesMax);
  const found = (facet?.values ?? [])
    .flatMap(({ value, turns }) =>
      value === null || !Object.hasOwn(findingTexts, value) ? [] : [{ code: value, turns }],
    )
    .toSorted((a, b) => findingPriority(a.code) - findingPriority(b.code) || b.turns - a.turns)
    .slice(0, findingsMax);
  const findings = await Promise.all(found.map((one) => withNewest(ledger, question, one)));
  return {
    // Each turn has one verdict, or is unjudged.
    turns: (verdicts?.values ?? []).reduce((sum, { turns }) => sum + turns, 0),
    unjudged: verdicts?.values.find(({ value }) => value === "unjudged")?.turns ?? 0,
    findings: findings.flat(),
  };
}

async function withNewest(
  ledger: TurnReader,
  question: TurnQuestion,
  found: { readonly code: string; readonly turns: number },
): Promise<readonly LateFinding[]> {
  const where = [...question.where, { list: "code" as const, has: found.code }];
  const { records } = await ledger.listTurns(
    { ...question, where },
    { order: usualOrder, limit: 1 },
  );
  return records.map(({ row }) => ({
    ...found,
    last_root: row.root_trace_id ?? "",
    last_at: row.ended_at,
  }));
}
