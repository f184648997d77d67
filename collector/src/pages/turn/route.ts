/**
 * @module Turn page: everything known about one root inside the principal's scope: its turns,
 * waterfall, memory supply, verdict and insights (collector: Answer).
 */
import { limits } from "@turnproof/semconv";
import { Hono } from "hono";
import { z } from "zod";
import { turnColumns } from "../../ui/display/turn-columns.ts";
import type { AppEnv } from "../../http/environment.ts";
import { filters, form, readParameters, readPathId } from "../../http/parameters.ts";
import { readingFor } from "../../http/query.ts";
import { respond } from "../../http/respond.tsx";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { Parts } from "../../parts.ts";
import { turnPage } from "./page.tsx";
import { spanTable } from "./turn-forms.ts";
import type { TurnInColumns } from "./turn-forms.ts";
import { turnReading } from "./turn-reading.ts";
import type { TurnModel } from "./turn-reading.ts";

const { application_id, agent_id, thread_id, turn_id, user_id, scope, memory_id } = filters;

/** Parameters of the turn page; they select among the turns of the root. */
const turnParameters = z
  .strictObject({
    application_id,
    agent_id,
    thread_id,
    turn_id,
    user_id,
    scope,
    memory_id,
    form,
    read: z
      .enum(["part", "whole"])
      .describe(
        "`part` (default): the first 50,000 events of a larger root. `whole`: up to 200,000.",
      ),
    ...spanTable,
  })
  .partial();

/** Its JSON, by route. */
export interface TurnAnswers {
  readonly "GET /traces/:root_trace_id": TurnModel | TurnInColumns;
}

/** Turn: what each route needs, records and answers. */
export const turnGroup: RouteGroup<TurnAnswers> = {
  tag: "Traces",
  endpoints: {
    "GET /traces/:root_trace_id": {
      needs: "trace.read",
      audit: "turn.read",
      reads: true,
      id: "getRoot",
      summary: "One root: turns, waterfall, supply, verdict",
      query: turnParameters,
      returns: "Turns, waterfall, supply and verdict of the root.",
      failures: ["trace_not_found_in_window", "scope_forbidden", "store_unavailable"],
    },
  },
  routes: turnRoutes,
};

/** GET `/traces/{root_trace_id}` and its twin. */
function turnRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const readTurn = turnReading(parts);
  app.get("/traces/:root_trace_id", async (c) => {
    const root = readPathId(c, "root_trace_id");
    const { form: requested, read, ...narrowed } = readParameters(c, turnParameters);
    const most = read === "whole" ? undefined : limits.pageRootEventsMax;
    const model = await readTurn(c, root, readingFor(c, narrowed), most);
    const json = requested === "columns" ? () => turnColumns(model) : undefined;
    return respond(c, { model, view: turnPage, ...(json === undefined ? {} : { json }) });
  });
  return app;
}
