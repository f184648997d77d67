/**
 * @module Learning: recommendations from evidence, their reviews and draft experiments
 * (requirements: States and transitions; evidence: Insights). Nothing that runs is ever changed,
 * and the owner of evidence comes from the stored events, never from the form.
 */
import { Hono } from "hono";
import { z } from "zod";
import { findInsights, insightCodes, readCandidates } from "@turnproof/evidence";
import type { CandidateState, DraftExperiment, TurnEvent } from "@turnproof/evidence";
import { CodedError, isoTime, limits } from "@turnproof/semconv";

import { readBody } from "../../http/body.ts";
import { principalOf } from "../../http/environment.ts";
import type { AppContext, AppEnv } from "../../http/environment.ts";
import { filters, id, readParameters } from "../../http/parameters.ts";
import { readingFor } from "../../http/query.ts";
import { respond, respondJson } from "../../http/respond.tsx";
import { readRecommendation, sharedOf } from "../../memory/recommendation-record.ts";
import { formOrJson, orForm, withTwin } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { Parts } from "../../parts.ts";
import { selectRoot } from "../../turns/window.ts";
import { newestEvents } from "../../turns/turn-reading.ts";
import { fileEndpoints, mountFiles } from "../../tables/list-files.ts";
import { everyStored, listed, mayRead, shownRow } from "./listed.ts";
import { candidateFields, experimentFields, recommendationFields } from "./file-fields.ts";
import type { RecommendationRow } from "./listed.ts";
import { learningPage } from "./page.tsx";
import { ownerOf, propose, review } from "./recommending.ts";

/** Parameters of the learning view. */
const learningParameters = z
  .strictObject({
    agent_id: filters.agent_id,
    user_id: filters.user_id,
    scope: filters.scope,
    start_time: filters.start_time.describe(
      "Recommendations proposed, and turns ended, at or after; ISO 8601 or before now (`-24h`).",
    ),
    end_time: filters.end_time.describe("Recommendations proposed, and turns ended, before."),
    limit: filters.limit.describe("Newest turns whose candidates are read; default 250."),
  })
  .partial();

/** Body of a proposal: a window, and which of its insights to use. */
const recommendationBody = z.strictObject({
  agent_id: id,
  thread_id: id.optional(),
  root_trace_id: id.optional(),
  turn_id: id.optional(),
  code: z.enum(insightCodes).describe("Which insight of the window; without it, all.").optional(),
  subject: id.optional(),
});

/** Body of a review. */
const reviewBody = z.strictObject({
  decision: z.enum(["accepted", "rejected", "deferred"]),
  note: z
    .string()
    .max(2_000)
    .describe("Kept with the recommendation; shown as content.")
    .optional(),
});

/** Body of `/learning.json`. */
export interface LearningModel {
  readonly recommendations: readonly RecommendationRow[];
  readonly experiments: readonly DraftExperiment[];
  readonly candidates: readonly CandidateState[];
  readonly event_count: number;
  readonly window_complete: boolean;
  /** False when there were more recommendations than are listed. */
  readonly list_complete: boolean;
}

/** Answer of a proposal. */
export interface ProposedModel {
  readonly recommendations: readonly RecommendationRow[];
}

/** Answer of a review. */
export interface ReviewedModel {
  readonly recommendation: RecommendationRow;
  /** The draft that the acceptance created, or null. */
  readonly experiment: DraftExperiment | null;
}

const { limit: _limit, ...fileShape } = learningParameters.shape;
const learningFile = {
  path: "/learning",
  name: "learning",
  rows: "`recommendations`: one line per recommendation",
  query: z.strictObject(fileShape),
} as const;
const experimentsFile = {
  path: "/learning/experiments",
  name: "experiments",
  rows: "`experiments`: one line per draft experiment",
  json: "/learning.json",
  query: z.strictObject(fileShape),
} as const;
/** Of the same turns as on the page, so with its limit. */
const candidatesFile = {
  path: "/learning/candidates",
  name: "candidates",
  rows: "`candidates`: one line per candidate that agents report",
  json: "/learning.json",
  query: learningParameters,
} as const;

/** Its JSON, by route. */
export interface LearningAnswers {
  readonly "GET /learning.json": LearningModel;
  readonly "POST /traces/recommendations": ProposedModel;
  readonly "POST /traces/recommendations/:recommendation_id/review": ReviewedModel;
}

/** Learning: what each route needs, records and answers. */
export const learningGroup: RouteGroup<LearningAnswers> = {
  tag: "Learning and memory",
  rail: { order: 10, href: "/learning", name: "Learning", icon: "learning", key: "l" },
  endpoints: {
    ...withTwin("/learning", {
      needs: "trace.read",
      audit: "learning.read",
      id: "getLearning",
      summary: "Recommendations, draft experiments and learning candidates",
      query: learningParameters,
      returns: "What is in the caller's scope.",
      failures: ["not_configured", "scope_forbidden"],
    }),
    ...fileEndpoints(learningFile),
    ...fileEndpoints(experimentsFile),
    ...fileEndpoints(candidatesFile),
    "POST /traces/recommendations": {
      needs: "recommendation.review",
      audit: "recommendation.proposed",
      mutates: true,
      id: "proposeRecommendations",
      summary: "Propose recommendations from the insights of a window",
      text: "The tenant is taken from the stored events. New evidence makes a new revision.",
      body: formOrJson(recommendationBody),
      also: orForm,
      returns: "The recommendations.",
      status: 201,
      failures: ["not_configured", "not_found", "trace_not_found_in_window", "store_read_only"],
    },
    "POST /traces/recommendations/:recommendation_id/review": {
      needs: "recommendation.review",
      audit: "recommendation.reviewed",
      mutates: true,
      id: "reviewRecommendation",
      summary: "Decide on a recommendation",
      text: "Accepting makes one draft experiment for the revision and edits nothing that runs.",
      body: formOrJson(reviewBody),
      also: orForm,
      returns: "The recommendation, and the draft where one was made.",
      failures: ["not_configured", "not_found", "recommendation_closed", "store_conflict"],
    },
  },
  routes: learningRoutes,
};

/** GET `/learning`, POST `/traces/recommendations` and its review. */
function learningRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.on("GET", ["/learning", "/learning.json"], async (c) => {
    const { limit, ...narrowed } = readParameters(c, learningParameters);
    const reading = readingFor(c, narrowed);
    const { rows, complete } = await listed(parts, principalOf(c), reading.query);
    const read = await newestEvents(parts, reading, limit ?? limits.pageEventsDefault);
    const model: LearningModel = {
      recommendations: rows.map((row) => shownRow(parts, principalOf(c), row)),
      experiments: rows.flatMap((row) => row.experiments),
      candidates: readCandidates(read.events),
      event_count: read.events.length,
      window_complete: read.complete,
      list_complete: complete,
    };
    return respond(c, { model, view: learningPage });
  });

  mountLists(app, parts);

  app.post("/traces/recommendations", async (c) => {
    const { data, form } = await readBody(c, recommendationBody);
    const shared = sharedOf(parts.memory);
    const events = await windowOf(c, parts, data);
    const scope = data.root_trace_id === undefined ? "window" : "turn";
    const insights = findInsights(events, { scope }).insights.filter(
      ({ code, subject }) =>
        (data.code === undefined || code === data.code) &&
        (data.subject === undefined || subject === data.subject),
    );
    const proposals = insights.flatMap((insight) => {
      const owner = ownerOf(insight, events);
      return owner === undefined ? [] : [{ insight, owner }];
    });
    if (proposals.length === 0) throw new CodedError("not_found", { field: "code" });
    const now = isoTime(parts.now());
    const rows: RecommendationRow[] = [];
    for (const { insight, owner } of proposals) {
      const row = await propose(shared, insight, owner, now);
      rows.push(shownRow(parts, principalOf(c), row));
    }
    if (form) return c.redirect(pathOf(parts), 303);
    const model: ProposedModel = { recommendations: rows };
    return respondJson(c, model, 201);
  });

  app.post("/traces/recommendations/:recommendation_id/review", async (c) => {
    const { data, form } = await readBody(c, reviewBody);
    const shared = sharedOf(parts.memory);
    const record = await shared.get("recommendation", c.req.param("recommendation_id"));
    const current = record === undefined ? undefined : readRecommendation(record);
    // Another owner's recommendation is not found, rather than forbidden.
    if (record === undefined || current === undefined || !mayRead(principalOf(c), current.owner)) {
      throw new CodedError("not_found");
    }
    const reviewed = await review(parts, { shared, record, current, ...data });
    if (form) return c.redirect(pathOf(parts), 303);
    const { recommendation, experiment } = reviewed;
    const model: ReviewedModel = {
      recommendation: shownRow(parts, principalOf(c), recommendation),
      experiment,
    };
    return respondJson(c, model);
  });
  return app;
}

/** The lists of the view as files. */
function mountLists(app: Hono<AppEnv>, parts: Parts): void {
  mountFiles<RecommendationRow>(app, parts, {
    ...learningFile,
    fields: recommendationFields,
    async *pages(c) {
      const { query } = readingFor(c, readParameters(c, learningFile.query));
      const principal = principalOf(c);
      for await (const rows of everyStored(parts, principal, query)) {
        yield rows.map((row) => shownRow(parts, principal, row));
      }
    },
  });

  mountFiles<DraftExperiment>(app, parts, {
    ...experimentsFile,
    fields: experimentFields,
    async *pages(c) {
      const { query } = readingFor(c, readParameters(c, experimentsFile.query));
      for await (const rows of everyStored(parts, principalOf(c), query)) {
        yield rows.flatMap(({ experiments }) => experiments);
      }
    },
  });
  mountFiles<CandidateState>(app, parts, {
    ...candidatesFile,
    fields: candidateFields,
    async *pages(c, bound) {
      const { limit = limits.pageEventsDefault, ...narrowed } = readParameters(
        c,
        candidatesFile.query,
      );
      const read = await newestEvents(parts, readingFor(c, narrowed), limit);
      if (!read.complete) bound();
      yield readCandidates(read.events);
    },
  });
}

function pathOf({ config }: Parts): string {
  return `${config.basePath === "/" ? "" : config.basePath}/learning`;
}

/** The events behind a proposal: one root, or the newest turns of an agent or thread. */
async function windowOf(
  c: AppContext,
  parts: Parts,
  of: z.output<typeof recommendationBody>,
): Promise<readonly TurnEvent[]> {
  const { agent_id, thread_id, turn_id, root_trace_id } = of;
  const reading = readingFor(c, { agent_id, thread_id, turn_id });
  if (root_trace_id !== undefined) return (await selectRoot(parts, reading, root_trace_id)).events;
  const { events } = await newestEvents(parts, reading, limits.pageEventsDefault);
  if (events.length === 0) throw new CodedError("trace_not_found_in_window");
  return events;
}
