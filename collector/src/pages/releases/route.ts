/**
 * @module Releases: two releases compared, or the turns of any two filters: what differs, by how
 * much, how sure that is, and which two turns to read. Over all turns of either side.
 */
import { Hono } from "hono";
import { z } from "zod";
import type { FigureGroup, TurnQuery, TurnReader } from "@turnproof/store";

import { openPriceList } from "../../cost/price-list.ts";
import type { PriceList } from "../../cost/price-list.ts";
import { pageFailures, withTwin } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import { wantsPage } from "../../http/environment.ts";
import type { AppContext, AppEnv } from "../../http/environment.ts";
import { readParameters } from "../../http/parameters.ts";
import { readingFor } from "../../http/query.ts";
import { respond } from "../../http/respond.tsx";
import type { Parts } from "../../parts.ts";
import { compareCohorts } from "../../turns/cohorts.ts";
import type { Cohorts } from "../../turns/cohorts.ts";
import { fileEndpoints, mountFiles } from "../../tables/list-files.ts";
import { listParameters } from "../../turns/list-parameters.ts";
import { knownNames } from "../../turns/free-text.ts";
import { turnQueryOf } from "../../turns/turn-conditions.ts";
import { isComplete, pendingFrames } from "../../turns/window.ts";
import { termText } from "../../ui/display/filter-terms.ts";
import { figureFields, figureLines } from "./figure-lines.ts";
import type { FigureLine } from "./figure-lines.ts";
import { releasesPage } from "./page.tsx";

const { chart: _chart, ...turnFilters } = listParameters.shape;
const side = (which: string): z.ZodOptional<z.ZodString> =>
  z
    .string()
    .max(1_000)
    .describe(`Terms of side ${which}, as in \`q\`: \`release:1.4.0\`.`)
    .optional();

const releasesParameters = z.strictObject({
  ...turnFilters,
  a: side("A; default the release before the last one"),
  b: side("B; default the last release"),
});

/** A release that turns have. */
export interface KnownRelease {
  readonly release: string;
  readonly turns: number;
  /** Last event of its first turn, in epoch milliseconds. */
  readonly first_ms: number;
}

/** Body of `/traces/compare/releases.json`. */
export interface ReleasesModel {
  /** Terms of both sides; null where there is nothing to compare. */
  readonly terms: { readonly a: string; readonly b: string } | null;
  readonly compared: Cohorts | null;
  /** By first appearance, the last ones. */
  readonly releases: readonly KnownRelease[];
  /** True when everything that was received is counted. */
  readonly complete: boolean;
  /** Batches that were acknowledged and are not readable yet. */
  readonly pending_frames: number;
}

/** Its JSON, by route. */
export interface ReleasesAnswers {
  readonly "GET /traces/compare/releases.json": ReleasesModel;
}

/** Most releases that are offered. */
const releasesMax = 20;

const releasesFile = {
  path: "/traces/compare/releases",
  name: "comparison",
  rows: "compared figures: one line per figure, with both sides",
  query: releasesParameters,
  reads: true,
} as const;

/** Releases: what each route needs, records and answers. */
export const releasesGroup: RouteGroup<ReleasesAnswers> = {
  tag: "Traces",
  endpoints: {
    ...withTwin("/traces/compare/releases", {
      needs: "trace.read",
      audit: "releases.read",
      reads: true,
      id: "compareReleases",
      summary: "Compare the turns of two releases, or of any two filters",
      text:
        "Counts are exact, over all turns of either side. Intervals are of 95 %: Clopper and Pearson's " +
        "for shares of turns, order statistics for percentiles (as wide as the classes of durations), " +
        "and linearization over intervals of time for tokens, cost and calls. Each interval is of its figure " +
        "alone, without a correction for their number; `p` is of Fisher's exact " +
        "test or Welch's, in both directions, with Holm's correction for every tested figure, and decides " +
        "`significant`, also where an interval is without 0. US " +
        "dollars are a mean over the turns whose cost is exactly known, `of`; `unknown` counts the " +
        "others, which have a call without a price or with a range of it.",
      query: releasesParameters,
      returns: "Figures of both sides with their difference, and pairs of turns.",
      failures: pageFailures,
    }),
    ...fileEndpoints(releasesFile),
  },
  routes: releasesRoutes,
};

/** GET `/traces/compare/releases` and its twin. */
function releasesRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const { ledger } = parts.store;
  let list: Promise<PriceList> | undefined;
  const read = async (c: AppContext): Promise<ReleasesModel> => {
    const { a, b, ...parameters } = readParameters(c, releasesParameters);
    const queryOf = await queries(ledger, c, {
      ...parameters,
      sides: `${a ?? ""} ${b ?? ""}`,
    });
    const pending = await pendingFrames(parts);
    const common = queryOf("");
    const figures = await ledger.turnFigures(common, { by: "release" });
    const releases = releasesOf(figures);
    const terms = sidesOf({ a, b }, releases);
    const prices = await (list ??= openPriceList(parts.config.prices));
    return {
      terms,
      compared:
        terms === null
          ? null
          : await compareCohorts(
              ledger,
              { a: queryOf(terms.a, "a"), b: queryOf(terms.b, "b") },
              prices,
              { common, a: figuresOf(figures, terms.a), b: figuresOf(figures, terms.b) },
            ),
      releases,
      complete: await isComplete(parts, pending, common),
      pending_frames: pending,
    };
  };
  app.on("GET", ["/traces/compare/releases", "/traces/compare/releases.json"], async (c) =>
    respond(c, { model: await read(c), view: releasesPage }),
  );
  mountFiles<FigureLine>(app, parts, {
    ...releasesFile,
    fields: figureFields,
    async *pages(c) {
      const { compared } = await read(c);
      yield compared === null ? [] : figureLines(compared);
    },
  });
  return app;
}

/** Questions with further terms besides the filters of a request; `sides`: all such terms. */
async function queries(
  ledger: TurnReader,
  c: AppContext,
  {
    sides,
    ...parameters
  }: Parameters<typeof readingFor>[1] & { readonly q?: string | undefined; readonly sides: string },
): Promise<(terms: string, parameter?: "a" | "b") => TurnQuery> {
  const reading = readingFor(c, parameters);
  const names = await knownNames(ledger, reading.scope, `${parameters.q ?? ""} ${sides}`);
  const reads = { typed: c.get("typed"), names, lenient: wantsPage(c) };
  const common = turnQueryOf(reading, parameters, reads);
  return (terms, parameter) => {
    const read = parameter === undefined ? reads : { ...reads, parameter };
    const { where } = turnQueryOf({ ...reading, query: {} }, { q: terms }, read);
    return { ...common, where: [...common.where, ...where], signal: c.req.raw.signal };
  };
}

/** Figures of a side whose turns are those of one release. */
function figuresOf(groups: readonly FigureGroup[], terms: string): FigureGroup | undefined {
  return groups.find(({ value }) => typeof value === "string" && releaseTerm(value) === terms);
}

function releasesOf(groups: readonly FigureGroup[]): readonly KnownRelease[] {
  return groups
    .flatMap(({ value, turns, first_at: first }) =>
      typeof value === "string"
        ? [{ release: value, turns, first_ms: Math.floor((first ?? 0) / 1_000) }]
        : [],
    )
    .toSorted((x, y) => x.first_ms - y.first_ms || (x.release < y.release ? -1 : 1))
    .slice(-releasesMax);
}

/** The sides of a request; a missing one is a release beside the other. */
function sidesOf(
  { a, b }: { readonly a: string | undefined; readonly b: string | undefined },
  releases: readonly KnownRelease[],
): ReleasesModel["terms"] {
  const named = releases.map(({ release }) => releaseTerm(release));
  const right = b ?? named.findLast((term) => term !== a);
  if (right === undefined) return null;
  const at = named.indexOf(right);
  const left = a ?? (at > 0 ? named[at - 1] : named.includes(right) ? `-${right}` : undefined);
  return left === undefined ? null : { a: left, b: right };
}

/** The term for the turns of a release. */
export function releaseTerm(release: string): string {
  return termText({ key: "release", value: release, negated: false });
}
