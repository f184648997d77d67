/**
 * @module Selection: from candidates to supplied items. Removes exact and near duplicates, weighs
 * relevance against diversity (maximal marginal relevance), applies the budget, and writes a
 * ledger line for every candidate. Pure.
 */
import { cosineOf } from "./vector.ts";
import { runsOf, sameWordsKey, wordsOf } from "./words.ts";

/** Something that retrieval found. */
export interface Candidate {
  readonly id: string;
  readonly source: "cross_thread" | "summary" | "entity";
  readonly text: string;
  /** Cosine, or the weighted share of the question's words if that is higher; 0 to 1. */
  readonly relevance: number;
  /** Sort key of candidates, 0 to 1; default: the relevance. */
  readonly order?: number;
  readonly embedding?: readonly number[];
  /** Creation time; among equally relevant candidates the newest comes first. */
  readonly createdAt?: string;
}

/** Why a candidate was taken or left. */
export type SelectionReason =
  | "selected"
  | "in_history"
  | "exact_duplicate"
  | "near_duplicate"
  | "below_relevance"
  | "less_relevant"
  | "char_budget";

/** A line of the ledger. */
export interface LedgerLine {
  readonly candidate: Candidate;
  /** Position by order, from 1. */
  readonly rank: number;
  readonly selected: boolean;
  readonly reason: SelectionReason;
}

/** Bounds of a selection. */
export interface SelectionOptions {
  readonly relevanceMin: number;
  readonly itemsMax: number;
  readonly charsMax: number;
  /** 1 weighs relevance alone, 0 diversity alone. */
  readonly relevanceWeight: number;
  /** Texts that are in the context already. */
  readonly present: readonly string[];
}

/** Share of common word runs at which two texts count as near duplicates. */
const nearDuplicateMin = 0.8;

/** Selects. The ledger is in order of rank, the selected items in the order they were taken. */
export function select(
  candidates: readonly Candidate[],
  options: SelectionOptions,
): { readonly selected: readonly Candidate[]; readonly ledger: readonly LedgerLine[] } {
  const ranked = candidates.toSorted(byOrder);
  const reasons = new Map<Candidate, SelectionReason>();
  const pool = withoutDuplicates(ranked, options, reasons);
  const selected: Candidate[] = [];
  let chars = 0;
  while (pool.length > 0 && selected.length < options.itemsMax) {
    const [next] = pool.splice(bestIndex(pool, selected, options.relevanceWeight), 1);
    if (next === undefined) break;
    if (chars + next.text.length > options.charsMax) {
      reasons.set(next, "char_budget");
      continue;
    }
    chars += next.text.length;
    selected.push(next);
    reasons.set(next, "selected");
  }
  for (const rest of pool) reasons.set(rest, "less_relevant");
  const ledger = ranked.map((candidate, i): LedgerLine => {
    const reason = reasons.get(candidate) ?? "less_relevant";
    return { candidate, rank: i + 1, selected: reason === "selected", reason };
  });
  return { selected, ledger };
}

/** Best first, then newest, then by id, so that the order never depends on a store. */
export function byOrder(a: Candidate, b: Candidate): number {
  const better = orderOf(b) - orderOf(a) || b.relevance - a.relevance;
  if (better !== 0) return better;
  const [left, right] = [a.createdAt ?? "", b.createdAt ?? ""];
  if (left !== right) return left < right ? 1 : -1;
  return a.id < b.id ? -1 : 1;
}

function orderOf({ order, relevance }: Candidate): number {
  return order ?? relevance;
}

function withoutDuplicates(
  ranked: readonly Candidate[],
  options: SelectionOptions,
  reasons: Map<Candidate, SelectionReason>,
): Candidate[] {
  const present = new Set(options.present.map(sameWordsKey));
  const exact = new Set<string>();
  const kept: { readonly candidate: Candidate; readonly runs: ReadonlySet<string> }[] = [];
  for (const candidate of ranked) {
    const key = sameWordsKey(candidate.text);
    const runs = shingles(candidate.text);
    if (present.has(key)) reasons.set(candidate, "in_history");
    else if (exact.has(key)) reasons.set(candidate, "exact_duplicate");
    else if (candidate.relevance < options.relevanceMin) reasons.set(candidate, "below_relevance");
    else if (kept.some((other) => likeness(runs, other.runs) >= nearDuplicateMin)) {
      reasons.set(candidate, "near_duplicate");
    } else kept.push({ candidate, runs });
    exact.add(key);
  }
  return kept.map(({ candidate }) => candidate);
}

function shingles(text: string): ReadonlySet<string> {
  const words = wordsOf(text);
  return words.length < 3 ? new Set(words) : runsOf(words, 2);
}

/** Jaccard similarity. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let both = 0;
  for (const run of a) if (b.has(run)) both += 1;
  return both / (a.size + b.size - both);
}

function bestIndex(
  pool: readonly Candidate[],
  taken: readonly Candidate[],
  weight: number,
): number {
  let best = 0;
  let bestScore = Number.NEGATIVE_INFINITY;
  for (const [i, candidate] of pool.entries()) {
    let closest = 0;
    for (const other of taken) closest = Math.max(closest, nearness(candidate, other));
    const score = weight * orderOf(candidate) - (1 - weight) * closest;
    if (score > bestScore) {
      best = i;
      bestScore = score;
    }
  }
  return best;
}

function nearness(a: Candidate, b: Candidate): number {
  return a.embedding === undefined || b.embedding === undefined
    ? likeness(shingles(a.text), shingles(b.text))
    : cosineOf(a.embedding, b.embedding);
}
