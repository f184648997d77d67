/**
 * @module GateSide: one side of `turnproof gate`: turns of a file, or of a running collector under
 * terms of the filter bar.
 */
import { stat } from "node:fs/promises";

import type { PriceList } from "../cost/price-list.ts";
import { sideTurns } from "../judge/gate-turns.ts";
import type { SideTurn } from "../judge/gate-turns.ts";
import type { FacetsModel } from "../pages/turns/facets.ts";
import { parametersOf, readTerms } from "../ui/display/filter-terms.ts";
import { collectorWindows, fileWindow } from "./check-windows.ts";
import type { CheckedWindow } from "./check-windows.ts";
import type { Client } from "./client.ts";
import type { NamedContracts } from "../config/contract-files.ts";

/** What a side is read with. */
export interface SideOptions {
  readonly client: () => Client;
  readonly contracts: NamedContracts;
  readonly prices: PriceList;
  readonly turnsMax: number;
  /** Files are treated as complete. */
  readonly whole: boolean;
}

/** Words of a side that are neither terms nor a file; without one the side is empty. */
export class UnclearTerms extends Error {
  readonly words: readonly string[];

  constructor(words: readonly string[]) {
    super("terms are not understood");
    this.words = words;
  }
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
 * @throws UnclearTerms where a term is not understood
 */
export async function readSide(source: string, options: SideOptions): Promise<GateSide> {
  const { contracts, prices } = options;
  const judge = (window: CheckedWindow): SideTurn[] => sideTurns(window, contracts, prices);
  if (await isFile(source)) {
    return {
      turns: judge(await fileWindow(source, { whole: options.whole, statement: undefined })),
      more: false,
    };
  }
  // A file that is not there is no text to search for.
  if (eventsFile.test(source)) await stat(source);
  const { terms, unclear } = readTerms(source);
  if (unclear.length > 0 || terms.length === 0) throw new UnclearTerms(unclear);
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

/**
 * Releases that have turns, where terms name one; undefined for a file and for other terms. At most
 * ten, those with the most turns first.
 */
export async function releasesBeside(
  source: string,
  client: () => Client,
): Promise<{ readonly known: readonly string[] } | undefined> {
  if (await isFile(source)) return undefined;
  const { terms } = readTerms(source);
  if (!terms.some(({ key, negated }) => key === "release" && !negated)) return undefined;
  const others = parametersOf(terms.filter(({ key }) => key !== "release"));
  const { facets } = await client().json<FacetsModel>("/traces/facets.json", others);
  const values = facets.find(({ key }) => key === "release")?.values ?? [];
  return { known: values.flatMap(({ value }) => value ?? []).slice(0, releasesMax) };
}

const releasesMax = 10;

const eventsFile = /\.(json|jsonl|ndjson)$/i;

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    // No such file: these are terms.
    return false;
  }
}
