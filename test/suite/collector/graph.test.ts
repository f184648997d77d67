/** The graph of agents over HTTP equals a count of the events that were put in, in scope. */
import type { TurnEvent } from "@turnproof/evidence";
import { afterAll, beforeAll, expect, test } from "vitest";

import type { GraphModel } from "../../../collector/src/pages/graph/route.ts";
import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

const accounts = JSON.stringify({
  otto: { token: "otto-q7KxZt4Wm9Rc2Yd8", role: "viewer" },
  alice: { token: "alice-q7KxZt4Wm9Rc2Yd8", role: "viewer", user_id: "alice" },
  olga: { token: "olga-q7KxZt4Wm9Rc2Yd8", role: "viewer", application_id: "desk" },
});
const as = (name: string): Record<string, string> => ({
  authorization: `Bearer ${name}-q7KxZt4Wm9Rc2Yd8`,
});

interface Put {
  readonly agent: string;
  readonly user: string;
  readonly tool: string;
  readonly failed: boolean;
  readonly ms: number;
  readonly atMs: number;
  /** Another agent that the tool calls, as `application/tenant` of its turn. */
  readonly calls?: string;
}

/** A third of the turns call an agent; some of its turns are of another tenant or application. */
const called = ["desk/own", "else/own", "desk/eve"];

const put: readonly Put[] = Array.from({ length: 60 }, (_, n) => ({
  agent: ["desk", "shop", "desk"][n % 3] ?? "",
  user: n % 5 === 0 ? "bob" : "alice",
  tool: n % 4 === 0 ? "refund" : "search",
  failed: n % 6 === 0,
  ms: 10 + ((n * 37) % 101),
  atMs: Date.UTC(2026, 10, 20, 0, n),
  ...(n % 3 === 1 ? { calls: called[((n - 1) / 3) % 3] ?? "" } : {}),
}));

/** The turn of an agent that a tool calls. */
function calledTurn({ user, failed, ms, atMs, calls = "" }: Put, n: number): TurnEvent[] {
  const [application = "", tenant] = calls.split("/");
  const of = { root: `called-${n}`, agent: "scout", application };
  const at = new Date(atMs).toISOString();
  return turnEvents({ ...of, user: tenant === "own" ? user : "eve", at }).map((event) => ({
    ...event,
    root_trace_id: `root-${n}`,
    ...(event.event_kind === "turn"
      ? {
          parent_span_id: `root-${n}-tool`,
          duration_ms: ms,
          status: failed ? ("error" as const) : ("success" as const),
        }
      : {}),
  }));
}

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({ TURNPROOF_UI_ACCOUNTS: accounts }, { judge: false });
  const events = put.flatMap((one, n) => {
    const { agent, user, tool, failed, ms, atMs, calls } = one;
    const own = turnEvents({
      root: `root-${n}`,
      agent,
      user,
      at: new Date(atMs).toISOString(),
    }).map((event) =>
      event.event_kind === "tool_call"
        ? {
            ...event,
            duration_ms: ms,
            status: failed ? ("error" as const) : ("success" as const),
            attributes: { tool_name: tool, tool_outcome: failed ? "error" : "success" },
          }
        : event,
    );
    return calls === undefined ? own : [...own, ...calledTurn(one, n)];
  });
  await desk.put(events);
});
afterAll(() => desk.collector.close());

const graph = (query = "", name = "otto"): Promise<GraphModel> =>
  desk.json<GraphModel>(`/graph.json${query}`, as(name));

function edgesOf(some: readonly Put[], kind: "tool" | "agent" = "tool"): unknown[] {
  const to = ({ tool }: Put): string => (kind === "tool" ? tool : "scout");
  return [...Map.groupBy(some, (one) => `${one.agent} ${to(one)}`)].map(([key, own]) => {
    const [agent_id, name] = key.split(" ");
    const sorted = own.map(({ ms }) => ms).toSorted((a, b) => a - b);
    return {
      agent_id,
      kind,
      name,
      calls: own.length,
      failed: own.filter(({ failed }) => failed).length,
      p95_ms: sorted[Math.ceil(0.95 * sorted.length) - 1],
    };
  });
}

const ofKind = ({ edges }: GraphModel, wanted: string): unknown[] =>
  edges.filter(({ kind }) => kind === wanted);
/** Those that the calling agents put in; the called one uses tools too. */
const toolEdges = ({ edges }: GraphModel): unknown[] =>
  edges.filter(({ kind, agent_id: agent }) => kind === "tool" && agent !== "scout");
/** The calls of an agent by turns of its tenant; a record has nothing of another tenant. */
const agentCalls = put.filter(({ calls }) => calls?.endsWith("/own") === true);

test("each connection has its calls, its failures and its p95", async () => {
  const model = await graph();
  expect(toolEdges(model)).toHaveLength(4);
  expect(toolEdges(model)).toEqual(expect.arrayContaining(edgesOf(put)));
  expect(model).toMatchObject({
    agents: [
      { agent_id: "desk", turns: 40 },
      { agent_id: "scout", turns: 20 },
      { agent_id: "shop", turns: 20 },
    ],
    first_ms: put[0]?.atMs,
    last_ms: put.at(-1)?.atMs,
  });
  const models = model.edges.filter(({ kind }) => kind === "model");
  expect(models.map(({ agent_id: agent, calls }) => [agent, calls])).toEqual([
    ["desk", 40],
    ["scout", 20],
    ["shop", 20],
  ]);
});

test("a thing that agents use has its calls and its p95 over all of its callers", async () => {
  const { used, edges } = await graph("?q=-agent:scout");
  const largest: boolean[] = [];
  for (const name of ["refund", "search"]) {
    const own = put.filter(({ tool }) => tool === name);
    const durations = own.map(({ ms }) => ms).toSorted((a, b) => a - b);
    const p95 = durations[Math.ceil(0.95 * durations.length) - 1];
    expect(used).toContainEqual({
      kind: "tool",
      name,
      calls: own.length,
      failed: own.filter(({ failed }) => failed).length,
      p95_ms: p95,
    });
    const callers = edges.filter((edge) => edge.kind === "tool" && edge.name === name);
    largest.push(Math.max(...callers.map(({ p95_ms: one }) => one ?? 0)) === p95);
  }
  // The largest p95 of its callers is another number.
  expect(largest).toContain(false);
  const names = edges.map(({ kind, name }) => `${kind} ${name}`);
  expect(new Set(used.map(({ kind, name }) => `${kind} ${name}`))).toEqual(new Set(names));
});

test("an agent that is used is counted within the application of a principal", async () => {
  const bound = agentCalls.filter(({ calls }) => calls?.startsWith("desk/"));
  const { used } = await graph("", "olga");
  expect(used.filter(({ kind }) => kind === "agent").map(({ calls }) => calls)).toEqual([
    bound.length,
  ]);
});

test("an agent that calls another has an edge to it, within its tenant and application", async () => {
  expect(agentCalls.length).toBeGreaterThan(10);
  expect(ofKind(await graph(), "agent")).toEqual(edgesOf(agentCalls, "agent"));
  const own = agentCalls.filter(({ user }) => user === "alice");
  expect(ofKind(await graph("", "alice"), "agent")).toEqual(edgesOf(own, "agent"));
  const bound = agentCalls.filter(({ calls }) => calls?.startsWith("desk/"));
  expect(ofKind(await graph("", "olga"), "agent")).toEqual(edgesOf(bound, "agent"));
});

test("an export has calls of agents, those of another application for no principal of one", async () => {
  const exported = async (name: string): Promise<number> => {
    const answer = await desk.get("/traces/export?table=calls&format=jsonl&limit=1000", as(name));
    const rows = (await answer.text()).split("\n").filter((line) => line !== "");
    return rows.filter((line) => line.includes('"call_kind":"agent"')).length;
  };
  expect(await exported("otto")).toBe(agentCalls.length);
  const bound = agentCalls.filter(({ calls }) => calls?.startsWith("desk/"));
  expect(await exported("olga")).toBe(bound.length);
});

test("a called agent is no tool and no model, and its calls lead to the caller's turns", async () => {
  const counted = async (kind: string, name = "otto"): Promise<number> =>
    (await desk.json<{ total: { calls: number } }>(`/tools.json?kind=${kind}`, as(name))).total
      .calls;
  expect(await counted("tool")).toBe(put.length + 20);
  expect(await counted("model")).toBe(put.length + 20);
  const found = async (name: string): Promise<readonly string[]> => {
    const { items } = await desk.json<{ items: { agent_id: string }[] }>(
      `/traces/turns.json?limit=100&q=${encodeURIComponent("call:agent:scout:*")}`,
      as(name),
    );
    return items.map(({ agent_id: agent }) => agent).toSorted();
  };
  expect(await found("otto")).toEqual(agentCalls.map(({ agent }) => agent).toSorted());
  const bound = agentCalls.filter(({ calls }) => calls?.startsWith("desk/"));
  expect(await found("olga")).toEqual(bound.map(({ agent }) => agent).toSorted());
});

test("a range, a filter and a tenant narrow it", async () => {
  const early = await graph("?end_time=2026-11-20T00:30:00Z&agent_id=desk");
  const some = put.filter(({ agent }, n) => n < 30 && agent === "desk");
  expect(toolEdges(early)).toEqual(expect.arrayContaining(edgesOf(some)));
  const own = put.filter(({ user }) => user === "alice");
  expect(toolEdges(await graph("", "alice"))).toEqual(expect.arrayContaining(edgesOf(own)));
  expect((await desk.get("/graph.json?user_id=bob", as("alice"))).status).toBe(403);
  expect(await graph("?agent_id=nobody")).toMatchObject({ agents: [], edges: [], first_ms: null });
});
