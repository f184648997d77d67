/**
 * @module Replays: a replay is a stored plan that runs nothing. Creating one stores the
 * description from `/traces/replay-plan.json` as a record of its own kind, for people to carry out
 * elsewhere. Read-only mode blocks storing and allows the plan (requirements: Authentication 3).
 */
import { createHash } from "node:crypto";

import type { Identity } from "@turnproof/semconv";
import { isoTime } from "@turnproof/semconv";
import { Hono } from "hono";
import { z } from "zod";
import { buildReplayPlan, canonicalJson } from "@turnproof/evidence";
import type { ReplayPlan } from "@turnproof/evidence";

import { readBody } from "../../http/body.ts";
import type { AppEnv } from "../../http/environment.ts";
import { id } from "../../http/parameters.ts";
import { readingFor } from "../../http/query.ts";
import { respondJson } from "../../http/respond.tsx";
import { jsonOf, sharedOf } from "../../memory/recommendation-record.ts";
import { windowFailures, json } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { Parts } from "../../parts.ts";
import { metadataOf } from "../../judge/verdict.ts";
import { selectRoot } from "../../turns/window.ts";

/** Body of a replay. */
const replayBody = z.strictObject({
  agent_id: id,
  root_trace_id: id,
  turn_id: id.optional(),
});

/** Answer of a replay. */
export interface ReplayModel extends Pick<Identity, "agent_id"> {
  readonly record_type: "replay";
  readonly replay_id: string;
  readonly state: "draft";
  readonly plan: ReplayPlan;
  readonly created_at: string;
}

/** Its JSON, by route. */
export interface ReplaysAnswers {
  readonly "POST /traces/replays": ReplayModel;
}

/** Replays: what each route needs, records and answers. */
export const replaysGroup: RouteGroup<ReplaysAnswers> = {
  tag: "Traces",
  endpoints: {
    "POST /traces/replays": {
      needs: "replay.create",
      audit: "replay.created",
      mutates: true,
      id: "createReplay",
      summary: "A replay of a turn",
      text: "Keeps the inert plan as a draft and runs nothing. Blocked in read-only mode.",
      body: json(replayBody),
      returns: "The draft, which is the same one for the same plan.",
      status: 201,
      failures: [...windowFailures, "not_configured", "store_read_only", "replay_plan_refused"],
    },
  },
  routes: replayRoutes,
};

/** POST `/traces/replays`. */
function replayRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.post("/traces/replays", async (c) => {
    const { data } = await readBody(c, replayBody);
    const shared = sharedOf(parts.memory);
    const { agent_id, turn_id } = data;
    const reading = readingFor(c, { agent_id, turn_id });
    const { window, events } = await selectRoot(parts, reading, data.root_trace_id);
    const plan = buildReplayPlan(events, {
      normalizationMetadata: await metadataOf(parts, window),
    });
    const digest = createHash("sha256").update(canonicalJson(plan)).digest("hex").slice(0, 32);
    const replay_id = `replay:${digest}`;
    // The same plan requested again is the same replay.
    const kept = await shared.get("replay", replay_id);
    const created_at = kept?.created_at ?? isoTime(parts.now());
    const record = { record_type: "replay", replay_id, state: "draft", agent_id, plan } as const;
    if (kept === undefined) {
      await shared.put("replay", { id: replay_id, created_at, data: jsonOf(record) });
    }
    const model: ReplayModel = { ...record, created_at };
    return respondJson(c, model, kept === undefined ? 201 : 200);
  });
  return app;
}
