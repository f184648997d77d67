/**
 * @module Operations: what each route is for, which schema validates its query and body, and what
 * it answers; the part of the OpenAPI description that people write.
 */
import type { Code } from "@turnproof/semconv";
import { z } from "zod";

import { analysisParameters, inspectParameters, replayParameters } from "./routes/analysis.ts";
import { compareParameters } from "./routes/compare.ts";
import { eventsParameters } from "./routes/events.ts";
import { facetsParameters } from "./routes/facets.ts";
import { findParameters } from "./routes/find.ts";
import { runForm } from "./routes/agent-runs.ts";
import { groupsParameters } from "./routes/agents.ts";
import { healthParameters } from "./routes/health.ts";
import { accountBody, artifactParameters } from "./routes/hooks.ts";
import { feedbackBody, outcomeBody } from "./routes/judgements.ts";
import { learningParameters, recommendationBody, reviewBody } from "./routes/learning.ts";
import { liveParameters } from "./routes/live.ts";
import { memoryParameters } from "./routes/memory.ts";
import { overviewParameters } from "./routes/overview.ts";
import { reconcileBody, reconcileParameters } from "./routes/reconcile.ts";
import { replayBody } from "./routes/replays.ts";
import { revealBody } from "./routes/reveal.ts";
import { loginForm } from "./routes/session.ts";
import { trendParameters } from "./routes/trend.ts";
import { turnParameters } from "./routes/turn.ts";
import { turnsParameters } from "./routes/turns.ts";

/** The description of one route. */
export interface Operation {
  readonly summary: string;
  readonly text?: string;
  readonly query?: z.ZodObject;
  readonly body?: { readonly type: string; readonly schema?: z.ZodType };
  readonly returns: string;
  readonly schema?: z.ZodType;
  /** Media type of the answer; JSON unless said. */
  readonly answers?: string;
  readonly status?: number;
  readonly failures?: readonly Code[];
}

const none = z.strictObject({});
const html = "text/html";
const otlp = "application/x-protobuf";
const pageFailures: readonly Code[] = ["cursor_rejected", "scope_forbidden", "store_unavailable"];

const turns: Operation = {
  summary: "Turns, newest first or in any order",
  query: turnsParameters,
  returns: "Rows of turns, with a cursor.",
  failures: pageFailures,
};
const find: Operation = {
  summary: "Incident finder",
  text: "One opaque id over the whole history: user, thread, root, job, source, artifact, error.",
  query: findParameters,
  returns: "Roots that mention the id, with a cursor.",
  failures: pageFailures,
};
const agents: Operation = {
  summary: "Agents, each over all of its turns",
  query: groupsParameters,
  returns: "One row per agent.",
  failures: pageFailures,
};
const threads: Operation = {
  ...agents,
  summary: "Threads, each over all of its turns",
  returns: "Rows.",
};
const windowFailures: readonly Code[] = [
  "trace_not_found_in_window",
  "scope_forbidden",
  "store_unavailable",
];
const health: Operation = {
  summary: "Health of the evidence, and of this collector",
  text: "Not a probe of a deployment: write failures are unknown unless every producer reported.",
  query: healthParameters,
  returns: "Counts, failures, orphans, timing, losses, conservation.",
  failures: ["scope_forbidden"],
};
const compare: Operation = {
  summary: "Two roots side by side",
  text: "Metadata only in every content mode. Runs nothing; says what changed, not what is better.",
  query: compareParameters,
  returns: "Changes in operations, sources, artifacts, parsing, delivery and diagnostic codes.",
  failures: windowFailures,
};
const reconcile: Operation = {
  summary: "Strict verdict over the whole authorized window of a root",
  query: reconcileParameters,
  returns: "Status, findings, chain, and what was read for it.",
  failures: ["trace_not_found_in_window", "scope_forbidden", "store_unavailable"],
};
const learning: Operation = {
  summary: "Recommendations, draft experiments and learning candidates",
  query: learningParameters,
  returns: "What is in the asker's scope.",
  failures: ["not_configured", "scope_forbidden"],
};
const memory: Operation = {
  summary: "How much memory holds of one tenant, by kind",
  text: "Counts and times alone; no row is shown.",
  query: memoryParameters,
  returns: "Counts by kind; unknown until a tenant is named.",
  failures: ["not_configured", "scope_forbidden"],
};
const settings: Operation = {
  summary: "Who am I, and what is configured",
  query: none,
  returns: "Principal, modes and warnings.",
};
const json = (schema: z.ZodType): NonNullable<Operation["body"]> => ({
  type: "application/json",
  schema,
});
const run: Operation = {
  summary: "Run an agent",
  text: "A bound principal runs for itself; another `user_id` is refused.",
  body: { type: "application/x-www-form-urlencoded", schema: runForm },
  returns: "",
  failures: [
    "not_configured",
    "not_found",
    "scope_forbidden",
    "store_read_only",
    "body_invalid",
    "streams_full",
  ],
};
const receive = (what: string): Operation => ({
  summary: `OTLP/HTTP ${what}`,
  text: "Protobuf or JSON; identity, gzip, deflate or zstd. Errors are google.rpc.Status.",
  body: { type: otlp },
  returns: "The export response, with `partial_success` where something was refused.",
  answers: otlp,
});

/** Every route of the table of permissions. */
export const operations: { readonly [route: string]: Operation } = {
  "GET /healthz": { summary: "The process answers", returns: "`{ status: ok }`." },
  "GET /readyz": {
    summary: "Whether spans are accepted",
    text: "The journal takes them while the store is away. Ready as well where ingest is off.",
    returns: "`{ ready, accepts_spans }`; 503 while the journal fails or is full.",
  },
  "GET /readyz/store": {
    summary: "Whether the store answers",
    returns: "`{ ok, code }`; 503 with a code while it does not.",
  },
  "GET /login": { summary: "Sign-in page", returns: "The page.", answers: html },
  "POST /login": {
    summary: "Sign in",
    body: { type: "application/x-www-form-urlencoded", schema: loginForm },
    returns: "To the page that was asked for, with a session cookie.",
    status: 303,
    answers: html,
    failures: ["unauthenticated", "throttled", "cross_origin", "body_invalid"],
  },
  "POST /logout": {
    summary: "Sign out",
    returns: "To the sign-in page; the session is dead.",
    status: 303,
    answers: html,
    failures: ["cross_origin"],
  },
  "GET /assets/:file": { summary: "A file of the pages", returns: "It.", answers: "*/*" },
  "GET /favicon.ico": { summary: "The icon", returns: "It.", answers: "image/svg+xml" },
  "POST /v1/traces": receive("traces"),
  "POST /v1/logs": receive("logs; only GenAI evaluation events become evidence"),
  "POST /v1/metrics": receive("metrics; every point is rejected, honestly"),
  "GET /.well-known/jwks.json": {
    summary: "Public keys of signed statements",
    returns: "A JSON Web Key Set.",
  },
  "GET /traces/health": { ...health, answers: html },
  "GET /traces/health.json": health,
  "GET /traces/compare": { ...compare, answers: html },
  "GET /traces/compare.json": compare,
  "GET /traces/analysis.json": {
    summary: "Insights of a root's turns, or of the newest turns of an agent or thread",
    query: analysisParameters,
    returns: "Insights, learning candidates and a summary; never cut silently.",
    failures: windowFailures,
  },
  "GET /traces/inspect.json": {
    summary: "Lineage: what a resource rests on",
    query: inspectParameters,
    returns:
      "One lineage per tenant; tenants are never mixed. `edges_omitted` of a node counts sources of " +
      "its span that have a node and no edge from it.",
    failures: windowFailures,
  },
  "GET /traces/replay-plan.json": {
    summary: "Inert description of what a turn did",
    text: "Execution, network and side effects are off, and nothing in the plan turns them on.",
    query: replayParameters,
    returns: "The plan.",
    failures: [...windowFailures, "replay_plan_refused"],
  },
  "GET /traces/reconcile": { ...reconcile, answers: html },
  "GET /traces/reconcile.json": reconcile,
  "POST /traces/reconcile": {
    summary: "Verdict over posted events",
    text: "A plain list is unverified and at best `partial`; metadata says how it was read.",
    body: { type: "application/json", schema: reconcileBody },
    returns: "The verdict.",
    failures: ["body_invalid", "body_too_large", "media_type_unsupported", "bad_request"],
  },
  "GET /traces/reconcile.jws": {
    ...reconcile,
    summary: "The verdict as a signed statement",
    returns: "A compact JWS (EdDSA) of status, findings, watermark and evidence digest.",
    answers: "application/jose",
  },
  "GET /": { summary: "Home", returns: "To the turns.", status: 302, answers: html },
  "GET /settings": { ...settings, answers: html },
  "GET /settings.json": settings,
  "GET /openapi.json": { summary: "This document", query: none, returns: "OpenAPI 3.1." },
  "GET /patterns": {
    summary: "Every element of the pages in every state",
    returns: "The page.",
    answers: html,
  },
  "GET /docs": { summary: "This document as a page", returns: "The page.", answers: html },
  "GET /metrics": {
    summary: "Metrics of this process",
    returns: "Prometheus text.",
    answers: "text/plain",
    failures: ["scope_forbidden"],
  },
  "GET /traces": { ...turns, answers: html },
  "GET /traces/turns.json": turns,
  "GET /traces/overview.json": {
    summary: "All turns of a filter over time",
    text:
      "Exact, over all turns that pass; each is counted at the time of its last event. With " +
      "`chart=duration`, `durations` counts them by how long they took. `complete` is false while " +
      "acknowledged batches are not readable yet.",
    query: overviewParameters,
    returns: "Bins over time with turns and errors, and their sums.",
  },
  "GET /traces/facets.json": {
    summary: "How many turns of a filter say which value",
    text:
      "Exact, over all turns that pass. Each key has its 50 commonest values, and `total` says how " +
      "many there are. `complete` is false while acknowledged batches are not readable yet.",
    query: facetsParameters,
    returns: "Turns by value of each key of the filter bar, the commonest first.",
  },
  "GET /traces/differences.json": {
    summary: "What the turns of a filter say more often than other turns of the same time",
    text:
      "Counts alone, exact on either side. The others are those of the asker's scope in the same `start_time` and `end_time`; a filter of " +
      "times alone is refused.",
    query: facetsParameters,
    returns: "Values with how many of either side say them, and how many say none.",
  },
  "GET /traces/trend.json": {
    summary: "How the turns of a filter fared over time and by release",
    text:
      "Verdicts, durations, tools and tokens of each stretch of time and of each release, with what " +
      "is unknown counted beside. Exact, over all turns that pass. `change` names a turn before a " +
      "release and one of it, for `/traces/compare`.",
    query: trendParameters,
    returns: "Slices over time, releases by first appearance, and sums over all of them.",
  },
  "GET /traces/events.json": {
    summary: "Normalized events, or the original records",
    text:
      "Filters are conjunctive. Times apply to child events, inclusive start and exclusive end. " +
      "`event_kind` also takes the older names that `/traces/capabilities.json` lists. With " +
      "`view=bundles`, filters that only child events can answer are refused. `limit` counts " +
      "child events; follow `next_cursor` until it is null.",
    query: eventsParameters,
    returns: "An event page, or a bundle page.",
    failures: [...pageFailures, "filter_not_applicable"],
  },
  "GET /traces/find": { ...find, answers: html },
  "GET /traces/find.json": find,
  "GET /traces/artifact.json": {
    summary: "What the host says of a resource",
    query: artifactParameters,
    returns: "Whether it exists, its version and state.",
    failures: ["not_configured", "not_found", "scope_forbidden"],
  },
  "POST /traces/account/resolve": {
    summary: "From an e-mail to an opaque user id, by the host's directory",
    text: "Audited; the e-mail is neither kept nor logged.",
    body: json(accountBody),
    returns: "The user id.",
    failures: ["not_configured", "not_found", "body_invalid"],
  },
  "POST /traces/reveal": {
    summary: "Content of an event",
    text:
      "Native evidence holds no content: what is shown lies in rows of memory. The mode `metadata` " +
      "shows nothing, `redacted` masks, `full` is for controlled test data.",
    body: json(revealBody),
    returns: "Parts of content, in the configured mode.",
    failures: ["not_configured", "content_hidden", "not_found", "scope_forbidden", "body_invalid"],
  },
  "POST /traces/replays": {
    summary: "A replay of a turn",
    text: "Keeps the inert plan as a draft and runs nothing. Blocked in read-only mode.",
    body: json(replayBody),
    returns: "The draft, which is the same one for the same plan.",
    status: 201,
    failures: [...windowFailures, "not_configured", "store_read_only", "replay_plan_refused"],
  },
  "POST /traces/feedback": {
    summary: "Feedback that an operator saw",
    body: json(feedbackBody),
    returns: "The event that was recorded.",
    status: 201,
    failures: ["body_invalid", "store_read_only", "trace_not_found_in_window"],
  },
  "GET /learning": { ...learning, answers: html },
  "GET /learning.json": learning,
  "POST /traces/recommendations": {
    summary: "Propose what the insights of a window recommend",
    text: "Whose evidence it is comes from the stored events. New evidence makes a new revision.",
    body: json(recommendationBody),
    returns: "The recommendations.",
    status: 201,
    failures: ["not_configured", "not_found", "trace_not_found_in_window", "store_read_only"],
  },
  "POST /traces/recommendations/:recommendation_id/review": {
    summary: "Decide on a recommendation",
    text: "Accepting makes one draft experiment for the revision and edits nothing that runs.",
    body: json(reviewBody),
    returns: "The recommendation, and the draft where one was made.",
    failures: ["not_configured", "not_found", "recommendation_closed", "store_conflict"],
  },
  "GET /memory": { ...memory, answers: html },
  "GET /memory.json": memory,
  "POST /traces/outcomes": {
    summary: "An outcome that an operator observed",
    body: json(outcomeBody),
    returns: "The event that was recorded.",
    status: 201,
    failures: ["body_invalid", "store_read_only", "trace_not_found_in_window"],
  },
  "POST /agents/:agent_id/run": {
    ...run,
    returns: "What the agent answered: JSON, or a page when `text/html` is accepted.",
  },
  "POST /agents/:agent_id/playground/stream": {
    ...run,
    summary: "Run an agent and stream its events",
    returns: "Server-sent events of the run, with ids and heartbeats.",
    answers: "text/event-stream",
  },
  "GET /traces/capabilities.json": {
    summary: "What this collector can do",
    query: none,
    returns: "Capabilities, vocabulary and limits.",
  },
  "GET /traces/live": {
    summary: "Live tail",
    text:
      "Server-sent events: `hello`, `event`, `gap`, `heartbeat`, and `end` with a code when the " +
      "session or the account ended; an account has at most 24 streams open. Resumes by " +
      "Last-Event-ID.",
    query: liveParameters,
    returns: "A stream that ends with the session it was opened in.",
    answers: "text/event-stream",
    failures: ["scope_forbidden", "streams_full"],
  },
  "GET /traces/:root_trace_id": {
    summary: "One root: turns, waterfall, supply, verdict",
    text: "With `.json` at the end, the model of the page.",
    query: turnParameters,
    returns: "The page, or its model.",
    failures: ["trace_not_found_in_window", "scope_forbidden", "store_unavailable"],
  },
  "GET /agents": { ...agents, answers: html },
  "GET /agents.json": agents,
  "GET /agents/:agent_id": {
    ...agents,
    summary: "One agent over all of its turns, and the newest of them",
    text: "With `.json` at the end, the model of the page.",
    returns: "The agent and its turns.",
  },
  "GET /threads": { ...threads, answers: html },
  "GET /threads.json": threads,
  "GET /threads/:thread_id": {
    ...threads,
    summary: "One thread and its turns",
    text: "With `.json` at the end, the model of the page.",
    returns: "The thread and its turns.",
  },
};
