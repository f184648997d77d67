/**
 * @module ApiTraceOperations: the operations below `/traces`: turns, events, verdicts, and what an
 * operator writes.
 */
import { none, html, pageFailures, windowFailures, json } from "./api-operation.ts";
import type { Operation } from "./api-operation.ts";
import {
  analysisParameters,
  inspectParameters,
  replayParameters,
} from "../pages/analysis/route.ts";
import { compareParameters } from "../pages/compare/route.ts";
import { eventsParameters } from "../pages/events/route.ts";
import { facetsParameters } from "../pages/turns/facets.ts";
import { findParameters } from "../pages/find/route.ts";
import { healthParameters } from "../pages/health/route.ts";
import { accountBody, artifactParameters } from "../pages/accounts/route.ts";
import { feedbackBody, outcomeBody } from "../pages/feedback/route.ts";
import { recommendationBody, reviewBody } from "../pages/learning/route.ts";
import { liveParameters } from "../pages/live/route.ts";
import { overviewParameters } from "../pages/turns/overview.ts";
import { reconcileBody, reconcileParameters } from "../pages/reconcile/route.ts";
import { replayBody } from "../pages/replays/route.ts";
import { revealBody } from "../pages/reveal/route.ts";
import { trendParameters } from "../pages/turns/trend.ts";
import { turnParameters } from "../pages/turn/route.ts";
import { turnsParameters } from "../pages/turns/route.ts";

const turns: Operation = {
  id: "listTurns",
  summary: "Turns, newest first or in any order",
  query: turnsParameters,
  returns: "Rows of turns, with a cursor.",
  failures: pageFailures,
};
const find: Operation = {
  id: "findRoots",
  summary: "Incident finder",
  text: "One opaque id over the whole history: user, thread, root, job, source, artifact, error.",
  query: findParameters,
  returns: "Roots that mention the id, with a cursor.",
  failures: pageFailures,
};
const health: Operation = {
  id: "getHealth",
  summary: "Health of the evidence, and of this collector",
  text: "Not a probe of a deployment: write failures are unknown unless every producer reported.",
  query: healthParameters,
  returns: "Counts, failures, orphans, timing, losses, conservation.",
  failures: ["scope_forbidden"],
};
const compare: Operation = {
  id: "compareRoots",
  summary: "Two roots side by side",
  text: "Metadata only in every content mode. Runs nothing; says what changed, not what is better.",
  query: compareParameters,
  returns: "Changes in operations, sources, artifacts, parsing, delivery and diagnostic codes.",
  failures: windowFailures,
};
const reconcile: Operation = {
  id: "getVerdict",
  summary: "Strict verdict over the whole authorized window of a root",
  query: reconcileParameters,
  returns: "Status, findings, chain, and what was read for it.",
  failures: ["trace_not_found_in_window", "scope_forbidden", "store_unavailable"],
};

/** Operations below `/traces`. */
export const traceOperations: { readonly [route: string]: Operation } = {
  "GET /traces/health": { ...health, answers: html },
  "GET /traces/health.json": health,
  "GET /traces/compare": { ...compare, answers: html },
  "GET /traces/compare.json": compare,
  "GET /traces/analysis.json": {
    id: "getInsights",
    summary: "Insights of a root's turns, or of the newest turns of an agent or thread",
    query: analysisParameters,
    returns: "Insights, learning candidates and a summary; never cut silently.",
    failures: windowFailures,
  },
  "GET /traces/inspect.json": {
    id: "getLineage",
    summary: "Lineage: what a resource rests on",
    query: inspectParameters,
    returns:
      "One lineage per tenant; tenants are never mixed. `edges_omitted` of a node counts sources of " +
      "its span that have a node and no edge from it.",
    failures: windowFailures,
  },
  "GET /traces/replay-plan.json": {
    id: "getReplayPlan",
    summary: "Inert description of what a turn did",
    text: "Execution, network and side effects are off, and nothing in the plan turns them on.",
    query: replayParameters,
    returns: "The plan.",
    failures: [...windowFailures, "replay_plan_refused"],
  },
  "GET /traces/reconcile": { ...reconcile, answers: html },
  "GET /traces/reconcile.json": reconcile,
  "POST /traces/reconcile": {
    id: "judgeEvents",
    summary: "Verdict over posted events",
    text: "A plain list is unverified and at best `partial`; metadata says how it was read.",
    body: { type: "application/json", schema: reconcileBody },
    returns: "The verdict.",
    failures: ["body_invalid", "body_too_large", "media_type_unsupported", "bad_request"],
  },
  "GET /traces/reconcile.jws": {
    ...reconcile,
    id: "getSignedVerdict",
    summary: "The verdict as a signed statement",
    returns: "A compact JWS (EdDSA) of status, findings, watermark and evidence digest.",
    answers: "application/jose",
  },
  "GET /traces": { ...turns, answers: html },
  "GET /traces/turns.json": turns,
  "GET /traces/overview.json": {
    id: "getOverview",
    summary: "All turns of a filter over time",
    text:
      "Exact, over all turns that pass; each is counted at the time of its last event. With " +
      "`chart=duration`, `durations` counts them by how long they took. `complete` is false while " +
      "acknowledged batches are not readable yet.",
    query: overviewParameters,
    returns: "Bins over time with turns and errors, and their sums.",
  },
  "GET /traces/facets.json": {
    id: "getFacets",
    summary: "How many turns of a filter say which value",
    text:
      "Exact, over all turns that pass. Each key has its 50 commonest values, and `total` says how " +
      "many there are. `complete` is false while acknowledged batches are not readable yet.",
    query: facetsParameters,
    returns: "Turns by value of each key of the filter bar, the commonest first.",
  },
  "GET /traces/differences.json": {
    id: "getDifferences",
    summary: "What the turns of a filter say more often than other turns of the same time",
    text:
      "Counts alone, exact on either side. The others are those of the asker's scope in the same `start_time` and `end_time`; a filter of " +
      "times alone is refused.",
    query: facetsParameters,
    returns: "Values with how many of either side say them, and how many say none.",
  },
  "GET /traces/trend.json": {
    id: "getTrend",
    summary: "How the turns of a filter fared over time and by release",
    text:
      "Verdicts, durations, tools and tokens of each stretch of time and of each release, with what " +
      "is unknown counted beside. Exact, over all turns that pass. `change` names a turn before a " +
      "release and one of it, for `/traces/compare`.",
    query: trendParameters,
    returns: "Slices over time, releases by first appearance, and sums over all of them.",
  },
  "GET /traces/events.json": {
    id: "listEvents",
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
    id: "getArtifact",
    summary: "What the host says of a resource",
    query: artifactParameters,
    returns: "Whether it exists, its version and state.",
    failures: ["not_configured", "not_found", "scope_forbidden"],
  },
  "POST /traces/account/resolve": {
    id: "resolveAccount",
    summary: "From an e-mail to an opaque user id, by the host's directory",
    text: "Audited; the e-mail is neither kept nor logged.",
    body: json(accountBody),
    returns: "The user id.",
    failures: ["not_configured", "not_found", "body_invalid"],
  },
  "POST /traces/reveal": {
    id: "revealContent",
    summary: "Content of an event",
    text:
      "Native evidence holds no content: what is shown lies in rows of memory. The mode `metadata` " +
      "shows nothing, `redacted` masks, `full` is for controlled test data.",
    body: json(revealBody),
    returns: "Parts of content, in the configured mode.",
    failures: ["not_configured", "content_hidden", "not_found", "scope_forbidden", "body_invalid"],
  },
  "POST /traces/replays": {
    id: "createReplay",
    summary: "A replay of a turn",
    text: "Keeps the inert plan as a draft and runs nothing. Blocked in read-only mode.",
    body: json(replayBody),
    returns: "The draft, which is the same one for the same plan.",
    status: 201,
    failures: [...windowFailures, "not_configured", "store_read_only", "replay_plan_refused"],
  },
  "POST /traces/feedback": {
    id: "recordFeedback",
    summary: "Feedback that an operator saw",
    body: json(feedbackBody),
    returns: "The event that was recorded.",
    status: 201,
    failures: ["body_invalid", "store_read_only", "trace_not_found_in_window"],
  },
  "POST /traces/recommendations": {
    id: "proposeRecommendations",
    summary: "Propose what the insights of a window recommend",
    text: "Whose evidence it is comes from the stored events. New evidence makes a new revision.",
    body: json(recommendationBody),
    returns: "The recommendations.",
    status: 201,
    failures: ["not_configured", "not_found", "trace_not_found_in_window", "store_read_only"],
  },
  "POST /traces/recommendations/:recommendation_id/review": {
    id: "reviewRecommendation",
    summary: "Decide on a recommendation",
    text: "Accepting makes one draft experiment for the revision and edits nothing that runs.",
    body: json(reviewBody),
    returns: "The recommendation, and the draft where one was made.",
    failures: ["not_configured", "not_found", "recommendation_closed", "store_conflict"],
  },
  "POST /traces/outcomes": {
    id: "recordOutcome",
    summary: "An outcome that an operator observed",
    body: json(outcomeBody),
    returns: "The event that was recorded.",
    status: 201,
    failures: ["body_invalid", "store_read_only", "trace_not_found_in_window"],
  },
  "GET /traces/capabilities.json": {
    id: "getCapabilities",
    summary: "What this collector can do",
    query: none,
    returns: "Capabilities, vocabulary and limits.",
  },
  "GET /traces/live": {
    id: "streamEvents",
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
    id: "getRoot",
    summary: "One root: turns, waterfall, supply, verdict",
    query: turnParameters,
    returns: "Turns, waterfall, supply and verdict of the root.",
    failures: ["trace_not_found_in_window", "scope_forbidden", "store_unavailable"],
  },
};
