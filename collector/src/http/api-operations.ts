/**
 * @module ApiOperations: what each route is for, which schema validates its query and body, and
 * what it answers; the part of the OpenAPI description that people write.
 */
import { none, html, pageFailures } from "./api-operation.ts";
import type { Operation } from "./api-operation.ts";
import { traceOperations } from "./api-trace-operations.ts";
import { runForm } from "../pages/run/route.ts";
import { groupsParameters } from "../pages/agents/route.ts";
import { learningParameters } from "../pages/learning/route.ts";
import { memoryParameters } from "../pages/memory/route.ts";
import { loginForm } from "../pages/login/route.ts";

const otlp = "application/x-protobuf";
const agents: Operation = {
  id: "listAgents",
  summary: "Agents, each over all of its turns",
  query: groupsParameters,
  returns: "One row per agent.",
  failures: pageFailures,
};
const threads: Operation = {
  ...agents,
  id: "listThreads",
  summary: "Threads, each over all of its turns",
  returns: "Rows.",
};
const learning: Operation = {
  id: "getLearning",
  summary: "Recommendations, draft experiments and learning candidates",
  query: learningParameters,
  returns: "What is in the asker's scope.",
  failures: ["not_configured", "scope_forbidden"],
};
const memory: Operation = {
  id: "getMemory",
  summary: "How much memory holds of one tenant, by kind",
  text: "Counts and times alone; no row is shown.",
  query: memoryParameters,
  returns: "Counts by kind; unknown until a tenant is named.",
  failures: ["not_configured", "scope_forbidden"],
};
const settings: Operation = {
  id: "getSettings",
  summary: "Who am I, and what is configured",
  query: none,
  returns: "Principal, modes and warnings.",
};
const run: Operation = {
  id: "runAgent",
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
const receive = (id: string, what: string): Operation => ({
  id,
  summary: `OTLP/HTTP ${what}`,
  text: "Protobuf or JSON; identity, gzip, deflate or zstd. Errors are google.rpc.Status.",
  body: { type: otlp },
  returns: "The export response, with `partial_success` where something was refused.",
  answers: otlp,
});

/** Every route of the table of permissions. */
export const operations: { readonly [route: string]: Operation } = {
  "GET /healthz": {
    id: "getLiveness",
    summary: "The process answers",
    returns: "`{ status: ok }`.",
  },
  "GET /readyz": {
    id: "getReadiness",
    summary: "Whether spans are accepted",
    text: "The journal takes them while the store is away. Ready as well where ingest is off.",
    returns: "`{ ready, accepts_spans }`; 503 while the journal fails or is full.",
    unready: true,
  },
  "GET /readyz/store": {
    id: "getStoreReadiness",
    summary: "Whether the store answers",
    returns: "`{ ok, code }`; 503 with a code while it does not.",
    unready: true,
  },
  "GET /login": { id: "getLogin", summary: "Sign-in page", returns: "The page.", answers: html },
  "POST /login": {
    id: "signIn",
    summary: "Sign in",
    body: { type: "application/x-www-form-urlencoded", schema: loginForm },
    returns: "To the page that was asked for, with a session cookie.",
    status: 303,
    answers: html,
    failures: ["unauthenticated", "throttled", "cross_origin", "body_invalid"],
  },
  "POST /logout": {
    id: "signOut",
    summary: "Sign out",
    returns: "To the sign-in page; the session is dead.",
    status: 303,
    answers: html,
    failures: ["cross_origin"],
  },
  "GET /assets/:file": {
    id: "getAsset",
    summary: "A file of the pages",
    returns: "It.",
    answers: "*/*",
  },
  "GET /favicon.ico": {
    id: "getIcon",
    summary: "The icon",
    returns: "It.",
    answers: "image/svg+xml",
  },
  "POST /v1/traces": receive("exportTraces", "traces"),
  "POST /v1/logs": receive("exportLogs", "logs; only GenAI evaluation events become evidence"),
  "POST /v1/metrics": receive("exportMetrics", "metrics; every point is rejected, honestly"),
  "GET /.well-known/jwks.json": {
    id: "getSigningKeys",
    summary: "Public keys of signed statements",
    returns: "A JSON Web Key Set.",
  },
  "GET /": { id: "getHome", summary: "Home", returns: "To the turns.", status: 302, answers: html },
  "GET /settings": { ...settings, answers: html },
  "GET /settings.json": settings,
  "GET /openapi.json": {
    id: "getApiDescription",
    summary: "This document",
    query: none,
    returns: "OpenAPI 3.1.",
  },
  "GET /patterns": {
    id: "getPatterns",
    summary: "Every element of the pages in every state",
    returns: "The page.",
    answers: html,
  },
  "GET /docs": {
    id: "getDocs",
    summary: "This document as a page",
    returns: "The page.",
    answers: html,
  },
  "GET /metrics": {
    id: "getMetrics",
    summary: "Metrics of this process",
    returns: "Prometheus text.",
    answers: "text/plain",
    failures: ["scope_forbidden"],
  },
  "GET /learning": { ...learning, answers: html },
  "GET /learning.json": learning,
  "GET /memory": { ...memory, answers: html },
  "GET /memory.json": memory,
  "POST /agents/:agent_id/run": {
    ...run,
    returns: "What the agent answered: JSON, or a page when `text/html` is accepted.",
  },
  "POST /agents/:agent_id/playground/stream": {
    ...run,
    id: "streamAgentRun",
    summary: "Run an agent and stream its events",
    returns: "Server-sent events of the run, with ids and heartbeats.",
    answers: "text/event-stream",
  },
  "GET /agents": { ...agents, answers: html },
  "GET /agents.json": agents,
  "GET /agents/:agent_id": {
    ...agents,
    id: "getAgent",
    summary: "One agent over all of its turns, and the newest of them",
    returns: "The agent and its turns.",
  },
  "GET /threads": { ...threads, answers: html },
  "GET /threads.json": threads,
  "GET /threads/:thread_id": {
    ...threads,
    id: "getThread",
    summary: "One thread and its turns",
    returns: "The thread and its turns.",
  },
  ...traceOperations,
};
