/**
 * The role × route × scope matrix, generated from the one table (security: Principals; faults W12).
 */
import { rolePermissions, roles, endpoints } from "turnproof";
import type { Role } from "turnproof";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

const token = (name: string): string => `${name}-q7KxZt4Wm9Rc2Yd8`;
const bearer = (name: string): Record<string, string> => ({
  authorization: `Bearer ${token(name)}`,
});

const accounts: Record<string, object> = Object.fromEntries([
  ...roles.map((role) => [role, { token: token(role), role }]),
  ...roles.map((role) => [
    `${role}-alice`,
    { token: token(`${role}-alice`), role, user_id: "alice" },
  ]),
  ["anonymous", { token: token("anonymous"), role: "admin", user_id: null }],
  ["shop", { token: token("shop"), role: "admin", application_id: "shop" }],
]);

let desk: Desk;

beforeAll(async () => {
  desk = await openDesk({ TURNPROOF_UI_ACCOUNTS: JSON.stringify(accounts) });
  await desk.put(turnEvents({ root: "root-alice", user: "alice", agent: "agent-alice" }));
  await desk.put(
    turnEvents({ root: "root-bob", user: "bob", agent: "agent-bob", thread: "thread-bob" }),
  );
  await desk.put(
    turnEvents({ root: "root-null", user: null, agent: "agent-null", application: "shop" }),
  );
  await desk.put(turnEvents({ root: "root-nobody", agent: "agent-nobody" }));
});
afterAll(() => desk.collector.close());

const protectedRoutes = Object.entries(endpoints).filter(
  ([, rule]) => rule.needs !== "open" && rule.needs !== "ingest",
);

/** A request that the route would answer; ids fill its template. */
function requestOf(route: string): Request {
  const [method = "", template = ""] = route.split(" ");
  const path = template
    .replace(":root_trace_id", "root-alice.json")
    .replace(":agent_id", "agent-alice")
    .replace(":thread_id", "thread-1");
  return new Request(`http://localhost:4318${path}`, { method });
}

async function status(route: string, headers: Record<string, string> = {}): Promise<number> {
  const request = requestOf(route);
  for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
  const response = await desk.collector.app.request(request);
  await response.body?.cancel();
  return response.status;
}

describe("every protected route", () => {
  /** What each answers to a wrong credential; it delays after a few, so all are sent at once. */
  const refused = new Map<string, number>();
  beforeAll(async () => {
    const wrong = { authorization: "Basic eDp5" };
    await Promise.all(
      protectedRoutes.map(async ([route]) => refused.set(route, await status(route, wrong))),
    );
  });

  test.each(protectedRoutes)("%s", async (route, rule) => {
    expect([route, await status(route)]).toEqual([route, 401]);
    expect([401, 429]).toContain(refused.get(route));
    for (const role of roles) {
      for (const name of [role, `${role}-alice`]) {
        const allowed = isAllowed(rule.needs, role) && !(rule.unbound && name !== role);
        const got = await status(route, bearer(name));
        expect([route, name, got === 401 || got === 403]).toEqual([route, name, !allowed]);
      }
    }
  });
});

function isAllowed(need: string, role: Role): boolean {
  return need === "signed_in" || (rolePermissions[role] as readonly string[]).includes(need);
}

describe("spellings of a protected path are never admitted", () => {
  test.each([
    "//traces",
    "/traces/",
    "/Traces",
    "/traces/%2e",
    "/traces%2fturns.json",
    "/traces/turns.json/",
    "/traces/turns.JSON",
    "/./traces",
    "/assets/..%2ftraces",
    "/healthz/../traces",
    "/traces;x=1",
    "/traces%00",
    "/traces/turns.json%20",
  ])("%s", async (path) => {
    const response = await desk.collector.app.request(`http://localhost:4318${path}`);
    expect([path, response.status === 200]).toEqual([path, false]);
  });
});

describe("a bound principal sees its tenant everywhere and nobody else anywhere", () => {
  const foreign = [
    "root-bob",
    "root-null",
    "root-nobody",
    "agent-bob",
    "agent-nobody",
    "thread-bob",
  ];
  test.each([
    "/traces/events.json?limit=1000",
    "/traces/events.json?view=bundles",
    "/traces/events.json?store=all",
    "/traces/turns.json",
    "/traces",
    "/traces/find.json?id=root-bob",
    "/traces/find.json?id=bob",
    "/traces/find.json?id=root-alice",
    "/traces/health.json",
    "/traces/analysis.json",
    "/traces/analysis.json?agent_id=agent-bob",
    "/agents.json",
    "/agents/agent-bob.json",
    "/threads.json",
    "/threads/thread-bob.json",
    "/traces/root-bob.json",
    "/traces/root-null.json",
    "/traces/reconcile.json?agent_id=agent-bob&root_trace_id=root-bob",
    "/traces/compare.json?agent_id=agent-bob&baseline_root=root-bob&candidate_root=root-bob",
    "/traces/inspect.json?resource_ref=bob",
    "/traces/replay-plan.json?agent_id=agent-bob&root_trace_id=root-bob",
    "/traces/events.json?root_trace_id=root-bob",
    "/traces/turns.json?thread_id=thread-bob",
  ])("%s", async (path) => {
    const response = await desk.get(path, bearer("admin-alice"));
    const text = await response.text();
    // What was typed may come back; what was not typed may not.
    for (const word of foreign) {
      if (!path.includes(word)) expect([path, text.includes(word)]).toEqual([path, false]);
    }
    const stored = ["root-bob-model", "root-null-model", "root-nobody-model", "root-bob-turn"];
    for (const word of stored) expect([path, text.includes(word)]).toEqual([path, false]);
  });

  test("a foreign root is not there, rather than forbidden", async () => {
    for (const root of ["root-bob", "root-null", "root-nobody", "no-such-root"]) {
      const response = await desk.get(`/traces/${root}.json`, bearer("admin-alice"));
      expect(response.status).toBe(404);
    }
  });

  test("a foreign tenant in a filter is refused, one's own is not", async () => {
    const code = async (path: string, name: string): Promise<string> => {
      const response = await desk.get(path, bearer(name));
      if (response.status === 200) return "ok";
      return ((await response.json()) as { code: string }).code;
    };
    for (const route of ["events", "turns", "health", "analysis"]) {
      const path = `/traces/${route}.json`;
      expect(await code(`${path}?user_id=bob`, "admin-alice")).toBe("scope_forbidden");
      expect(await code(`${path}?scope=anonymous`, "admin-alice")).toBe("scope_forbidden");
      expect(await code(`${path}?user_id=alice`, "admin-alice")).toBe("ok");
      expect(await code(`${path}?user_id=alice`, "anonymous")).toBe("scope_forbidden");
      expect(await code(`${path}?scope=anonymous`, "anonymous")).toBe("ok");
      expect(await code(`${path}?user_id=alice`, "admin")).toBe("ok");
    }
    const foreign = "/traces/events.json?application_id=desk";
    expect(await code(foreign, "shop")).toBe("scope_forbidden");
    expect(await code(foreign.replace("=desk", "=shop"), "shop")).toBe("ok");
  });

  test.each([
    ["admin", ["root-alice", "root-bob", "root-nobody", "root-null"]],
    ["admin-alice", ["root-alice"]],
    ["anonymous", ["root-null"]],
    ["shop", ["root-null"]],
  ])("%s lists exactly its roots", async (name, roots) => {
    const { items } = await desk.json<{ items: { root_trace_id: string }[] }>(
      "/traces/turns.json",
      bearer(name),
    );
    expect(items.map((row) => row.root_trace_id).toSorted()).toEqual(roots);
  });

  test("only an unbound principal sees the collector itself", async () => {
    const own = await desk.json("/traces/health.json", bearer("admin-alice"));
    expect(own["collector"]).toBeNull();
    const all = await desk.json("/traces/health.json", bearer("viewer"));
    expect(all["collector"]).toMatchObject({ ingest: { conservation: { balanced: true } } });
  });
});

describe("cross-site", () => {
  const post = async (headers: Record<string, string>): Promise<number> => {
    const response = await desk.collector.app.request("http://localhost:4318/traces/reconcile", {
      method: "POST",
      headers: { "content-type": "application/json", ...bearer("viewer"), ...headers },
      body: JSON.stringify({ events: [] }),
    });
    return response.status;
  };
  test("a Bearer caller is refused only a foreign origin", async () => {
    expect(await post({})).toBe(200);
    expect(await post({ origin: "http://localhost:4318" })).toBe(200);
    expect(await post({ origin: "http://evil.example" })).toBe(403);
    expect(await post({ origin: "null" })).toBe(403);
    expect(await post({ "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await post({ origin: "http://localhost:4318.evil.example" })).toBe(403);
  });
});

test("a collector without authentication serves loopback only", async () => {
  const open = await openDesk({}, { store: desk.store });
  const app = open.collector.app;
  const from = (remoteAddress: string): Promise<Response> =>
    Promise.resolve(
      app.request("/traces/turns.json", {}, { incoming: { socket: { remoteAddress } } }),
    );
  expect((await from("127.0.0.1")).status).toBe(200);
  expect((await from("::1")).status).toBe(200);
  expect((await from("::ffff:127.0.0.1")).status).toBe(200);
  expect((await from("10.0.0.9")).status).toBe(401);
  await open.collector.close();
});
