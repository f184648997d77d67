/**
 * @module Turns: newest first, one row per turn, with the background judge's verdict beside it where
 * there is one (design 6.2).
 */
import { Hono } from "hono";
import { z } from "zod";
import { compareTimes, foldTurns, matches } from "@turnproof/evidence";
import type { EventQuery, TurnEvent, TurnRow } from "@turnproof/evidence";
import { CodedError, limits, verdictStatuses } from "@turnproof/semconv";
import type { TurnVerdict } from "@turnproof/store";

import {
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
import { filters, id, readParameters } from "../http/parameters.ts";
import { readingFor } from "../http/query.ts";
import { respond } from "../http/respond.tsx";
import type { Parts } from "../parts.ts";
import { turnKey } from "../turn-key.ts";
import { isSettled } from "../window.ts";

/** Parameters of the turns view. */
export const turnsParameters = z
  .strictObject({
    ...filters,
    verdict: z
      .enum([...verdictStatuses, "unjudged"])
      .describe("Only turns with this verdict of the background judge, or with none yet."),
    finding: id.describe("Only turns with this finding code."),
    q: z
      .string()
      .max(1_000)
      .describe(
        "Further terms such as `latency:>2s -agent:x has:finding`. They, `verdict` and `finding` " +
          "filter the turns of each page after it was read.",
      ),
  })
  .partial();

/** Body of `/traces/turns.json`. */
export interface TurnsModel {
  readonly items: readonly TurnRow[];
  /** Counts roots; a root can hold several turns. */
  readonly limit: number;
  readonly root_count: number;
  readonly next_cursor: string | null;
  /** True when no cursor came in, none goes out, no bound was met and nothing is pending. */
  readonly window_complete: boolean;
  /** The scan budget ended this page before the filter was exhausted. */
  readonly bounded: boolean;
  /** Turns that were read for this page and that `verdict`, `finding` or `q` left out. */
  readonly filtered_out: number;
}

/** GET `/traces` and `/traces/turns.json`. */
export function turnsRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.on("GET", ["/traces", "/traces/turns.json"], async (c) => {
    const parameters = readParameters(c, turnsParameters);
    const sorted = wantsPage(c) ? sortedAddress(c) : undefined;
    if (sorted !== undefined) return c.redirect(sorted, 303);
    const { verdict, finding } = parameters;
    const terms = rowTerms(parameters.q ?? "", wantsPage(c));
    const paging = pagingOf(c, parts, { ...parameters, view: "turns" });
    const { scope, query } = readingFor(c, parameters);
    const limit = parameters.limit ?? limits.pageEventsDefault;
    const settled = await isSettled(parts);
    const slice = await parts.store.turns(scope, query, {
      limit,
      signal: c.req.raw.signal,
      ...(paging.after === undefined ? {} : { after: paging.after }),
    });
    const verdicts = await parts.store.verdicts(scope, slice.roots);
    const rows = withVerdicts(rowsOf(slice.events, query, slice.roots), verdicts);
    const items = rows.filter((row) => wanted(row, verdict, finding) && keepsRow(row, terms));
    const model: TurnsModel = {
      items,
      limit,
      root_count: slice.roots.length,
      next_cursor: paging.seal(slice.next),
      window_complete:
        settled && paging.after === undefined && slice.next === null && !slice.bounded,
      bounded: slice.bounded,
      filtered_out: rows.length - items.length,
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

/** A page says which words it did not understand; a program is refused. */
function rowTerms(q: string, lenient: boolean): readonly Term[] {
  const { terms, unclear } = readTerms(q);
  if (!lenient && (unclear.length > 0 || !terms.every(isRowTerm))) {
    throw new CodedError("parameter_invalid", { field: "q" });
  }
  return terms;
}

/** Rows of the turns that hold a matching event, in the order of the roots. */
export function rowsOf(
  events: readonly TurnEvent[],
  query: EventQuery,
  roots: readonly string[],
): readonly TurnRow[] {
  const matching = new Set(events.filter((event) => matches(event, query)).map(turnKey));
  const place = new Map(roots.map((root, index) => [root, index]));
  return foldTurns(events)
    .filter((row) => matching.has(turnKey(row)))
    .toSorted(
      (a, b) => (place.get(a.root_trace_id ?? "") ?? 0) - (place.get(b.root_trace_id ?? "") ?? 0),
    );
}

/** The rows with what the background judge said; unjudged rows keep null. */
export function withVerdicts(
  rows: readonly TurnRow[],
  verdicts: readonly TurnVerdict[],
): readonly TurnRow[] {
  const byTurn = new Map(verdicts.map((verdict) => [turnKey(verdict), verdict]));
  return rows.map((row) => {
    const verdict = byTurn.get(turnKey(row));
    // A verdict that rests on less than the row shows is a verdict on another turn.
    if (verdict === undefined || isOlder(verdict.as_of, row.received_at)) return row;
    return { ...row, verdict: verdict.verdict, finding_codes: verdict.finding_codes };
  });
}

/** Times of different stores have different numbers of digits; their texts do not compare. */
function isOlder(asOf: string, received: string | null): boolean {
  return received !== null && compareTimes(asOf, received) < 0;
}

function wanted(row: TurnRow, verdict: string | undefined, finding: string | undefined): boolean {
  if (verdict !== undefined && (row.verdict ?? "unjudged") !== verdict) return false;
  return finding === undefined || (row.finding_codes ?? []).includes(finding);
}
