/**
 * @module Sample: one recorded turn to explore before anything was sent: an answer that was emitted
 * and never acknowledged. It is part of the collector; no store holds it and no list counts it.
 */
import { Hono } from "hono";
import { z } from "zod";
import type { TurnEvent, WindowMetadata } from "@turnproof/evidence";
import { readCoverage } from "@turnproof/evidence";

import { withTwin } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { AppEnv } from "../../http/environment.ts";
import { form, readParameters } from "../../http/parameters.ts";
import { respond } from "../../http/respond.tsx";
import { factsOf, verdictOf } from "../../turns/root-facts.ts";
import { windowModel } from "../../turns/window.ts";
import type { Window } from "../../turns/window.ts";
import { turnColumns } from "../../ui/display/turn-columns.ts";
import { spanTable } from "./turn-forms.ts";
import type { TurnInColumns } from "./turn-forms.ts";
import type { TurnModel } from "./turn-reading.ts";
import recorded from "./sample-events.json" with { type: "json" };
import { samplePage } from "./sample-page.tsx";

const sampleParameters = z.strictObject({ form, ...spanTable }).partial();

/** Its JSON, by route. */
export interface SampleAnswers {
  readonly "GET /sample.json": TurnModel | TurnInColumns;
}

/** Sample: what each route needs, records and answers. */
export const sampleGroup: RouteGroup<SampleAnswers> = {
  tag: "Traces",
  rail: { under: "/traces", href: "/sample" },
  endpoints: {
    ...withTwin("/sample", {
      needs: "trace.read",
      audit: "sample.read",
      id: "getSample",
      summary: "A recorded turn to explore",
      text: "The same in every collector; it is in no store, and nothing counts it.",
      query: sampleParameters,
      returns: "Turn, waterfall, supply and verdict, as of a root.",
    }),
  },
  routes: sampleRoutes,
};

/** GET `/sample` and its twin. */
function sampleRoutes(): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const model = sampleModel(recorded as unknown as readonly [TurnEvent, ...TurnEvent[]]);
  app.on("GET", ["/sample", "/sample.json"], (c) => {
    const { form: requested } = readParameters(c, sampleParameters);
    const json = requested === "columns" ? () => turnColumns(model) : undefined;
    return respond(c, { model, view: samplePage, ...(json === undefined ? {} : { json }) });
  });
  return app;
}

function sampleModel(events: readonly [TurnEvent, ...TurnEvent[]]): TurnModel {
  const asOf = events.at(-1)?.timestamp ?? "";
  const window: Window = {
    events,
    source_rows: 1,
    bundle_count: 1,
    duplicates_removed: 0,
    errors: [],
    pages: 1,
    bounded: false,
    pending_frames: 0,
    complete: true,
    as_of: asOf,
    mark: asOf,
    elapsed_ms: 0,
  };
  const metadata: WindowMetadata = {
    coverage: readCoverage(events, { readCompleteness: "complete" }),
    window_complete: true,
    truncated: false,
    normalization_errors: [],
    read_completeness: "complete",
    as_of: asOf,
  };
  return {
    root_trace_id: events[0].root_trace_id ?? "",
    ...factsOf(events),
    verdict: verdictOf(events, metadata),
    events,
    window: windowModel(window),
    partial_read: null,
    notes: null,
    contracts: null,
    typical_calls: [],
  };
}
