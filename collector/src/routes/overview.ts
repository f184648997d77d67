/**
 * @module Overview: all turns of a filter at a glance: how many when, and which values they say. It
 * counts what a list only shows a page of, within a budget, and says where it stopped.
 */
import { Hono } from "hono";
import { z } from "zod";
import type { EventQuery, TurnRow } from "@turnproof/evidence";
import { limits } from "@turnproof/semconv";
import type { Keyset, SurveyField, TurnSurvey } from "@turnproof/store";

import { scopeKey } from "../auth/grants.ts";
import type { Reading } from "../auth/grants.ts";
import { durationCells, lastingOf } from "../display/duration-cells.ts";
import type { DurationCells } from "../display/duration-cells.ts";
import { plausibleOf } from "../display/plausible-time.ts";
import { binsOfCounts, facetsOf, rangeOf } from "../display/turn-figures.ts";
import type { Bin, Spoken } from "../display/turn-figures.ts";
import { FreshAnswers } from "../fresh-answers.ts";
import { principalOf } from "../http/environment.ts";
import type { AppEnv } from "../http/environment.ts";
import { chart, filters, readParameters } from "../http/parameters.ts";
import { readingFor } from "../http/query.ts";
import { respondJson } from "../http/respond.tsx";
import type { Parts } from "../parts.ts";
import { isSettled } from "../window.ts";
import { rowsOf } from "./turn-reading.ts";

const { limit: _limit, cursor: _cursor, ...shared } = filters;

/** Parameters of the overview: the filters of the list that a store answers. */
export const overviewParameters = z.strictObject({ ...shared, chart }).partial();

/** Body of `/traces/overview.json`. */
export interface OverviewModel {
  /** Turns by when they last spoke; over the selected range, or from the first to the last. */
  readonly bins: readonly Bin[];
  readonly turns: number;
  readonly errors: number;
  /** Values of the bar's keys that these turns say, the commonest first. */
  readonly values: Readonly<Partial<Record<SurveyField, readonly string[]>>>;
  /** How long these turns took; only where the chart of durations was asked for. */
  readonly durations?: DurationCells;
  /** True when no turn of the filter was left out. */
  readonly complete: boolean;
  /** Receipts that were examined, where a bound left others out. */
  readonly since: string | null;
  readonly until: string | null;
}

/** Roots that are read whole where a store cannot count them. */
const rootsMax = 1_000;
const rootsPerRead = 250;
const valuesMax = 50;

/** GET `/traces/overview.json`. */
export function overviewRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const answers = new FreshAnswers<OverviewModel>(parts.now);
  app.get("/traces/overview.json", async (c) => {
    const { chart: wanted, ...parameters } = readParameters(c, overviewParameters);
    const reading = readingFor(c, parameters);
    const key = JSON.stringify([scopeKey(principalOf(c)), reading.query, wanted ?? "count"]);
    const make = wanted === "duration" ? durationsOf : overviewOf;
    return respondJson(c, await answers.of(key, () => make(parts, reading)));
  });
  return app;
}

/** With durations, which no store counts: from the newest turns, read whole. */
async function durationsOf(parts: Parts, reading: Reading): Promise<OverviewModel> {
  const settled = await isSettled(parts);
  const { rows, ...survey } = await readTurns(parts, reading);
  const { query } = reading;
  const [range, nowMs, lasting] = [rangeOf(query), parts.now(), lastingOf(rows)];
  return {
    ...modelOf(survey, { query, settled, nowMs }),
    durations: durationCells(range === undefined ? plausibleOf(lasting, nowMs) : lasting, range),
  };
}

async function overviewOf(parts: Parts, reading: Reading): Promise<OverviewModel> {
  const { scope, query } = reading;
  const settled = await isSettled(parts);
  const budgetRows = limits.scanRowsMax;
  const survey =
    (await parts.store.survey?.(scope, query, { budgetRows })) ?? (await readTurns(parts, reading));
  return modelOf(survey, { query, settled, nowMs: parts.now() });
}

type Counted = Pick<TurnSurvey, "slots" | "since" | "until"> & Pick<OverviewModel, "values">;

interface Asked {
  readonly query: EventQuery;
  readonly settled: boolean;
  readonly nowMs: number;
}

function modelOf(survey: Counted, { query, settled, nowMs }: Asked): OverviewModel {
  const range = rangeOf(query);
  const counts = survey.slots.map(({ at_ms, turns, errors }) => ({ atMs: at_ms, turns, errors }));
  const total = (field: keyof Spoken): number => counts.reduce((sum, slot) => sum + slot[field], 0);
  return {
    bins: binsOfCounts(range === undefined ? plausibleOf(counts, nowMs) : counts, range),
    turns: total("turns"),
    errors: total("errors"),
    values: survey.values,
    complete: settled && survey.since === null && survey.until === null,
    since: survey.since,
    until: survey.until,
  };
}

/** The same from turns that are read whole, the newest received first. */
async function readTurns(
  parts: Parts,
  { scope, query }: Reading,
): Promise<Counted & { readonly rows: readonly TurnRow[] }> {
  const rows: TurnRow[] = [];
  let after: Keyset | null = null;
  let roots = 0;
  let bounded = false;
  do {
    const slice = await parts.store.turns(scope, query, {
      limit: rootsPerRead,
      folded: true,
      ...(after === null ? {} : { after }),
    });
    rows.push(...rowsOf(slice.events, query, slice.roots));
    roots += slice.roots.length;
    after = slice.next;
    bounded = slice.bounded;
  } while (after !== null && !bounded && roots < rootsMax);
  const oldest = rows.at(-1)?.received_at ?? null;
  return {
    rows,
    slots: rows.map((row) => ({
      at_ms: Date.parse(row.ended_at),
      turns: 1,
      errors: row.has_error ? 1 : 0,
    })),
    values: {
      ...Object.fromEntries(
        facetsOf(rows, valuesMax).map(({ key, values }) => [key, values.map(({ value }) => value)]),
      ),
      thread: distinct(rows.flatMap((row) => row.thread_id ?? [])),
      memory: distinct(rows.flatMap((row) => row.memory_id ?? [])),
    },
    since: after !== null || bounded ? oldest : null,
    until: null,
  };
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)].slice(0, valuesMax);
}
