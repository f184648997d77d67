/** The graph of agents over HTTP equals a count of the events that were put in, in scope. */
import { afterAll, beforeAll, expect, test } from "vitest";

import type { GraphModel } from "../../../collector/src/pages/graph/route.ts";
import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

const accounts = JSON.stringify({
  otto: { token: "otto-token-0123456789", role: "viewer" },
  alice: { token: "alice-token-0123456789", role: "viewer", user_id: "alice" },
});
const as = (name: string): Record<string, string> => ({
  authorization: `Bearer ${name}-token-0123456789`,
});

interface Put {
  readonly agent: string;
  readonly user: string;
  readonly tool: string;
  readonly failed: boolean;
  readonly ms: number;
  readonly atMs: number;
}

const put: readonly Put[] = Array.from({ length: 60 }, (_, n) => ({
  agent: ["desk", "shop", "desk"][n % 3] ?? "",
  user: n % 5 === 0 ? "bob" : "alice",
  tool: n % 4 === 0 ? "refund" : "search",
  failed: n % 6 === 0,
  ms: 10 + ((n * 37) % 101),
  atMs: Date.UTC(2026, 10, 20, 0, n),
}));

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({ TURNPROOF_UI_ACCOUNTS: accounts }, { judge: false });
  const events = put.flatMap(({ agent, user, tool, failed, ms, atMs }, n) =>
    turnEvents({ root: `root-${n}`, agent, user, at: new Date(atMs).toISOString() }).map((event) =>
      event.event_kind === "tool_call"
        ? {
            ...event,
            duration_ms: ms,
            status: failed ? ("error" as const) : ("success" as const),
            attributes: { tool_name: tool, tool_outcome: failed ? "error" : "success" },
          }
        : event,
    ),
  );
  await desk.put(events);
});
afterAll(() => desk.collector.close());

const graph = (query = "", name = "otto"): Promise<GraphModel> =>
  desk.json<GraphModel>(`/graph.json${query}`, as(name));

function edgesOf(some: readonly Put[]): unknown[] {
  return [...Map.groupBy(some, ({ agent, tool }) => `${agent} ${tool}`)].map(([key, own]) => {
    const [agent_id, name] = key.split(" ");
    const sorted = own.map(({ ms }) => ms).toSorted((a, b) => a - b);
    return {
      agent_id,
      kind: "tool",
      name,
      calls: own.length,
      failed: own.filter(({ failed }) => failed).length,
      p95_ms: sorted[Math.ceil(0.95 * sorted.length) - 1],
    };
  });
}

const toolEdges = ({ edges }: GraphModel): unknown[] => edges.filter(({ kind }) => kind === "tool");

test("each connection has its calls, its failures and its p95", async () => {
  const model = await graph();
  expect(toolEdges(model)).toHaveLength(4);
  expect(toolEdges(model)).toEqual(expect.arrayContaining(edgesOf(put)));
  expect(model).toMatchObject({
    agents: [
      { agent_id: "desk", turns: 40 },
      { agent_id: "shop", turns: 20 },
    ],
    first_ms: put[0]?.atMs,
    last_ms: put.at(-1)?.atMs,
  });
  const models = model.edges.filter(({ kind }) => kind === "model");
  expect(models.map(({ agent_id: agent, calls }) => [agent, calls])).toEqual([
    ["desk", 40],
    ["shop", 20],
  ]);
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
