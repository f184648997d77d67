/**
 * @module Role table: every route × every caller and the status it gets, written by hand from
 * collector/README.md (Roles). It shares no line with the collector's own table of permissions.
 */

/** The columns: the caller. `readOnly` is the admin of a collector in read-only mode. */
export const callers = [
  "missing",
  "viewer",
  "analyst",
  "operator",
  "admin",
  "alice",
  "shop",
  "anonymous",
  "producer",
  "expired",
  "revoked",
  "readOnly",
] as const;
/** The caller. */
export type Caller = (typeof callers)[number];

/** A request that its own caller is answered; `O` stands for the owner. */
export interface Requested {
  readonly path: string;
  readonly body?: object;
  readonly form?: string;
  readonly accept?: string;
}

const turn = { agent_id: "agent-O", root_trace_id: "root-O", turn_id: "root-O-turn" };
const noId = "00000000-0000-4000-8000-000000000000";
const sides = "baseline_root=root-O&candidate_root=root-O";

const alertStatuses = "401 200 200 200 200 403 403 403 401 401 401 200";
const alertLists = ["/alerts", "/alerts/rules", "/alerts/silences", "/alerts/targets"];

type Row = readonly [statuses: string, asked: Requested];

/** A list as files, in both forms. */
function files(
  path: string,
  query = "",
  statuses = "401 200 200 200 200 200 200 200 401 401 401 200",
): { readonly [route: string]: Row } {
  return Object.fromEntries(
    ["csv", "jsonl"].map((form) => [
      `GET ${path}.${form}`,
      [statuses, { path: `${path}.${form}${query}` }],
    ]),
  );
}

/**
 * Statuses in the order of {@link callers}. Missing, producer, expired and revoked are always 401
 * where a permission is required; read-only mode refuses what changes something.
 *
 * no | viewer analyst operator admin | alice shop anonymous | producer expired revoked | read-only
 */
export const table: { readonly [route: string]: Row } = {
  "GET /healthz": ["200 200 200 200 200 200 200 200 200 200 200 200", { path: "/healthz" }],
  "GET /readyz": ["200 200 200 200 200 200 200 200 200 200 200 200", { path: "/readyz" }],
  "GET /readyz/store": [
    "200 200 200 200 200 200 200 200 200 200 200 200",
    { path: "/readyz/store" },
  ],
  "GET /login": ["200 200 200 200 200 200 200 200 200 200 200 200", { path: "/login" }],
  "GET /login/provider": [
    "501 501 501 501 501 501 501 501 501 501 501 501",
    { path: "/login/provider" },
  ],
  "GET /login/callback": [
    "501 501 501 501 501 501 501 501 501 501 501 501",
    { path: "/login/callback" },
  ],
  "GET /favicon.ico": ["200 200 200 200 200 200 200 200 200 200 200 200", { path: "/favicon.ico" }],
  "GET /.well-known/jwks.json": [
    "200 200 200 200 200 200 200 200 200 200 200 200",
    { path: "/.well-known/jwks.json" },
  ],
  "GET /": ["401 302 302 302 302 302 302 302 401 401 401 302", { path: "/" }],
  "GET /settings": ["401 200 200 200 200 200 200 200 401 401 401 200", { path: "/settings" }],
  "GET /settings.json": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/settings.json" },
  ],
  "POST /mcp": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    {
      path: "/mcp",
      accept: "application/json, text/event-stream",
      body: {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "find_by_id", arguments: { id: "letter-O" } },
      },
    },
  ],
  "GET /openapi.json": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/openapi.json" },
  ],
  "GET /docs": ["401 200 200 200 200 200 200 200 401 401 401 200", { path: "/docs" }],
  "GET /patterns": ["401 200 200 200 200 200 200 200 401 401 401 200", { path: "/patterns" }],
  "GET /metrics": ["401 200 200 200 200 403 403 403 401 401 401 200", { path: "/metrics" }],
  "GET /traces/export": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/export?root_trace_id=root-O&format=jsonl" },
  ],
  "GET /traces": ["401 200 200 200 200 200 200 200 401 401 401 200", { path: "/traces" }],
  "GET /traces/turns.json": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/turns.json" },
  ],
  "GET /traces/windows.json": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/windows.json" },
  ],
  ...files("/tools"),
  ...files("/cost"),
  ...files("/traces/incidents"),
  ...files("/graph"),
  ...files("/agents"),
  ...files("/threads"),
  ...files("/learning"),
  ...files("/learning/experiments"),
  ...files("/learning/candidates"),
  ...files("/settings"),
  "GET /memory.csv": ["401 200 200 200 200 200 403 200 401 401 401 200", { path: "/memory.csv" }],
  "GET /memory.jsonl": [
    "401 200 200 200 200 200 403 200 401 401 401 200",
    { path: "/memory.jsonl" },
  ],
  ...files("/traces/turns"),
  ...files("/traces/spans"),
  "GET /traces/overview.json": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/overview.json" },
  ],
  "GET /traces/facets.json": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/facets.json" },
  ],
  "GET /traces/differences.json": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/differences.json?status=error" },
  ],
  "GET /traces/trend.json": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/trend.json" },
  ],
  "GET /cost": ["401 200 200 200 200 200 200 200 401 401 401 200", { path: "/cost" }],
  "GET /cost.json": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/cost.json?by=turn" },
  ],
  "GET /tools": ["401 200 200 200 200 200 200 200 401 401 401 200", { path: "/tools" }],
  "GET /tools.json": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/tools.json?by=agent" },
  ],
  "GET /alerts": [alertStatuses, { path: "/alerts" }],
  "GET /alerts.json": [alertStatuses, { path: "/alerts.json" }],
  ...Object.assign({}, ...alertLists.map((list) => files(list, "", alertStatuses))),
  "POST /alerts/silence": [
    "401 403 403 404 404 403 403 403 401 401 401 403",
    { path: "/alerts/silence", body: { rule: "none", hours: 1 } },
  ],
  "POST /alerts/resolve": [
    "401 403 403 404 404 403 403 403 401 401 401 403",
    { path: "/alerts/resolve", body: { id: `alert_${"0".repeat(32)}` } },
  ],
  "GET /traces/events.json": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/events.json?limit=1000&store=all" },
  ],
  "GET /traces/health": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/health" },
  ],
  "GET /traces/health.json": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/health.json" },
  ],
  ...files("/traces/health"),
  "GET /traces/compare": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: `/traces/compare?agent_id=agent-O&${sides}` },
  ],
  "GET /traces/compare.json": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: `/traces/compare.json?agent_id=agent-O&${sides}` },
  ],
  "GET /traces/compare/releases": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/compare/releases?a=agent:agent-O&b=agent:agent-A" },
  ],
  "GET /traces/compare/releases.json": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/compare/releases.json?a=agent:agent-O&b=agent:agent-A" },
  ],
  ...files("/traces/compare/releases", "?a=agent:agent-O&b=agent:agent-A"),
  "GET /traces/compare/gate": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/compare/gate?baseline=agent:agent-O&candidate=agent:agent-A" },
  ],
  "GET /traces/compare/gate.json": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/compare/gate.json?baseline=agent:agent-O&candidate=agent:agent-A" },
  ],
  ...files("/traces/compare/gate", "?baseline=agent:agent-O&candidate=agent:agent-A"),
  "GET /traces/incidents": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/incidents" },
  ],
  "GET /traces/incidents.json": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/incidents.json" },
  ],
  "GET /graph": ["401 200 200 200 200 200 200 200 401 401 401 200", { path: "/graph" }],
  "GET /graph.json": ["401 200 200 200 200 200 200 200 401 401 401 200", { path: "/graph.json" }],
  "GET /sample": ["401 200 200 200 200 200 200 200 401 401 401 200", { path: "/sample" }],
  "GET /sample.json": ["401 200 200 200 200 200 200 200 401 401 401 200", { path: "/sample.json" }],
  "GET /traces/analysis.json": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/analysis.json" },
  ],
  "GET /traces/inspect.json": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/inspect.json?resource_ref=letter-O" },
  ],
  "GET /traces/replay-plan.json": [
    "401 403 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/replay-plan.json?agent_id=agent-O&root_trace_id=root-O" },
  ],
  "GET /traces/reconcile": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/reconcile?agent_id=agent-O&root_trace_id=root-O" },
  ],
  "GET /traces/reconcile.json": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/reconcile.json?agent_id=agent-O&root_trace_id=root-O" },
  ],
  "GET /traces/reconcile.jws": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/reconcile.jws?agent_id=agent-O&root_trace_id=root-O" },
  ],
  "GET /traces/evidence.jsonl": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/evidence.jsonl?agent_id=agent-O&root_trace_id=root-O" },
  ],
  "POST /traces/reconcile": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/reconcile", body: { events: [] } },
  ],
  "GET /traces/find": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/find?id=letter-O" },
  ],
  "GET /traces/find.json": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/find.json?id=letter-O" },
  ],
  ...files("/traces/find", "?id=letter-O"),
  ...files("/traces/find/named", "?id=letter-O"),
  "GET /traces/capabilities.json": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/capabilities.json" },
  ],
  "GET /traces/artifact.json": [
    "401 403 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/artifact.json?resource_ref=letter-O" },
  ],
  "POST /traces/account/resolve": [
    "401 403 403 200 200 200 200 404 401 401 401 200",
    { path: "/traces/account/resolve", body: { email: "alice@example.test" } },
  ],
  // Rows of memory name no application, so one that is bound to an application sees no words.
  "POST /traces/reveal": [
    "401 403 403 403 200 200 403 200 401 401 401 200",
    {
      path: "/traces/reveal",
      body: { ...turn, turn_id: undefined, event_id: "root-O-turn-span:result" },
    },
  ],
  "POST /traces/replays": [
    "401 403 2xx 2xx 2xx 2xx 2xx 2xx 401 401 401 403",
    { path: "/traces/replays", body: turn },
  ],
  "POST /traces/feedback": [
    "401 403 403 201 201 201 201 201 401 401 401 403",
    { path: "/traces/feedback", body: { ...turn, rating: 1 } },
  ],
  "POST /traces/outcomes": [
    "401 403 403 201 201 201 201 201 401 401 401 403",
    { path: "/traces/outcomes", body: { ...turn, outcome: "success" } },
  ],
  "POST /traces/notes": [
    "401 403 403 201 201 201 201 201 401 401 401 403",
    { path: "/traces/notes", body: { ...turn, text: "Asked the supplier." } },
  ],
  "POST /traces/notes/change": [
    "401 403 403 404 404 404 404 404 401 401 401 403",
    { path: "/traces/notes/change", body: { ...turn, id: noId, version: 1, text: "Solved." } },
  ],
  "POST /traces/notes/delete": [
    "401 403 403 404 404 404 404 404 401 401 401 403",
    { path: "/traces/notes/delete", body: { ...turn, id: noId } },
  ],
  "GET /traces/views.json": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/views.json" },
  ],
  // Those without a tenant share one list, in which a name is taken once.
  "POST /traces/views": [
    "401 403 201 409 409 201 201 201 401 401 401 403",
    { path: "/traces/views", body: { name: "Errors", query: "?status=error" } },
  ],
  "POST /traces/views/rename": [
    "401 403 404 404 404 404 404 404 401 401 401 403",
    { path: "/traces/views/rename", body: { id: noId, name: "Failures" } },
  ],
  "POST /traces/views/delete": [
    "401 403 404 404 404 404 404 404 401 401 401 403",
    { path: "/traces/views/delete", body: { id: noId } },
  ],
  "GET /learning": ["401 200 200 200 200 200 200 200 401 401 401 200", { path: "/learning" }],
  "GET /learning.json": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/learning.json" },
  ],
  "POST /traces/recommendations": [
    "401 403 403 201 201 201 201 201 401 401 401 403",
    { path: "/traces/recommendations", body: { agent_id: "agent-O", root_trace_id: "root-O" } },
  ],
  "POST /traces/recommendations/:recommendation_id/review": [
    "401 403 403 404 404 404 404 404 401 401 401 403",
    { path: "/traces/recommendations/rec-of-nobody/review", body: { decision: "deferred" } },
  ],
  "GET /memory": ["401 200 200 200 200 200 403 200 401 401 401 200", { path: "/memory" }],
  "GET /memory.json": ["401 200 200 200 200 200 403 200 401 401 401 200", { path: "/memory.json" }],
  "POST /agents/:agent_id/run": [
    "401 403 403 200 200 200 200 200 401 401 401 403",
    { path: "/agents/mounted/run", form: "query=hello" },
  ],
  "POST /agents/:agent_id/playground/stream": [
    "401 403 403 200 200 200 200 200 401 401 401 403",
    { path: "/agents/mounted/playground/stream", form: "query=hello" },
  ],
  "GET /traces/live": ["401 200 200 200 200 200 200 200 401 401 401 200", { path: "/traces/live" }],
  "GET /traces/:root_trace_id": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/root-O.json" },
  ],
  "GET /agents": ["401 200 200 200 200 200 200 200 401 401 401 200", { path: "/agents" }],
  "GET /agents.json": ["401 200 200 200 200 200 200 200 401 401 401 200", { path: "/agents.json" }],
  "GET /agents/:agent_id": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/agents/agent-O.json" },
  ],
  "GET /threads": ["401 200 200 200 200 200 200 200 401 401 401 200", { path: "/threads" }],
  "GET /threads.json": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/threads.json" },
  ],
  "GET /threads/:thread_id": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/threads/thread-O.json" },
  ],
  // A producer's token opens telemetry and nothing else, and no other token opens telemetry.
  "POST /v1/traces": [
    "401 401 401 401 401 401 401 401 200 401 401 401",
    { path: "/v1/traces", body: {} },
  ],
  "POST /v1/logs": [
    "401 401 401 401 401 401 401 401 200 401 401 401",
    { path: "/v1/logs", body: {} },
  ],
  "POST /v1/metrics": [
    "401 401 401 401 401 401 401 401 200 401 401 401",
    { path: "/v1/metrics", body: {} },
  ],
  // Signing out has a session to end or none; both are fine for a known caller.
  "POST /logout": [
    "401 303 303 303 303 303 303 303 401 401 401 303",
    { path: "/logout", form: "" },
  ],
};

/** Routes that take no credential of a person, or whose files are served to all. */
export const elsewhere: ReadonlySet<string> = new Set([
  "POST /login",
  "GET /assets/:file",
  "ALL /v1/traces",
  "ALL /v1/logs",
  "ALL /v1/metrics",
]);
