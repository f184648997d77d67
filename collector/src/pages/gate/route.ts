/**
 * @module Gate: whether a candidate is worse than a baseline, by the standing contracts and by
 * measures, as `turnproof gate` reports it, with the turns behind each cell.
 */
import { CodedError } from "@turnproof/semconv";
import { Hono } from "hono";
import { z } from "zod";

import { storeUnavailable } from "../../backend/store-unavailable.ts";
import type { StoreUnavailable } from "../../backend/store-unavailable.ts";
import { openPriceList } from "../../cost/price-list.ts";
import type { PriceList } from "../../cost/price-list.ts";
import { pageFailures, withTwin } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import { wantsPage } from "../../http/environment.ts";
import type { AppContext, AppEnv } from "../../http/environment.ts";
import { filters, limitUpTo, readParameters } from "../../http/parameters.ts";
import { readingFor } from "../../http/query.ts";
import { respond } from "../../http/respond.tsx";
import { fileEndpoints, mountFiles } from "../../tables/list-files.ts";
import { notCompared } from "../../judge/gate-turns.ts";
import type { Parts } from "../../parts.ts";
import { pendingFrames } from "../../turns/window.ts";
import { answerOf } from "./answer.ts";
import type { GateAnswer, GateTurn } from "./answer.ts";
import { gatePage } from "./page.tsx";
import { readSide, turnsMax } from "./sides.ts";
import { unclearTexts } from "./terms.ts";

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
    require: z
      .string()
      .max(1_000)
      .describe(
        "Contracts, `duration`, `tokens` or `cost` that must be decided, separated by spaces or commas.",
      ),
    limit: limitUpTo(turnsMax).describe(
      `The newest turns of each side, at most so many: up to ${turnsMax}, default ${turnsUsual}.`,
    ),
  })
  .partial();

/** Body of `/traces/compare/gate.json`. */
export interface GateModel {
  readonly baseline: string | null;
  readonly candidate: string | null;
  /** Turns that were read of each side; null until both are named. */
  readonly read: { readonly baseline: number; readonly candidate: number } | null;
  /** Contracts and measures that must be decided. */
  readonly required: readonly string[];
  /** Names among them that are neither; then nothing is compared. */
  readonly unknown_required: readonly string[];
  /** Most turns that are read of a side. */
  readonly limit: number;
  /** Null where a side is not named, or has no turn. */
  readonly answer: GateAnswer | null;
  /** Batches that were acknowledged and are not readable yet. */
  readonly pending_frames: number;
  /** Why the store cannot be used, so that nothing is compared; null while it answers. */
  readonly store_away: StoreUnavailable | null;
}

/** Its JSON, by route. */
export interface GateAnswers {
  readonly "GET /traces/compare/gate.json": GateModel;
}

const gateFile = {
  path: "/traces/compare/gate",
  name: "gate",
  rows: "`turns`: one line per contract and turn",
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
    const { baseline, candidate, limit, require, ...parameters } = readParameters(
      c,
      gateParameters,
    );
    const pending_frames = await pendingFrames(parts);
    const most = limit ?? turnsUsual;
    const sides = { baseline: baseline ?? null, candidate: candidate ?? null };
    const required = (require ?? "").split(/[\s,]+/u).filter((name) => name !== "");
    const contracts = namesOf(parts);
    const unknown_required = notCompared(required, contracts);
    const store_away = await storeUnavailable(parts);
    const named = { ...sides, required, unknown_required, pending_frames, limit: most, store_away };
    const wrong = [
      ...unclearTexts(named).map(({ side: field }) => field),
      ...unknown_required.map(() => "require"),
    ];
    // A page lists the words; a program's request is refused.
    if (wrong[0] !== undefined && !wantsPage(c)) {
      throw new CodedError("parameter_invalid", { field: wrong[0] });
    }
    if (store_away !== null && wantsPage(c)) return { ...named, read: null, answer: null };
    if (wrong.length > 0 || !isNamed(baseline) || !isNamed(candidate)) {
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
          : answerOf(before, after, { contracts, required }),
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
      compared: "flag",
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

function namesOf({ contracts }: Parts): readonly string[] {
  return (contracts?.set.contracts ?? []).map(({ name }) => name);
}
