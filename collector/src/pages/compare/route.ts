/**
 * @module Compare: two roots side by side, metadata only in every content mode. Nothing is
 * executed or replayed, and what a partial candidate lacks is not established (requirements:
 * Endpoints).
 */
import { Hono } from "hono";
import { z } from "zod";
import { compareTraceWindows, foldTurns, matches } from "@turnproof/evidence";
import type { TraceComparison, TurnEvent, TurnRow, WindowMetadata } from "@turnproof/evidence";
import { CodedError, compareTimes, limits } from "@turnproof/semconv";
import type { Identity, NullableIdentity } from "@turnproof/semconv";

import { scopeKey } from "../../access/grants.ts";
import type { Reading } from "../../access/grants.ts";
import { toColumns } from "../../ui/display/columns.ts";
import type { Columns } from "../../ui/display/columns.ts";
import { principalOf, wantsPage } from "../../http/environment.ts";
import type { AppContext, AppEnv } from "../../http/environment.ts";
import { filters, form, id, readParameters } from "../../http/parameters.ts";
import { readingFor } from "../../http/query.ts";
import { respond } from "../../http/respond.tsx";
import { ModelCache } from "../../turns/model-cache.ts";
import { html, withTwin, windowFailures } from "../../http/endpoint.ts";
import type { Endpoint, RouteGroup } from "../../http/endpoint.ts";
import type { Parts } from "../../parts.ts";
import { turnQueryOf } from "../../turns/turn-conditions.ts";
import { usualOrder } from "../../turns/turn-position.ts";
import { metadataOf } from "../../judge/verdict.ts";
import { collectRoot, turnFilter } from "../../turns/window.ts";
import { windowModel } from "../../turns/window.ts";
import type { WindowModel } from "../../turns/window.ts";
import { comparePage } from "./page.tsx";

const optional = {
  thread_id: filters.thread_id.optional(),
  user_id: filters.user_id.optional(),
  scope: filters.scope.optional(),
  baseline_turn: id.describe("One turn of the baseline.").optional(),
  candidate_turn: id.describe("One turn of the candidate.").optional(),
  limit: filters.limit.describe("Events per side at most; without it the whole root.").optional(),
  form: form.optional(),
};

/** Parameters of the comparison. */
const compareParameters = z.strictObject({
  agent_id: filters.agent_id,
  baseline_root: id.describe("Root trace that is compared against."),
  candidate_root: id.describe("Root trace that is compared."),
  ...optional,
});

/** The page also takes the range of the turns to choose from; two chosen ones have no use of it. */
const comparePageParameters = compareParameters.extend({
  start_time: filters.start_time.describe("Turns to choose from: at or after.").optional(),
  end_time: filters.end_time.describe("Turns to choose from: before.").optional(),
});

/** The page shows its form until both sides are selected. */
const pageParameters = comparePageParameters.partial();

/** One side of a comparison: which root, and how it was read. */
export interface CompareSide extends Pick<Identity, "root_trace_id">, NullableIdentity<"turn_id"> {
  /** The turns of this side. */
  readonly turns: readonly TurnRow[];
  readonly read: WindowModel;
}

/** Choices of the page's form: the newest turns, and the selection so far. */
export interface CompareChoice extends NullableIdentity<"agent_id"> {
  readonly requested: false;
  readonly baseline_root: string | null;
  readonly candidate_root: string | null;
  readonly turns: readonly TurnRow[];
}

/** Body of `/traces/compare.json`. */
export interface ComparedModel extends TraceComparison, Pick<Identity, "agent_id"> {
  readonly requested: true;
  readonly baseline: CompareSide;
  readonly candidate: CompareSide;
}

/** The page; `requested` is false until both sides are selected. */
export type CompareModel = CompareChoice | ComparedModel;

/** `/traces/compare.json` with `form=columns`. */
export type ComparedInColumns = Omit<ComparedModel, "operations"> & {
  readonly operations: Columns;
};

/** Its JSON, by route. */
export interface CompareAnswers {
  readonly "GET /traces/compare.json": ComparedModel | ComparedInColumns;
}

const endpoint: Endpoint = {
  needs: "trace.read",
  audit: "compare.read",
  reads: true,
  id: "compareRoots",
  summary: "Compare two roots",
  text: "Metadata only in every content mode. Runs nothing; shows what changed, not what is better.",
  query: compareParameters,
  returns: "Changes in operations, sources, artifacts, parsing, delivery and diagnostic codes.",
  failures: windowFailures,
};

/** Compare: what each route needs, records and answers. */
export const compareGroup: RouteGroup<CompareAnswers> = {
  tag: "Traces",
  rail: { order: 7, href: "/traces/compare", name: "Compare", icon: "compare", key: "c" },
  endpoints: {
    ...withTwin("/traces/compare", endpoint),
    "GET /traces/compare": {
      ...endpoint,
      query: comparePageParameters,
      answers: html,
      twin: "/traces/compare.json",
    },
  },
  routes: compareRoutes,
};

/** GET `/traces/compare` and its twin. */
function compareRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const cache = new ModelCache<ComparedEvents>();
  app.on("GET", ["/traces/compare", "/traces/compare.json"], async (c) => {
    if (wantsPage(c)) {
      const choice = await choiceOf(c, parts);
      if (choice !== undefined)
        return respond<CompareModel>(c, { model: choice, view: comparePage });
    }
    const taken = wantsPage(c) ? comparePageParameters : compareParameters;
    const { form: requested, ...parameters } = readParameters(c, taken);
    const { agent_id, thread_id, user_id, scope, limit } = parameters;
    const reading = readingFor(c, { agent_id, thread_id, user_id, scope });
    const [baseline, candidate] = await Promise.all([
      readSide(parts, reading, parameters.baseline_root, parameters.baseline_turn, limit),
      readSide(parts, reading, parameters.candidate_root, parameters.candidate_turn, limit),
    ]);
    const request = JSON.stringify([scopeKey(principalOf(c)), reading.query, parameters]);
    const metadata = [keyOf(baseline), keyOf(candidate), baseline.events.length];
    const reported = { request, events: [...baseline.events, ...candidate.events], metadata };
    const { comparison, turns } = cache.of(reported, () => comparedOf(baseline, candidate));
    if (comparison.not_found.length > 0) throw new CodedError("trace_not_found_in_window");
    const model: CompareModel = {
      requested: true,
      agent_id,
      baseline: { ...baseline.side, turns: turns.baseline },
      candidate: { ...candidate.side, turns: turns.candidate },
      ...comparison,
    };
    const json = (): object => ({ ...model, operations: toColumns(comparison.operations) });
    return respond(c, { model, view: comparePage, ...(requested === "columns" ? { json } : {}) });
  });
  return app;
}

/** Most turns in the form. */
const choiceTurns = 40;

/** The form of the page, until both sides are selected. */
async function choiceOf(c: AppContext, parts: Parts): Promise<CompareChoice | undefined> {
  const given = readParameters(c, pageParameters);
  const { agent_id, baseline_root, candidate_root } = given;
  if (agent_id !== undefined && baseline_root !== undefined && candidate_root !== undefined) {
    return undefined;
  }
  const { user_id, scope, start_time, end_time } = given;
  const reading = readingFor(c, { agent_id, user_id, scope, start_time, end_time });
  const { records } = await parts.store.ledger.listTurns(turnQueryOf(reading), {
    order: usualOrder,
    limit: choiceTurns,
  });
  return {
    requested: false,
    agent_id: agent_id ?? null,
    baseline_root: baseline_root ?? null,
    candidate_root: candidate_root ?? null,
    turns: records.map(({ row }) => row),
  };
}

/** One side as it was read. */
interface SideRead {
  readonly events: readonly TurnEvent[];
  readonly metadata: WindowMetadata;
  readonly side: Omit<CompareSide, "turns">;
}

/**
 * How a side was read. The mark differs in every request; what follows from it is whether it covers
 * every event, and what is open meanwhile, which a few seconds do not change.
 */
function keyOf({ metadata: { as_of: mark, ...metadata }, side }: SideRead): object {
  const { as_of: latest } = side.read;
  const covered = typeof mark !== "string" || latest === null || compareTimes(latest, mark) <= 0;
  return { ...metadata, covered };
}

/** Everything computed from the events of both sides. */
interface ComparedEvents {
  readonly comparison: TraceComparison;
  readonly turns: Readonly<Record<"baseline" | "candidate", readonly TurnRow[]>>;
}

function comparedOf(baseline: SideRead, candidate: SideRead): ComparedEvents {
  return {
    comparison: compareTraceWindows(baseline.events, candidate.events, {
      baselineMetadata: baseline.metadata,
      candidateMetadata: candidate.metadata,
    }),
    turns: { baseline: foldTurns(baseline.events), candidate: foldTurns(candidate.events) },
  };
}

async function readSide(
  parts: Parts,
  reading: Reading,
  root: string,
  turn: string | undefined,
  limit: number | undefined,
): Promise<SideRead> {
  const eventsMax = limit ?? limits.rootEventsMax;
  const window = await collectRoot(parts, reading, root, { eventsMax });
  const selected = turnFilter({
    ...reading.query,
    ...(turn === undefined ? {} : { turn_id: turn }),
  });
  const events = window.events.filter((event) => matches(event, selected));
  return {
    events,
    metadata: await metadataOf(parts, window),
    side: {
      root_trace_id: root,
      turn_id: turn ?? null,
      read: windowModel(window),
    },
  };
}
