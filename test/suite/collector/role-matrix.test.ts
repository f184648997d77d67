/**
 * Every route × every asker, against a table that was written by hand from design.md 6.2 and 6.3
 * and shares no line with the collector's own: the exact status, and no row of anybody else.
 */
import { ephemeral, ephemeralMemory } from "@turnproof/store";
import type { EvidenceStore, MemoryStore } from "@turnproof/store";
import type { TurnEvent } from "@turnproof/evidence";
import { routeRules } from "turnproof";
import type { AgentPort, Collector, Hooks } from "turnproof";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";

const token = (name: string): string => `${name}-token-0123456789`;
const accounts = {
  viewer: { role: "viewer" },
  analyst: { role: "analyst" },
  operator: { role: "operator" },
  admin: { role: "admin" },
  alice: { role: "admin", user_id: "alice" },
  shop: { role: "admin", application_id: "shop" },
  nobody: { role: "admin", user_id: null },
} as const;
const ingestToken = "producer-token-0123456789";
const env = {
  TURNPROOF_UI_ACCOUNTS: JSON.stringify(
    Object.fromEntries(
      Object.entries(accounts).map(([name, row]) => [name, { token: token(name), ...row }]),
    ),
  ),
  TURNPROOF_UI_TRACE_CONTENT_MODE: "full",
  TURNPROOF_INGEST_TOKENS: `producer:${ingestToken}`,
};

/** The columns: who asks. `readOnly` is the admin of a collector in read-only mode. */
const askers = [
  "missing",
  "viewer",
  "analyst",
  "operator",
  "admin",
  "alice",
  "shop",
  "nobody",
  "producer",
  "expired",
  "revoked",
  "readOnly",
] as const;
type Asker = (typeof askers)[number];

/** Whose evidence there is: its marker stands in fields that no request names. */
const owners = {
  alice: { user: "alice", application: "desk" },
  bob: { user: "bob", application: "desk" },
  dora: { user: "dora", application: "shop" },
  null: { user: null, application: "desk" },
  unsaid: { user: undefined, application: "desk" },
} as const;
type Owner = keyof typeof owners;
const marker = (owner: Owner): string => `mk-${owner}-mk`;

/** The evidence of its own that each asker's request is about. */
const target: { readonly [A in Asker]?: Owner } = { shop: "dora", nobody: "null" };
const targetOf = (asker: Asker): Owner => target[asker] ?? "alice";

function evidenceOf(owner: Owner, root = `root-${owner}`): TurnEvent[] {
  const { user, application } = owners[owner];
  return turnEvents({
    root,
    agent: `agent-${owner}`,
    thread: `thread-${owner}`,
    application,
    ...(user === undefined ? {} : { user }),
  }).map((event) => ({
    ...event,
    task_id: marker(owner),
    run_id: `${marker(owner)}-run`,
    ...(event.event_kind === "tool_call"
      ? {
          status: "error" as const,
          attributes: { tool_name: marker(owner), tool_outcome: "error" as const },
        }
      : {}),
    output_refs: [{ resource_type: "letter", ref: `letter-${owner}`, version: "1" }],
  }));
}

const agents: AgentPort = {
  list: async () => ["mounted"],
  run: async (id) => (id === "mounted" ? { text: "done" } : undefined),
  async *stream() {
    yield { type: "run.done" };
  },
};
const hooks: Hooks = {
  agents,
  resolveAccount: async (email) => email.split("@")[0] ?? null,
  resolveArtifact: async ({ ref }) => {
    const owner = Object.keys(owners).find((name) => ref === `letter-${name}`) as Owner | undefined;
    const user = owner === undefined ? undefined : owners[owner].user;
    return owner === undefined
      ? null
      : { exists: true, ...(user === undefined ? {} : { user_id: user }) };
  },
};

/** A request that its own asker is answered; `O` stands for the owner. */
interface Asked {
  readonly path: string;
  readonly body?: object;
  readonly form?: string;
}

const turn = { agent_id: "agent-O", root_trace_id: "root-O", turn_id: "root-O-turn" };
const sides = "baseline_root=root-O&candidate_root=root-O";

/**
 * Statuses in the order of {@link askers}. Missing, producer, expired and revoked are always 401
 * where anything is asked for; read-only mode refuses what changes something.
 *
 * no | viewer analyst operator admin | alice shop nobody | producer expired revoked | read-only
 */
const table: { readonly [route: string]: readonly [statuses: string, asked: Asked] } = {
  "GET /healthz": ["200 200 200 200 200 200 200 200 200 200 200 200", { path: "/healthz" }],
  "GET /readyz": ["200 200 200 200 200 200 200 200 200 200 200 200", { path: "/readyz" }],
  "GET /login": ["200 200 200 200 200 200 200 200 200 200 200 200", { path: "/login" }],
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
  "GET /openapi.json": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/openapi.json" },
  ],
  "GET /docs": ["401 200 200 200 200 200 200 200 401 401 401 200", { path: "/docs" }],
  "GET /patterns": ["401 200 200 200 200 200 200 200 401 401 401 200", { path: "/patterns" }],
  "GET /metrics": ["401 200 200 200 200 403 403 403 401 401 401 200", { path: "/metrics" }],
  "GET /traces": ["401 200 200 200 200 200 200 200 401 401 401 200", { path: "/traces" }],
  "GET /traces/turns.json": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/turns.json" },
  ],
  "GET /traces/overview.json": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: "/traces/overview.json" },
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
  "GET /traces/compare": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: `/traces/compare?agent_id=agent-O&${sides}` },
  ],
  "GET /traces/compare.json": [
    "401 200 200 200 200 200 200 200 401 401 401 200",
    { path: `/traces/compare.json?agent_id=agent-O&${sides}` },
  ],
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
  // A producer's token opens the door of telemetry and no other, and nobody else's opens that one.
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
  // Signing out has a session to end or none; both are fine for whoever is known.
  "POST /logout": [
    "401 303 303 303 303 303 303 303 401 401 401 303",
    { path: "/logout", form: "" },
  ],
};

/** Routes that take no credential of a person, or whose files are served to everybody. */
const elsewhere = new Set([
  "POST /login",
  "GET /assets/:file",
  "ALL /v1/traces",
  "ALL /v1/logs",
  "ALL /v1/metrics",
]);

let now = Date.parse("2026-11-21T12:00:00Z");
let store: EvidenceStore;
let memory: MemoryStore;
let open: Collector;
let readOnly: Collector;
let cookies: { readonly expired: string; readonly revoked: string };

beforeAll(async () => {
  store = ephemeral();
  memory = ephemeralMemory();
  const options = { store, memory, hooks, judge: false, now: () => now } as const;
  open = (await openDesk(env, options)).collector;
  const desk = await openDesk({ ...env, TURNPROOF_UI_READ_ONLY: "true" }, options);
  readOnly = desk.collector;
  for (const owner of Object.keys(owners) as Owner[]) await desk.put(evidenceOf(owner));
  // One root in which two tenants and two applications have turns.
  for (const owner of ["alice", "bob", "dora", "null"] as const) {
    const shared = evidenceOf(owner, "root-shared").map((event) => ({
      ...event,
      agent_id: "agent-shared",
      turn_id: `turn-${owner}`,
      event_id: `${owner}-${event.event_id}`,
      span_id: `${owner}-${event.span_id ?? ""}`,
    }));
    await desk.put(shared);
  }
  for (const owner of ["alice", "bob", "null"] as const) {
    const agentId = `agent-${owner}`;
    const threadId = `thread-${owner}`;
    await memory.put({ tenant: owners[owner].user, agentId, threadId }, "conversation", {
      id: `msg-${owner}`,
      agent_id: agentId,
      thread_id: threadId,
      text: `words of ${marker(owner)}`,
      created_at: "2026-11-21T09:59:01.000Z",
      data: { role: "user", turn_id: `root-${owner}-turn` },
    });
  }
  cookies = { expired: await signIn(), revoked: await signIn() };
  const ended = await request(open, "/logout", {
    method: "POST",
    headers: { cookie: cookies.revoked, ...(await csrf(cookies.revoked)) },
  });
  expect(ended.status).toBe(303);
  now += 31 * 60_000;
});
afterAll(async () => {
  await open.close();
  await readOnly.close();
});

/** Every request is of another address and minute: nobody waits for somebody else's mistakes. */
let address = 0;
async function request(
  collector: Collector,
  path: string,
  init: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Response> {
  now += path.startsWith("/v1/") ? 61_000 : 2_000;
  address += 1;
  const remoteAddress = `10.${(address >> 16) & 255}.${(address >> 8) & 255}.${address & 255}`;
  const url = `http://localhost:4318${path}`;
  // The receiver reads Node's own request where there is one.
  if (path.startsWith("/v1/")) return collector.app.request(url, init);
  return collector.app.request(url, init, { incoming: { socket: { remoteAddress } } });
}

async function signIn(): Promise<string> {
  const response = await request(open, "/login", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: `token=${token("admin")}`,
  });
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}

async function csrf(cookie: string): Promise<Record<string, string>> {
  const page = await (await request(open, "/settings", { headers: { cookie } })).text();
  const value = /name="csrf_token" value="([^"]+)"/.exec(page)?.[1] ?? "";
  return {
    "x-csrf-token": value,
    origin: "http://localhost:4318",
    "sec-fetch-site": "same-origin",
  };
}

function credential(asker: Asker): Record<string, string> {
  if (asker === "missing") return {};
  if (asker === "producer") return { authorization: `Bearer ${ingestToken}` };
  if (asker === "expired" || asker === "revoked") return { cookie: cookies[asker] };
  return { authorization: `Bearer ${token(asker === "readOnly" ? "admin" : asker)}` };
}

async function ask(route: string, asked: Asked, asker: Asker, owner: Owner): Promise<Response> {
  const [method = "GET"] = route.split(" ");
  const fill = (text: string): string =>
    text.replaceAll(/(root|agent|thread|letter)-O/g, `$1-${owner}`);
  const body =
    asked.form ?? (asked.body === undefined ? undefined : fill(JSON.stringify(asked.body)));
  const type = asked.form === undefined ? "application/json" : "application/x-www-form-urlencoded";
  return request(asker === "readOnly" ? readOnly : open, fill(asked.path), {
    method,
    headers: { ...credential(asker), ...(body === undefined ? {} : { "content-type": type }) },
    ...(body === undefined ? {} : { body }),
  });
}

test("the table by hand and the collector know the same routes", () => {
  const known = Object.keys(routeRules).filter((route) => !elsewhere.has(route));
  expect(Object.keys(table).toSorted()).toEqual(known.toSorted());
});

const rows = Object.entries(table);

describe("status of", () => {
  test.each(rows)("%s", async (route, [statuses, asked]) => {
    const expected = statuses.split(" ");
    expect(expected).toHaveLength(askers.length);
    const got: string[] = [];
    for (const [index, asker] of askers.entries()) {
      const response = await ask(route, asked, asker, targetOf(asker));
      const status = String(response.status);
      got.push(expected[index] === "2xx" ? status.replace(/^2\d\d$/, "2xx") : status);
      const type = response.headers.get("content-type") ?? "";
      if (response.status >= 400 && !route.includes("/v1/")) {
        expect([route, asker, type]).toEqual([
          route,
          asker,
          "application/problem+json; charset=UTF-8",
        ]);
      }
      if (response.status === 401) {
        expect([route, response.headers.get("www-authenticate")]).toEqual([route, "Bearer"]);
      }
      await response.body?.cancel();
    }
    expect([route, got.join(" ")]).toEqual([route, statuses]);
  });
});

/** Whose markers each scoped asker may ever see. */
const visible: { readonly [A in Asker]?: readonly Owner[] } = {
  alice: ["alice"],
  shop: ["dora"],
  nobody: ["null"],
};

/** What an event stream said before it was let go; any other answer whole. */
async function said(response: Response): Promise<string> {
  if (!response.headers.get("content-type")?.includes("event-stream")) return response.text();
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return value;
}

describe.each(["alice", "shop", "nobody"] as const)("%s never sees a foreign row", (asker) => {
  const foreign = (Object.keys(owners) as Owner[]).filter(
    (owner) => !(visible[asker] ?? []).includes(owner),
  );
  const reads = rows.filter(([route]) => route !== "POST /logout" && !route.includes("/v1/"));
  test.each(reads)("%s", async (route, [, asked]) => {
    for (const owner of Object.keys(owners) as Owner[]) {
      const text = await said(await ask(route, asked, asker, owner));
      for (const other of foreign) {
        expect([route, owner, other, text.includes(marker(other))]).toEqual([
          route,
          owner,
          other,
          false,
        ]);
      }
    }
  });

  test("what it sees is there", async () => {
    const [own = "alice"] = visible[asker] ?? [];
    for (const path of ["/traces/turns.json", "/traces/events.json", `/traces/root-${own}.json`]) {
      const response = await request(open, path, { headers: credential(asker) });
      expect([path, (await response.text()).includes(marker(own))]).toEqual([path, true]);
    }
  });

  test("of a root of several tenants it is shown, told and given its own turn", async () => {
    const query = "agent_id=agent-shared&root_trace_id=root-shared";
    const [own = "alice"] = visible[asker] ?? [];
    for (const path of [
      "/traces/root-shared.json",
      `/traces/reconcile.json?${query}`,
      `/traces/compare.json?agent_id=agent-shared&baseline_root=root-shared&candidate_root=root-shared`,
      `/traces/replay-plan.json?${query}`,
      "/traces/analysis.json?root_trace_id=root-shared",
    ]) {
      const response = await request(open, path, { headers: credential(asker) });
      const text = await response.text();
      expect([path, response.status]).toEqual([path, 200]);
      for (const other of foreign) expect(text).not.toContain(`turn-${other}`);
    }
    const signed = await request(open, `/traces/reconcile.jws?${query}`, {
      headers: credential(asker),
    });
    const payload = (await signed.text()).split(".")[1] ?? "";
    const statement = JSON.parse(Buffer.from(payload, "base64url").toString()) as object;
    const user = owners[own].user;
    expect(statement).toMatchObject({ event_count: 3, identity: { user_id: user } });
    const events = await request(open, "/traces/events.json?root_trace_id=root-shared", {
      headers: credential(asker),
    });
    const { items } = (await events.json()) as { items: { turn_id: string }[] };
    expect(new Set(items.map((item) => item.turn_id))).toEqual(new Set([`turn-${own}`]));
  });

  test("the live tail tells it its own news alone", async () => {
    const [own = "alice"] = visible[asker] ?? [];
    const response = await request(open, "/traces/live", { headers: credential(asker) });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const received = new Date(now + 1_000).toISOString().replace("Z", "000Z");
    for (const owner of [...foreign, own]) {
      await store.append({
        batchId: `live-${asker}-${owner}`,
        receivedAt: received,
        events: evidenceOf(owner, `live-${asker}-${owner}`),
      });
    }
    // Its own batch came last: when it is told, every other one was readable.
    while (!text.includes(`live-${asker}-${own}-tool`)) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) break;
      text += value ?? "";
    }
    await reader?.cancel();
    expect(text).toContain(marker(own));
    for (const other of foreign) expect(text).not.toContain(marker(other));
  });
});
