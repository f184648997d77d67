/**
 * @module GateTurns: the turns of one side of a gate with their results, case and measures, and the
 * trials of both sides.
 */
import { defaultContract, evaluateSettledTurn, evaluateTurns } from "@turnproof/contracts";
import type {
  ContractTrials,
  EvaluateOptions,
  MeasureTrials,
  TurnResult,
} from "@turnproof/contracts";
import {
  certainResult,
  foldTurns,
  foldedTurns,
  isContested,
  settledTurnWindow,
  turnCalls,
  turnKey,
  turnWindows,
} from "@turnproof/evidence";
import type { TurnEvent, TurnRow, TurnWindow, WindowMetadata } from "@turnproof/evidence";
import { compareTimes } from "@turnproof/semconv";

import type { NamedContracts } from "../config/contract-files.ts";
import { pricingOf } from "../cost/call-price.ts";
import type { PriceList } from "../cost/price-list.ts";
import { usdOfTurn } from "../cost/turn-usd.ts";
import type { UsdRange } from "../cost/turn-usd.ts";

/** One turn of a side. Absent: not recorded. */
export interface SideTurn {
  readonly turn: TurnResult["turn"];
  /** External id of the turn, else of its first intent: the task that both sides did. */
  readonly caseId?: string;
  readonly results: TurnResult["contracts"];
  /** When it began. */
  readonly began?: string;
  readonly durationMs?: number;
  readonly tokens?: number;
  /** US dollars; a range where a count of tokens that has its own price is not recorded. */
  readonly usd?: UsdRange;
}

/** Events of one window and how it was read. */
export interface SideWindow extends Pick<EvaluateOptions, "marks"> {
  readonly events: readonly unknown[];
  readonly metadata?: WindowMetadata;
}

/** The turns of a window. */
export function sideTurns(
  { events, metadata, marks }: SideWindow,
  { contracts, goldens }: Pick<NamedContracts, "contracts" | "goldens">,
  prices: PriceList,
): SideTurn[] {
  const how: EvaluateOptions = {
    goldens,
    ...pricingOf(prices),
    ...(metadata === undefined ? {} : { metadata }),
    ...(marks === undefined ? {} : { marks }),
  };
  const results = evaluateTurns(events, contracts, how);
  return turnWindows(events, metadata).turns.flatMap((window, at) => {
    const result = results[at];
    if (result === undefined) return [];
    const [row] = foldTurns(window.events);
    return [{ turn: result.turn, results: result.contracts, ...measuresOf(window, row, prices) }];
  });
}

/**
 * The same turns, without repeating the checks of a store.
 *
 * @param window events of a whole root as read from a store; later ones than its mark are left out
 * @param wanted keys of the turns, by `turnKey`
 */
export function settledSideTurns(
  {
    events,
    metadata,
  }: { readonly events: readonly TurnEvent[]; readonly metadata: WindowMetadata },
  wanted: ReadonlySet<string>,
  { contracts, goldens }: Pick<NamedContracts, "contracts" | "goldens">,
  prices: PriceList,
): SideTurn[] {
  const { as_of: mark } = metadata;
  const isRead = ({ received_at: at }: TurnEvent): boolean =>
    typeof mark !== "string" || at === undefined || compareTimes(at, mark) <= 0;
  const how = { goldens, metadata, ...pricingOf(prices) };
  return foldedTurns(events.filter(isRead)).flatMap(({ row, events: own }) => {
    if (!wanted.has(turnKey(row))) return [];
    const { agent_id = null, user_id, thread_id = null, root_trace_id = null } = row;
    const turn = {
      agent_id,
      ...(user_id === undefined ? {} : { user_id }),
      thread_id,
      root_trace_id,
      turn_id: row.turn_id ?? null,
    };
    const results = evaluateSettledTurn(own, contracts, how);
    const [first, ...others] = own;
    if (first === undefined) return [];
    const window = settledTurnWindow([first, ...others], metadata);
    return [{ turn, results, ...measuresOf(window, row, prices) }];
  });
}

/**
 * What is measured of a turn: its duration where its own end is recorded, tokens and cost where in
 * addition no call may be missing.
 */
function measuresOf(
  { events, window }: TurnWindow,
  row: TurnRow | undefined,
  prices: PriceList,
): Omit<SideTurn, "results" | "turn"> {
  const named = ["turn", "intent"].flatMap((kind) =>
    events.filter(({ event_kind: of, external_id: id }) => of === kind && id !== undefined),
  );
  const caseId = named[0]?.external_id;
  const own = events.filter((event) => !isContested(event));
  const ended = certainResult(own, window.complete) !== undefined;
  const duration = ended ? (row?.duration_ms ?? undefined) : undefined;
  const closed = ended && window.complete;
  const calls = closed ? turnCalls(events) : [];
  const hasModel = calls.some(({ kind }) => kind === "model");
  const usd = hasModel ? usdOfTurn(calls, row?.ended_at ?? "", prices) : undefined;
  const isKnown = closed && row?.usage_state === "known";
  const tokens = isKnown ? (row.total_tokens ?? undefined) : undefined;
  return {
    ...(caseId === undefined ? {} : { caseId }),
    ...(row === undefined ? {} : { began: row.started_at }),
    ...(duration === undefined ? {} : { durationMs: duration }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(usd === undefined ? {} : { usd }),
  };
}

/** Results of each named contract, and of the default one where a turn of either side has it. */
export function trialsOf(
  names: readonly string[],
  baseline: readonly SideTurn[],
  candidate: readonly SideTurn[],
): ContractTrials[] {
  const side = (turns: readonly SideTurn[], name: string): ContractTrials["baseline"] =>
    turns.flatMap(({ caseId, results }) =>
      results
        .filter(({ contract }) => contract === name)
        .map(({ result }) => ({ result, ...(caseId === undefined ? {} : { caseId }) })),
    );
  return [...names, defaultContract.name]
    .map((name) => ({
      name,
      baseline: side(baseline, name),
      candidate: side(candidate, name),
    }))
    .filter(
      ({ name, ...one }) =>
        name !== defaultContract.name || one.baseline.length + one.candidate.length > 0,
    );
}

const measures = [
  ["duration", "ms", "durationMs"],
  ["tokens", "tokens", "tokens"],
  ["cost", "US dollars", "usd"],
] as const;

/**
 * Names among these that are neither a measure nor one of the contracts, the default one included.
 */
export function notCompared(wanted: readonly string[], contracts: readonly string[]): string[] {
  const known = new Set([...contracts, defaultContract.name, ...measures.map(([name]) => name)]);
  return wanted.filter((name) => !known.has(name));
}

/** The value of a measure of a turn; undefined where it is not recorded. */
export function measuredOf(turn: SideTurn, measure: string): SideTurn[MeasureKey] {
  const key = measures.find(([name]) => name === measure)?.[2];
  return key === undefined ? undefined : turn[key];
}

type MeasureKey = (typeof measures)[number][2];

/** Every measure of both sides; the gate compares those that a turn of one side has. */
export function measureTrials(
  baseline: readonly SideTurn[],
  candidate: readonly SideTurn[],
): MeasureTrials[] {
  return measures.map(([name, unit, key]) => {
    const side = (turns: readonly SideTurn[]): MeasureTrials["baseline"] =>
      turns.map(({ caseId, [key]: value }) => ({
        ...(caseId === undefined ? {} : { caseId }),
        ...(value === undefined ? {} : { value }),
      }));
    return { name, unit, baseline: side(baseline), candidate: side(candidate) };
  });
}
