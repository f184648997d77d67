/**
 * @module Incidents: what went wrong, as a short ranked list over all turns of a time: cause,
 * agent, releases, tool and error, first and last time, tenants, and a typical turn.
 */
import { Hono } from "hono";
import { z } from "zod";

import { pageFailures, withTwin } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import { wantsPage } from "../../http/environment.ts";
import type { AppContext, AppEnv } from "../../http/environment.ts";
import { readParameters } from "../../http/parameters.ts";
import { readingFor } from "../../http/query.ts";
import { respond } from "../../http/respond.tsx";
import type { Parts } from "../../parts.ts";
import { fileEndpoints, mountFiles } from "../../tables/list-files.ts";
import { findIncidents, incidentOrders } from "../../turns/incidents.ts";
import type { Incident, Incidents, IncidentsPart } from "../../turns/incidents.ts";
import { listParameters } from "../../turns/list-parameters.ts";
import { knownNames } from "../../turns/free-text.ts";
import { orderParameter } from "../../turns/rows-in-order.ts";
import { turnQueryOf } from "../../turns/turn-conditions.ts";
import { isComplete, pendingFrames } from "../../turns/window.ts";
import { rangeOf } from "../../ui/display/time-range.ts";
import { incidentsPage } from "./page.tsx";

const { chart: _chart, ...turnFilters } = listParameters.shape;
const incidentsParameters = z.strictObject({
  ...turnFilters,
  sort: z
    .enum(incidentOrders)
    .describe(
      "Sort column, applied before `limit`; default `priority`: P0 first, then the most turns. Incidents of " +
        "several agents, or of none, come last by `agent_id`.",
    )
    .optional(),
  order: orderParameter,
  skip: z.coerce
    .number()
    .int()
    .min(0)
    .max(10_000)
    .describe("Incidents to pass over, for the next page; default 0.")
    .meta({ type: "integer", minimum: 0, maximum: 10_000, pattern: undefined })
    .optional(),
});

/** Body of `/traces/incidents.json`. */
export interface IncidentsModel extends Incidents {
  /** True when everything that was received is counted. */
  readonly complete: boolean;
  /** Batches that were acknowledged and are not readable yet. */
  readonly pending_frames: number;
}

/** Its JSON, by route. */
export interface IncidentsAnswers {
  readonly "GET /traces/incidents.json": IncidentsModel;
}

/** A file has every incident. */
const fileParameters = incidentsParameters.omit({ skip: true });
const incidentsFile = {
  path: "/traces/incidents",
  name: "incidents",
  rows: "incidents",
  query: fileParameters,
} as const;

/** Incidents: what each route needs, records and answers. */
export const incidentsGroup: RouteGroup<IncidentsAnswers> = {
  tag: "Traces",
  rail: { order: 6, href: "/traces/incidents", name: "Incidents", icon: "incidents", key: "i" },
  endpoints: {
    ...withTwin("/traces/incidents", {
      needs: "trace.read",
      audit: "incidents.read",
      reads: true,
      id: "getIncidents",
      summary: "What went wrong, as a short ranked list",
      text:
        "A turn counts under its most urgent cause alone: a finding of the judge, else a failed call, " +
        "else its error, else a call with a fallback or a limitation. Turns of one cause and one agent " +
        "are one incident until a pause longer than `pause_ms`; where these are one or two, all such " +
        "turns of the cause are one, `scattered`. `turns_left` are in later incidents: `skip` passes over the first. Where " +
        "more than 10,000 turns went wrong, the newest 10,000 are read: see `turns_read`.",
      query: incidentsParameters,
      returns: "Incidents, by priority, then turns, or in another order.",
      failures: pageFailures,
    }),
    ...fileEndpoints(incidentsFile),
  },
  routes: incidentsRoutes,
};

/** GET `/traces/incidents` and its twin. */
function incidentsRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const { ledger } = parts.store;
  const readIncidents = async (
    c: AppContext,
    { sort, order, ...parameters }: z.output<typeof fileParameters>,
    { lenient, ...part }: { readonly lenient: boolean } & IncidentsPart,
  ): Promise<IncidentsModel> => {
    const atMs = parts.now();
    const reading = readingFor(c, parameters, atMs);
    const names = await knownNames(ledger, reading.scope, parameters.q);
    const reads = { typed: c.get("typed"), names, lenient };
    const query = {
      ...turnQueryOf(reading, parameters, reads),
      signal: c.req.raw.signal,
    };
    const pending = await pendingFrames(parts);
    const options = { nowMs: atMs, within: rangeOf(parameters, atMs), sort, order, ...part };
    return {
      ...(await findIncidents(ledger, query, options)),
      complete: await isComplete(parts, pending, query),
      pending_frames: pending,
    };
  };
  app.on("GET", ["/traces/incidents", "/traces/incidents.json"], async (c) => {
    const { skip, ...parameters } = readParameters(c, incidentsParameters);
    const model = await readIncidents(c, parameters, { skip, lenient: wantsPage(c) });
    return respond(c, { model, view: incidentsPage });
  });
  mountFiles<Incident>(app, parts, {
    ...incidentsFile,
    fields: {
      kind: "text",
      name: "text",
      call: "text",
      priority: "integer",
      agent_id: "text",
      agents: "integer",
      names: "integer",
      turns: "integer",
      scattered: "flag",
      first_at: "time",
      last_at: "time",
      tenants: "integer",
      releases: "json",
      call_failed: "json",
      slices: "json",
      typical: "json",
      q: "text",
      q_turns: "integer",
    },
    async *pages(c) {
      const parameters = readParameters(c, fileParameters);
      const whole = { lenient: false, limit: Number.POSITIVE_INFINITY };
      yield (await readIncidents(c, parameters, whole)).items;
    },
  });
  return app;
}
