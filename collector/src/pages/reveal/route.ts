/**
 * @module Reveal: content of one event, for a role with the permission, in the mode that the
 * operator chose; audited like every protected route (requirements: Authentication 2, 3). Native
 * evidence has no content, so it comes from the rows of memory through `content-mode.ts` only.
 */
import { Hono } from "hono";
import { z } from "zod";
import { matches } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";

import type { Reading } from "../../access/grants.ts";
import { revealContent } from "../../hooks/content-mode.ts";
import { readBody } from "../../http/body.ts";
import { principalOf } from "../../http/environment.ts";
import type { AppEnv } from "../../http/environment.ts";
import { id } from "../../http/parameters.ts";
import { readingFor } from "../../http/query.ts";
import { respondJson } from "../../http/respond.tsx";
import { tenantOf, timelineRows } from "../../memory/memory-events.ts";
import { json } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { Parts } from "../../parts.ts";
import { collectRoot } from "../../turns/window.ts";

/** Body of a reveal: an event of the root's timeline. */
const revealBody = z.strictObject({ agent_id: id, root_trace_id: id, event_id: id });

/** Answer of a reveal. */
export interface RevealModel {
  readonly event_id: string;
  readonly event_kind: string;
  readonly content_mode: "redacted" | "full";
  readonly parts: readonly { readonly part: string; readonly text: string }[];
}

/** Its JSON, by route. */
export interface RevealAnswers {
  readonly "POST /traces/reveal": RevealModel;
}

/** Reveal: what each route needs, records and answers. */
export const revealGroup: RouteGroup<RevealAnswers> = {
  tag: "Traces",
  endpoints: {
    "POST /traces/reveal": {
      needs: "trace.reveal",
      audit: "content.revealed",
      id: "revealContent",
      summary: "Content of an event",
      text:
        "Native evidence holds no content: what is shown lies in rows of memory. The mode `metadata` " +
        "shows nothing, `redacted` masks, `full` is for controlled test data.",
      body: json(revealBody),
      returns: "Parts of content, in the configured mode.",
      failures: [
        "not_configured",
        "content_hidden",
        "not_found",
        "scope_forbidden",
        "body_invalid",
      ],
    },
  },
  routes: revealRoutes,
};

/** POST `/traces/reveal`. */
function revealRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.post("/traces/reveal", async (c) => {
    const { data } = await readBody(c, revealBody);
    const mode = parts.config.contentMode;
    // Nothing is searched where nothing could be shown.
    if (parts.memory === undefined) throw new CodedError("not_configured");
    if (mode === "metadata") throw new CodedError("content_hidden");
    const reading = readingFor(c, { agent_id: data.agent_id });
    const event = await eventOf(parts, reading, data.root_trace_id, data.event_id);
    // Rows have no application: a principal bound to one must not see another's content.
    const tenant = event.user_id;
    if (tenant !== undefined && tenantOf(reading.scope, { user_id: tenant }) !== tenant) {
      throw new CodedError("scope_forbidden");
    }
    const shown = await revealContent(parts.memory, mode, principalOf(c), event);
    if (shown.length === 0) throw new CodedError("not_found");
    const model: RevealModel = {
      event_id: event.event_id,
      event_kind: event.event_kind,
      content_mode: mode,
      parts: shown,
    };
    return respondJson(c, model);
  });
  return app;
}

/**
 * The event among the root's own events and the rows of its turns, inside the principal's scope.
 */
async function eventOf(
  parts: Parts,
  { scope, query }: Reading,
  root: string,
  eventId: string,
): Promise<TurnEvent> {
  const window = await collectRoot(parts, { scope, query }, root);
  const agent = query.agent_id === undefined ? {} : { agent_id: query.agent_id };
  const own = window.events.filter((event) => matches(event, { store: "all", ...agent }));
  const found =
    own.find((event) => event.event_id === eventId) ??
    (await timelineRows(parts.memory, scope, own)).find((event) => event.event_id === eventId);
  if (found === undefined) throw new CodedError("trace_not_found_in_window");
  return found;
}
