/**
 * @module GateSide: one side of a gate: turns of a file, or of a running collector under terms of
 * the filter bar, each with its results, case and measures.
 */
import { stat } from "node:fs/promises";

import { evaluateTurns } from "@turnproof/contracts";
import type { EvaluateOptions, TurnResult } from "@turnproof/contracts";
import { foldTurns, turnCalls, turnWindows } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";

import type { PriceList } from "../cost/price-list.ts";
import { usdOfTurn } from "../cost/turn-usd.ts";
import { parametersOf, readTerms } from "../ui/display/filter-terms.ts";
import { collectorWindows, fileWindow } from "./check-windows.ts";
import type { CheckedWindow } from "./check-windows.ts";
import type { Client } from "./client.ts";
import type { NamedContracts } from "../config/contract-files.ts";

/** One turn of a side. Absent: not recorded. */
export interface SideTurn {
  /** External id of the turn, else of its first intent: the task that both sides did. */
  readonly caseId?: string;
  readonly results: TurnResult["contracts"];
  readonly durationMs?: number;
  readonly tokens?: number;
  readonly usd?: number;
}

/** What a side is read with. */
export interface SideOptions {
  readonly client: () => Client;
  readonly contracts: NamedContracts;
  readonly prices: PriceList;
  readonly turnsMax: number;
  /** The caller vouches that files lack nothing. */
  readonly whole: boolean;
}

/** Turns of a side; `more` where further turns of a collector match. */
export interface GateSide {
  readonly turns: readonly SideTurn[];
  readonly more: boolean;
}

/**
 * Reads a side.
 *
 * @param source path of a file of events, or terms such as `release:3.2 agent:desk`
 * @throws CodedError `parameter_invalid` where a term is not understood
 */
export async function readSide(source: string, options: SideOptions): Promise<GateSide> {
  const { contracts, prices } = options;
  const judge = (window: CheckedWindow): SideTurn[] => turnsOf(window, contracts, prices);
  if (await isFile(source)) {
    return {
      turns: judge(await fileWindow(source, { whole: options.whole, statement: undefined })),
      more: false,
    };
  }
  const { terms, unclear } = readTerms(source);
  if (unclear.length > 0 || terms.length === 0) {
    throw new CodedError("parameter_invalid", { field: "q" });
  }
  const turns: SideTurn[] = [];
  let left = false;
  const filters = { terms: parametersOf(terms) };
  for await (const { window, more } of collectorWindows(
    options.client(),
    filters,
    options.turnsMax,
  )) {
    turns.push(...judge(window));
    left = more;
  }
  return { turns, more: left };
}

function turnsOf(
  { events, metadata, marks }: CheckedWindow,
  { contracts, goldens }: NamedContracts,
  prices: PriceList,
): SideTurn[] {
  const how: EvaluateOptions = {
    goldens,
    ...(metadata === undefined ? {} : { metadata }),
    ...(marks === undefined ? {} : { marks }),
  };
  const results = evaluateTurns(events, contracts, how);
  return turnWindows(events, metadata).turns.map(({ events: own }, at) => ({
    results: results[at]?.contracts ?? [],
    ...measuresOf(own, prices),
  }));
}

function measuresOf(events: readonly TurnEvent[], prices: PriceList): Omit<SideTurn, "results"> {
  const [row] = foldTurns(events);
  const named = ["turn", "intent"].flatMap((kind) =>
    events.filter(({ event_kind: of, external_id: id }) => of === kind && id !== undefined),
  );
  const caseId = named[0]?.external_id;
  const calls = turnCalls(events);
  const hasModel = calls.some(({ kind }) => kind === "model");
  const usd = hasModel ? usdOfTurn(calls, Date.parse(row?.ended_at ?? ""), prices) : undefined;
  const duration = row?.duration_ms ?? undefined;
  const tokens = row?.usage_state === "known" ? (row.total_tokens ?? undefined) : undefined;
  return {
    ...(caseId === undefined ? {} : { caseId }),
    ...(duration === undefined ? {} : { durationMs: duration }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(usd === undefined ? {} : { usd }),
  };
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    // No such file: these are terms.
    return false;
  }
}
