/**
 * @module Turns: newest first, one row per turn, with the background judge's verdict beside it where
 * there is one (design 6.2).
 */
import { Hono } from "hono";
import { z } from "zod";
import { findingTexts, insightCodes } from "@turnproof/evidence";
import type { TurnRow } from "@turnproof/evidence";
import type { Judged } from "@turnproof/store";
import { CodedError, limits, verdictStatuses } from "@turnproof/semconv";

import {
  hasCode,
  isRowTerm,
  keepsRow,
  parametersOf,
  queryOf,
  readTerms,
  termsOf,
  unclearOf,
} from "../display/filter-terms.ts";
import type { Term } from "../display/filter-terms.ts";
import { wantsPage } from "../http/environment.ts";
import type { AppContext, AppEnv } from "../http/environment.ts";
import { pagingOf } from "../http/paging.ts";
import { chart, filters, readParameters } from "../http/parameters.ts";
import { readingFor } from "../http/query.ts";
import { respond } from "../http/respond.tsx";
import { placeOfRoot } from "../http/standing.ts";
import type { Parts } from "../parts.ts";
import { pendingFrames } from "../window.ts";
import { readTurns } from "./turn-reading.ts";
import type { TurnsAsked } from "./turn-reading.ts";

/** Codes of the judge's findings and of insights; some are both. */
const askedCodes = [...new Set([...Object.keys(findingTexts), ...insightCodes])];

/** Parameters of the turns view. */
export const turnsParameters = z
  .strictObject({
    ...filters,
    verdict: z
      .enum([...verdictStatuses, "unjudged"])
      .describe("Only turns with this verdict of the background judge, or with none yet."),
    finding: z
      .enum(askedCodes)
      .describe("Only turns with this finding of the judge or this insight, by its code."),
    q: z
      .string()
      .max(1_000)
      .describe(
        "Further terms such as `latency:>2s -agent:x has:finding`. They, `verdict` and `finding` " +
          "are asked of each turn that was read; reading goes on until `limit` turns pass, nothing " +
          "is left, or 5,000 roots or a second are spent: then `bounded` is true and the cursor " +
          "goes on from there.",
      ),
    chart,
  })
  .partial();

/** Body of `/traces/turns.json`. */
export interface TurnsModel {
  readonly items: readonly TurnRow[];
  /** Counts roots; a root can hold several turns. */
  readonly limit: number;
  /** Roots that were read for this page. */
  readonly root_count: number;
  readonly next_cursor: string | null;
  /** True when no cursor came in, none goes out, no bound was met and nothing is pending. */
  readonly window_complete: boolean;
  /** A budget ended this page before the filter was exhausted. */
  readonly bounded: boolean;
  /**
   * Before the first page of the walk was read; what was received later may not be in it, and
   * `/traces/live?since=` has it.
   */
  readonly as_of: string;
  /** Batches that were acknowledged before this page was read and were not readable then. */
  readonly pending_frames: number;
  /** Turns that were read for this page and that `verdict`, `finding` or `q` left out. */
  readonly filtered_out: number;
}

/** GET `/traces` and `/traces/turns.json`. */
export function turnsRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.on("GET", ["/traces", "/traces/turns.json"], async (c) => {
    // A matter of the page alone: a cursor serves either chart.
    const { chart: _chart, ...parameters } = readParameters(c, turnsParameters);
    const sorted = wantsPage(c) ? sortedAddress(c) : undefined;
    if (sorted !== undefined) return c.redirect(sorted, 303);
    const filter = rowFilterOf(parameters, wantsPage(c));
    const reading = readingFor(c, parameters);
    const paging = await pagingOf(c, parts, { ...parameters, view: "turns" }, reading);
    const limit = parameters.limit ?? limits.pageEventsDefault;
    const pending = await pendingFrames(parts);
    const read = await readTurns(parts, reading, {
      limit,
      after: paging.after,
      signal: c.req.raw.signal,
      ...filter,
    });
    const model: TurnsModel = {
      items: read.items,
      limit,
      root_count: read.roots,
      next_cursor: await paging.seal(read.next, placeOfRoot(read.last_root)),
      window_complete:
        pending === 0 && paging.after === undefined && read.next === null && !read.bounded,
      bounded: read.bounded,
      as_of: paging.asOf,
      pending_frames: pending,
      filtered_out: read.left_out,
    };
    return respond(c, { model, view: "turns" });
  });
  return app;
}

/** Where the terms of the bar belong, unless they are there already: the store's own first. */
function sortedAddress(c: AppContext): string | undefined {
  const { pathname, searchParams } = new URL(c.req.url);
  const q = searchParams.get("q");
  if (q === null || q === "") return undefined;
  const unclear = unclearOf(searchParams);
  const terms = termsOf(searchParams);
  if (parametersOf(terms, unclear)["q"] === q) return undefined;
  return `${pathname}${queryOf(terms, searchParams, unclear)}`;
}

/** What only a row can answer, as a reading of turns takes it. */
export type RowFilter = Pick<TurnsAsked, "keep" | "judged">;

/**
 * The filters that are asked of each row; empty where there are none.
 *
 * @throws CodedError `parameter_invalid` for a term of `q` that is none, unless it is lenient
 */
export function rowFilterOf(
  parameters: Pick<z.output<typeof turnsParameters>, "verdict" | "finding" | "q">,
  lenient: boolean,
): RowFilter {
  const { verdict, finding, q = "" } = parameters;
  const terms = rowTerms(q, lenient);
  if (verdict === undefined && finding === undefined && terms.length === 0) return {};
  return {
    keep: (row) => wanted(row, verdict, finding) && keepsRow(row, terms),
    ...judgedOf(verdict, finding),
  };
}

/** A page says which words it did not understand; a program is refused. */
function rowTerms(q: string, lenient: boolean): readonly Term[] {
  const { terms, unclear } = readTerms(q);
  if (!lenient && (unclear.length > 0 || !terms.every(isRowTerm))) {
    throw new CodedError("parameter_invalid", { field: "q" });
  }
  return terms;
}

/** What the judge must have said; that it has said nothing is no saying of its. */
function judgedOf(
  verdict: string | undefined,
  finding: string | undefined,
): { readonly judged?: Judged } {
  const said = verdict === "unjudged" ? undefined : verdict;
  if (said === undefined && finding === undefined) return {};
  return {
    judged: {
      ...(said === undefined ? {} : { verdict: said }),
      ...(finding === undefined ? {} : { finding }),
    },
  };
}

function wanted(row: TurnRow, verdict: string | undefined, finding: string | undefined): boolean {
  if (verdict !== undefined && (row.verdict ?? "unjudged") !== verdict) return false;
  return finding === undefined || hasCode(row, finding);
}
