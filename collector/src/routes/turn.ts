/**
 * @module Turn page: everything known of one root inside the asker's scope: its turns, waterfall,
 * memory supply, verdict and insights (design 6.2).
 */
import { Hono } from "hono";
import { z } from "zod";
import {
  buildCausalWaterfall,
  compareEvents,
  findInsights,
  foldTurns,
  readSupply,
} from "@turnproof/evidence";
import type {
  CausalWaterfall,
  Insights,
  Supply,
  TurnEvent,
  TurnRow,
  Verdict,
} from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";

import type { AppEnv } from "../http/environment.ts";
import { filters, readParameters, readPathId } from "../http/parameters.ts";
import { readingFor } from "../http/query.ts";
import { respond } from "../http/respond.tsx";
import { timelineRows } from "../memory/memory-events.ts";
import type { Parts } from "../parts.ts";
import { judgeWindow } from "../verdict.ts";
import { collectRoot } from "../window.ts";
import type { Window } from "../window.ts";
import { withVerdicts } from "./turn-reading.ts";

const { application_id, agent_id, thread_id, turn_id, user_id, scope, memory_id } = filters;

/** Parameters of the turn page; they select among the turns of the root. */
export const turnParameters = z
  .strictObject({ application_id, agent_id, thread_id, turn_id, user_id, scope, memory_id })
  .partial();

/** What is said of the reading; the events stand beside it. */
export type WindowModel = Omit<Window, "events"> & { readonly event_count: number };

/** Body of `/traces/{root_trace_id}.json`. */
export interface TurnModel {
  readonly root_trace_id: string;
  readonly turns: readonly TurnRow[];
  readonly waterfall: CausalWaterfall;
  readonly supply: Supply;
  /** The strict verdict over the selected turns, judged now. */
  readonly verdict: Verdict;
  /** Insights of each turn for itself. */
  readonly insights: Insights;
  /** Events of all stores, oldest first; rows of memory are in the timeline and judged nowhere. */
  readonly events: readonly TurnEvent[];
  readonly window: WindowModel;
}

/** GET `/traces/{root_trace_id}` and its twin. */
export function turnRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.get("/traces/:root_trace_id", async (c) => {
    const root = readPathId(c, "root_trace_id");
    const reading = readingFor(c, readParameters(c, turnParameters));
    const window = await collectRoot(parts, reading, root);
    const { verdict, events } = await judgeWindow(parts, window, reading.query);
    if (events.length === 0) throw new CodedError("trace_not_found_in_window");
    const verdicts = await parts.store.verdicts(reading.scope, [root]);
    const rows = await timelineRows(parts.memory, reading.scope, events);
    const model: TurnModel = {
      root_trace_id: root,
      turns: withVerdicts(foldTurns(events), verdicts),
      waterfall: buildCausalWaterfall(events),
      supply: readSupply(events),
      verdict,
      insights: findInsights(events, { scope: "turn" }),
      events: rows.length === 0 ? events : [...events, ...rows].toSorted(compareEvents),
      window: windowModel(window),
    };
    return respond(c, { model, view: "turn" });
  });
  return app;
}

/** The reading without its events. */
export function windowModel({ events, ...rest }: Window): WindowModel {
  return { event_count: events.length, ...rest };
}
