/**
 * @module Gate: whether a candidate is worse than a baseline, by the standing contracts and by
 * measures, as `turnproof gate` reports it, with the turns behind each cell.
 */
import { CodedError } from "@turnproof/semconv";
import type { NullableIdentity } from "@turnproof/semconv";
import { Hono } from "hono";
import { z } from "zod";
import { gate, highOf, lowOf, planTogether, withShared } from "@turnproof/contracts";
import type { GatePlans, Outcome, SharedReport } from "@turnproof/contracts";

import { openPriceList } from "../../cost/price-list.ts";
import type { PriceList } from "../../cost/price-list.ts";
import { pageFailures, withTwin } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import { wantsPage } from "../../http/environment.ts";
import type { AppContext, AppEnv } from "../../http/environment.ts";
import { filters, readParameters } from "../../http/parameters.ts";
import { readingFor } from "../../http/query.ts";
import { respond } from "../../http/respond.tsx";
import { fileEndpoints, mountFiles } from "../../tables/list-files.ts";
import { ownBaseline } from "../../judge/gate-sides.ts";
import { measureTrials, measuredOf, trialsOf } from "../../judge/gate-turns.ts";
import type { SideTurn } from "../../judge/gate-turns.ts";
import type { Parts } from "../../parts.ts";
import { pendingFrames } from "../../turns/window.ts";
import { gatePage } from "./page.tsx";
import { readSide, turnsMax } from "./sides.ts";
import { unclearWords } from "./terms.ts";

const turnsUsual = 100;

const side = (which: string) =>
  z.string().max(1_000).describe(`Terms of the ${which}, as in \`q\`.`);
const gateParameters = z
  .strictObject({
    baseline: side("baseline"),
    candidate: side("candidate"),
    start_time: filters.start_time,
    end_time: filters.end_time,
    user_id: filters.user_id,
    scope: filters.scope,
    limit: filters.limit.describe(
      `The newest turns of each side, at most so many: up to ${turnsMax}, default ${turnsUsual}.`,
    ),
  })
  .partial();

/** One turn behind a cell. */
export interface GateTurn extends NullableIdentity<"root_trace_id" | "turn_id"> {
  readonly contract: string;
  readonly side: "baseline" | "candidate";
  readonly result: Outcome;
}

/** The value of a measure of one turn. */
export interface GateValue extends NullableIdentity<"root_trace_id" | "turn_id"> {
  readonly measure: string;
  readonly side: "baseline" | "candidate";
  /** Ends of the value: equal where it is exact, null where it is not recorded. */
  readonly low: number | null;
  readonly high: number | null;
}

/** What was compared. */
export interface GateAnswer {
  readonly report: SharedReport;
  /** What the sizes and the baseline can show, worked out without the candidate's results. */
  readonly plans: GatePlans;
  readonly turns: readonly GateTurn[];
  /** Values of the compared measures, those of a side together, the largest first. */
  readonly values: readonly GateValue[];
  /** Sides of which further turns match. */
  readonly bounded: readonly ("baseline" | "candidate")[];
}

/** Body of `/traces/compare/gate.json`. */
export interface GateModel {
  readonly baseline: string | null;
  readonly candidate: string | null;
  /** Turns that were read of each side; null until both are named. */
  readonly read: { readonly baseline: number; readonly candidate: number } | null;
  /** Most turns that are read of a side. */
  readonly limit: number;
  /** Null where a side is not named, or has no turn. */
  readonly answer: GateAnswer | null;
  /** Batches that were acknowledged and are not readable yet. */
  readonly pending_frames: number;
}

/** Its JSON, by route. */
export interface GateAnswers {
  readonly "GET /traces/compare/gate.json": GateModel;
}

const gateFile = {
  path: "/traces/compare/gate",
  name: "gate",
  rows: "results, one of a contract on a turn a line, `turns`",
  query: gateParameters,
  reads: true,
} as const;

/** Gate: what each route needs, records and answers. */
export const gateGroup: RouteGroup<GateAnswers> = {
  endpoints: {
    ...withTwin("/traces/compare/gate", {
      needs: "trace.read",
      lasts: true,
      audit: "gate.read",
      reads: true,
      id: "compareByGate",
      summary: "Compare two releases by contracts, with the turns behind each cell",
      text:
        "As `turnproof gate`: exact tests with Holm's correction, and `not_enough_evidence` as an " +
        "outcome of its own. The newest turns of each side are read and judged by the contracts of " +
        "`TURNPROOF_CONTRACTS`, else by the default one.",
      query: gateParameters,
      returns: "Outcome, plans, figures of both sides, and the turns.",
      failures: [...pageFailures, "sides_overlap"],
    }),
    ...fileEndpoints(gateFile),
  },
  routes: gateRoutes,
};

/** GET `/traces/compare/gate` and its twin. */
function gateRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  let list: Promise<PriceList> | undefined;
  const read = async (c: AppContext): Promise<GateModel> => {
    const { baseline, candidate, limit, ...parameters } = readParameters(c, gateParameters);
    const pending_frames = await pendingFrames(parts);
    const most = Math.min(limit ?? turnsUsual, turnsMax);
    const sides = { baseline: baseline ?? null, candidate: candidate ?? null };
    const named = { ...sides, pending_frames, limit: most };
    const [unclear] = unclearWords(named);
    // A page lists the words; a program's request is refused.
    if (unclear !== undefined && !wantsPage(c)) {
      throw new CodedError("parameter_invalid", { field: unclear.side });
    }
    if (unclear !== undefined || !isNamed(baseline) || !isNamed(candidate)) {
      return { ...named, read: null, answer: null };
    }
    const how = {
      reading: readingFor(c, parameters),
      typed: c.get("typed"),
      prices: await (list ??= openPriceList(parts.config.prices)),
      turnsMax: most,
    };
    const before = await readSide(parts, baseline, how);
    const after = await readSide(parts, candidate, how);
    return {
      ...named,
      read: { baseline: before.turns.length, candidate: after.turns.length },
      answer:
        before.turns.length === 0 || after.turns.length === 0
          ? null
          : answerOf(parts, before, after),
    };
  };
  app.on("GET", ["/traces/compare/gate", "/traces/compare/gate.json"], async (c) =>
    respond(c, { model: await read(c), view: gatePage }),
  );
  mountFiles<GateTurn>(app, parts, {
    ...gateFile,
    fields: {
      contract: "text",
      side: "text",
      result: "text",
      root_trace_id: "text",
      turn_id: "text",
    },
    async *pages(c) {
      yield (await read(c)).answer?.turns ?? [];
    },
  });
  return app;
}

function isNamed(terms: string | undefined): terms is string {
  return terms !== undefined && terms.trim() !== "";
}

type Side = Awaited<ReturnType<typeof readSide>>;

function answerOf({ contracts }: Parts, baseline: Side, candidate: Side): GateAnswer {
  const names = (contracts?.set.contracts ?? []).map(({ name }) => name);
  const { turns: before, shared } = ownBaseline(baseline.turns, candidate.turns);
  const trials = trialsOf(names, before, candidate.turns);
  const measures = measureTrials(before, candidate.turns);
  const bounded = [baseline.more ? "baseline" : [], candidate.more ? "candidate" : []].flat();
  const report = withShared(gate(trials, measures), shared);
  return {
    report,
    plans: planTogether(trials, measures),
    turns: [...cells("baseline", before), ...cells("candidate", candidate.turns)],
    values: report.measures.flatMap(({ name }) => [
      ...measuredValues(name, "baseline", before),
      ...measuredValues(name, "candidate", candidate.turns),
    ]),
    bounded: bounded as GateAnswer["bounded"],
  };
}

function cells(of: GateTurn["side"], turns: readonly SideTurn[]): GateTurn[] {
  return turns.flatMap(({ turn: { root_trace_id, turn_id }, results }) =>
    results.map(({ contract, result }) => {
      return { contract, side: of, result, root_trace_id, turn_id };
    }),
  );
}

function measuredValues(
  measure: string,
  of: GateValue["side"],
  turns: readonly SideTurn[],
): GateValue[] {
  return turns
    .map((one): GateValue => {
      const { root_trace_id, turn_id } = one.turn;
      const value = measuredOf(one, measure);
      const low = value === undefined ? null : lowOf(value);
      const high = value === undefined ? null : highOf(value);
      return { measure, side: of, low, high, root_trace_id, turn_id };
    })
    .toSorted((a, b) => (b.high ?? -1) - (a.high ?? -1));
}
