/**
 * @module Evaluate: contracts over the turns of a window. Evidence of untrusted producers decides
 * nothing: where it would change a result, the result is not established.
 */
import {
  digestInput,
  digestLines,
  isContested,
  settledTurnWindow,
  spanKey,
  turnWindows,
} from "@turnproof/evidence";
import type {
  TurnEvent,
  TurnWindow,
  WindowMetadata,
  WindowReason,
  WindowTrust,
} from "@turnproof/evidence";
import { limits } from "@turnproof/semconv";
import type { Identity, NullableIdentity } from "@turnproof/semconv";
import { sha256Hex } from "@turnproof/semconv/fingerprint";

import { defaultContract } from "../default-contract.ts";
import type { Clause, Condition, Severity } from "../language/clauses.ts";
import type { TurnContract, Golden } from "../language/contract.ts";
import { judgeClause } from "./judge-clause.ts";
import { judgeCondition } from "./judge-condition.ts";
import { judged } from "./judgement.ts";
import type { ClauseJudgement, MeasuredRange } from "./judgement.ts";
import { allOf, implies } from "./three-values.ts";
import type { Outcome } from "./three-values.ts";
import { turnFacts } from "./turn-facts.ts";
import type { PriceOf, Surroundings, TurnFacts } from "./turn-facts.ts";

/** Marks of a window that was written down elsewhere, for example in a signed statement. */
export interface WindowMarks {
  readonly event_count?: number;
  /** SHA-256 of the evidence, as statements have it; hex. */
  readonly digest?: string;
}

/** What an evaluation needs beside events and contracts. */
export interface EvaluateOptions {
  /** How the window was read. Without it the list is unverified: absence decides nothing. */
  readonly metadata?: WindowMetadata;
  /** A window that differs from its marks is not whole. */
  readonly marks?: WindowMarks;
  readonly priceOf?: PriceOf;
  /** What prices are in, for sentences; default `units`. */
  readonly priceUnit?: string;
  readonly goldens?: readonly Golden[];
  /** Judged where no contract applies to a turn; default {@link defaultContract}, null for none. */
  readonly otherwise?: TurnContract | null;
}

/** Result of one clause. */
export interface ClauseResult {
  /** Name of the clause. */
  readonly clause: string;
  readonly id: string | null;
  /** Position in the contract, from 0. */
  readonly index: number;
  readonly severity: Severity;
  readonly result: Outcome;
  /** False where the clause's condition is not met, null where that is unknown. */
  readonly applies: boolean | null;
  /** Deciding events, at most 32. */
  readonly evidence_ids: readonly string[];
  readonly evidence_count: number;
  readonly sentence: string;
  /** First step, from 1, at which a trajectory leaves its golden. */
  readonly diverged_at?: number;
  /** The measured value, of clauses that limit one. */
  readonly measured?: MeasuredRange;
}

/** Result of one contract on one turn. */
export interface ContractResult {
  readonly contract: string;
  /** Of the clauses that weigh as errors; the others are in `clauses` only. */
  readonly result: Outcome;
  readonly applies: boolean | null;
  readonly clauses: readonly ClauseResult[];
}

/** Identity of a judged turn; null where it is not recorded. */
export interface JudgedTurn
  extends
    NullableIdentity<"agent_id" | "thread_id" | "root_trace_id" | "turn_id">,
    Partial<Pick<Identity, "user_id">> {}

/** Results on one turn. */
export interface TurnResult {
  readonly turn: JudgedTurn;
  /** True where the window is whole: absence decides. */
  readonly whole: boolean;
  /** Why it is not. */
  readonly reasons: readonly WindowReason[];
  /** True where no given contract applies, and the default one is judged. */
  readonly by_default: boolean;
  readonly contracts: readonly ContractResult[];
}

/**
 * Judges every turn of a window by every contract that applies, or may apply, to it.
 *
 * @param input any array; a value that is no event makes the window untrusted
 */
export function evaluateTurns(
  input: readonly unknown[],
  contracts: readonly TurnContract[],
  options: EvaluateOptions = {},
): TurnResult[] {
  const { marks } = options;
  let metadata = options.metadata;
  let read = turnWindows(input, metadata);
  if (marks !== undefined && !hasMarks(read.events, marks)) {
    metadata = { ...metadata, known_loss: 1 };
    read = turnWindows(input, metadata);
  }
  const rules = rulesOf(contracts, options, metadata);
  return read.turns.map((turn) => evaluateTurn(turn, rules));
}

/**
 * Judges one turn as `evaluateTurns` does, without repeating the checks of a store.
 *
 * @param events of one turn, as read from a store: resolved over the whole root, each once
 */
export function evaluateSettledTurn(
  events: readonly TurnEvent[],
  contracts: readonly TurnContract[],
  options: Omit<EvaluateOptions, "marks"> & { readonly metadata: WindowMetadata },
): readonly ContractResult[] {
  const [first, ...others] = events;
  if (first === undefined) return [];
  const turn = settledTurnWindow([first, ...others], options.metadata);
  return evaluateTurn(turn, rulesOf(contracts, options, options.metadata)).contracts;
}

function rulesOf(
  contracts: readonly TurnContract[],
  { priceOf, priceUnit = "units", goldens = [], otherwise = defaultContract }: EvaluateOptions,
  metadata: WindowMetadata | undefined,
): Rules {
  const named = new Map(goldens.map((golden) => [golden.golden, golden]));
  return { contracts, otherwise, around: { metadata, priceOf, priceUnit, goldens: named } };
}

/** Contracts, the default one, and what they need. */
interface Rules {
  readonly contracts: readonly TurnContract[];
  readonly otherwise: TurnContract | null;
  readonly around: Surroundings;
}

function evaluateTurn({ events, window }: TurnWindow, rules: Rules): TurnResult {
  const { around, contracts, otherwise } = rules;
  const trusted = events.filter((event) => event.ingest_trusted !== false);
  const same = trusted.length === events.length;
  const facts = [factsOf(same ? events : trusted, window, around)];
  if (!same) {
    const believed = events.map((event) => ({ ...event, ingest_trusted: true }));
    facts.push(factsOf(believed, window, around));
  }
  const results = contracts.flatMap((contract) => {
    const result = evaluateContract(contract, facts);
    return result.applies === false ? [] : [result];
  });
  const byDefault = results.length === 0 && otherwise !== null;
  if (byDefault) results.push(evaluateContract(otherwise, facts));
  const [first] = events;
  return {
    turn: {
      agent_id: first.agent_id ?? null,
      ...(first.user_id === undefined ? {} : { user_id: first.user_id }),
      thread_id: first.thread_id ?? null,
      root_trace_id: first.root_trace_id ?? null,
      turn_id: first.turn_id ?? null,
    },
    whole: window.complete,
    reasons: window.reasons,
    by_default: byDefault,
    contracts: results,
  };
}

const callKinds: ReadonlySet<string> = new Set(["model_call", "tool_call"]);

/**
 * Facts of events whose content is known. A contested one may have any of its contents, so it
 * counts as missing: what the rest decides stands whatever it was.
 */
function factsOf(
  events: readonly TurnEvent[],
  window: WindowTrust,
  around: Surroundings,
): TurnFacts {
  if (!events.some(isContested)) return turnFacts(events, window, around);
  const spans = new Set(events.filter(isContested).map(spanKey));
  // A call whose end has several contents may have another name than its start.
  const isItsStart = (event: TurnEvent): boolean =>
    event.phase === "start" && callKinds.has(event.event_kind) && spans.has(spanKey(event));
  const known = events.filter((event) => !isContested(event) && !isItsStart(event));
  const { metadata } = around;
  const lacking = metadata && { ...metadata, known_loss: 1 };
  return turnFacts(known, { ...window, complete: false }, { ...around, metadata: lacking });
}

function evaluateContract(contract: TurnContract, facts: readonly TurnFacts[]): ContractResult {
  const applies = conditionOf(contract.when, facts);
  if (applies === "violated") {
    return { contract: contract.name, result: "holds", applies: false, clauses: [] };
  }
  const clauses = contract.expect.map((clause, index) =>
    evaluateClause(clause, { index, contract, applies, facts }),
  );
  const deciding = clauses.some(isError) ? clauses.filter(isError) : clauses;
  return {
    contract: contract.name,
    result: allOf(deciding.map(({ result }) => result)),
    applies: applies === "holds" ? true : null,
    clauses,
  };
}

function isError({ severity }: ClauseResult): boolean {
  return severity === "error";
}

interface ClauseContext {
  readonly index: number;
  readonly contract: TurnContract;
  readonly applies: Outcome;
  readonly facts: readonly TurnFacts[];
}

function evaluateClause(
  clause: Clause,
  { index, contract, applies, facts }: ClauseContext,
): ClauseResult {
  const own = conditionOf(clause.when, facts);
  const judgement: ClauseJudgement =
    own === "violated" ? judged("holds", "The clause does not apply.") : judgeAll(clause, facts);
  const condition = own === "holds" ? applies : allOf([applies, own]);
  const result = implies(condition, judgement.result);
  const unknown = result !== judgement.result;
  const { evidence, diverged_at, measured } = judgement;
  const few = evidence.length <= limits.findingEvidenceMax;
  const ids = few ? evidence : evidence.slice(0, limits.findingEvidenceMax);
  return {
    clause: clause.clause,
    id: clause.id ?? null,
    index,
    severity: clause.severity ?? contract.severity ?? "error",
    result,
    applies: condition === "holds" ? true : own === "violated" ? false : null,
    evidence_ids: ids.map(({ event_id: id }) => id),
    evidence_count: evidence.length,
    sentence: unknown
      ? `${judgement.sentence} Whether the clause applies is not established.`
      : judgement.sentence,
    ...(diverged_at === undefined ? undefined : { diverged_at }),
    ...(measured === undefined ? undefined : { measured }),
  };
}

/** The judgement on trusted evidence, where untrusted evidence does not change it. */
function judgeAll(clause: Clause, facts: readonly TurnFacts[]): ClauseJudgement {
  const own = judgeClause(clause, facts[0] as TurnFacts);
  if (facts.length === 1) return own;
  const differs = facts.some((some) => judgeClause(clause, some).result !== own.result);
  return differs
    ? judged(
        "not_established",
        "Evidence of an untrusted producer leads to another result.",
        own.evidence,
      )
    : own;
}

/** Whether the condition is met, on trusted evidence and on all of it. */
function conditionOf(condition: Condition | undefined, facts: readonly TurnFacts[]): Outcome {
  if (condition === undefined) return "holds";
  const results = facts.map((one) => judgeCondition(condition, one));
  const [first = "not_established"] = results;
  return results.every((result) => result === first) ? first : "not_established";
}

function hasMarks(events: readonly TurnEvent[], { event_count, digest }: WindowMarks): boolean {
  if (event_count !== undefined && event_count !== events.length) return false;
  return digest === undefined || digest === digestOfEvidence(events);
}

/** SHA-256 over the sorted hashes of the events, as in a signed statement; hex. */
export function digestOfEvidence(events: readonly TurnEvent[]): string {
  return sha256Hex(digestInput(digestLines(events).map((line) => sha256Hex(line))));
}
