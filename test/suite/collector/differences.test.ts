/**
 * Differences over HTTP: what the turns of a filter have more often than the others of the same
 * time, inside the caller's scope, turns without a value counted, and nothing beyond counts.
 */
import type { TurnEvent } from "@turnproof/evidence";
import { afterAll, beforeAll, expect, test } from "vitest";

import type { DifferencesModel } from "../../../collector/src/pages/turns/differences.ts";
import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

const accounts = JSON.stringify({
  otto: { token: "otto-q7KxZt4Wm9Rc2Yd8", role: "viewer" },
  alice: { token: "alice-q7KxZt4Wm9Rc2Yd8", role: "viewer", user_id: "alice" },
});
const as = (name: string): Record<string, string> => ({
  authorization: `Bearer ${name}-q7KxZt4Wm9Rc2Yd8`,
});

let desk: Desk;

/** Forty turns: each fourth of agent "slow", and of those alone some tool call failed. */
function turn(n: number): ReturnType<typeof turnEvents> {
  const at = new Date(Date.UTC(2026, 10, 20, 0, n)).toISOString();
  const user = n < 20 ? "alice" : "bob";
  const agent = n % 4 === 0 ? "slow" : "quick";
  const events = turnEvents({ root: `root-${n}`, at, user, agent, thread: `thr-${n}` });
  if (agent === "quick") return events;
  // Only what failed has its release and its producer.
  return events.map((event) => ({
    ...event,
    ...(event.event_kind === "tool_call" ? { status: "error" as const } : {}),
    producer_id: "worker-7",
    attributes: { ...event.attributes, service_version: "2.0.0" },
  }));
}

beforeAll(async () => {
  desk = await openDesk({ TURNPROOF_UI_ACCOUNTS: accounts });
  const events = Array.from({ length: 40 }, (_, n) => turn(n)).flat();
  await desk.put(events, "2026-11-21T10:00:00.000000Z");
});
afterAll(() => desk.collector.close());

const request = (query: string, name = "otto"): Promise<DifferencesModel> =>
  desk.json<DifferencesModel>(`/traces/differences.json?${query}`, as(name));

test("failed turns are all of one agent, and the counts of both sides say so", async () => {
  const model = await request("q=has%3Aerror");
  // The first of them is turn 0, the last turn 36: turns 37 to 39 are of another time.
  expect(model).toMatchObject({
    these: 10,
    others: 27,
    complete: true,
    first_ms: Date.UTC(2026, 10, 20),
  });
  const agents = model.values.filter(({ key }) => key === "agent");
  expect(agents).toMatchObject([{ key: "agent", value: "slow", these: 10, others: 0 }]);
  // Fisher's test by hand: one of the ways to choose 10 of 37 turns, times the compared values.
  const ways = Array.from({ length: 10 }, (_, at) => (37 - at) / (10 - at)).reduce((a, b) => a * b);
  expect(agents[0]?.p).toBeLessThanOrEqual(model.tested / ways + 1e-15);
  expect(agents[0]?.p).toBeGreaterThanOrEqual(1 / ways);
  expect(agents[0]).toMatchObject({ significant: true, difference: 1 });
  expect(model.values.find(({ key }) => key === "release")).toMatchObject({
    name: "Release",
    value: "2.0.0",
    these: 10,
    others: 0,
  });
  expect(model.values.map(({ value }) => value)).toContain("worker-7");
  expect(model.unrecorded).toContainEqual({
    key: "release",
    name: "Release",
    these: 0,
    others: 27,
  });
  // Five of ten turns against twelve of 27 are no difference, in whatever order they are shown.
  expect(model.values.find(({ key }) => key === "user")).toMatchObject({ significant: false });
  expect(model.unrecorded).toContainEqual({
    key: "finding",
    name: "Finding",
    these: 10,
    others: 27,
  });
});

test("what the turns were selected by is no difference, as a parameter and as a term", async () => {
  const ways = ["verdict=unjudged", "q=verdict:unjudged", "agent_id=slow", "q=agent:slow"];
  const answers = await Promise.all(ways.map((query) => request(query)));
  for (const [at, { values }] of answers.entries()) {
    const own = at < 2 ? "verdict" : "agent";
    expect([ways[at], values.filter(({ key }) => key === own)]).toEqual([ways[at], []]);
  }
  expect(answers[3]).toEqual(answers[2]);
  // What is left out of the selection can still be a difference.
  const without = await request("q=-agent:quick");
  expect(without.values).toContainEqual(expect.objectContaining({ key: "agent", value: "slow" }));
});

test("the others are those from the first to the last of these", async () => {
  const range = "start_time=2026-11-20T00:00:00Z&end_time=2026-11-20T00:08:00Z";
  expect(await request(`agent_id=slow&${range}`)).toMatchObject({ these: 2, others: 3 });
  expect(await request("agent_id=nobody")).toMatchObject({ these: 0, first_ms: null, values: [] });
});

test("what few turns have by chance is shown as chance", async () => {
  // Two turns of one thread each: their thread is no facet, their tenant one of two.
  const few = await request("q=thread:thr-0&start_time=2026-11-20T00:00:00Z");
  expect(few).toMatchObject({ these: 1, others: 0 });
  const model = await request("agent_id=quick&end_time=2026-11-20T00:03:30Z");
  expect(model.values.every(({ significant }) => !significant)).toBe(true);
  for (const { p, low, high, difference } of (await request("q=has%3Aerror")).values) {
    expect([p > 0 && p <= 1, low <= difference, difference <= high]).toEqual([true, true, true]);
  }
});

test("a tenant sees differences of its own turns alone", async () => {
  await request("q=has%3Aerror");
  const own = await request("q=has%3Aerror", "alice");
  expect(own).toMatchObject({ these: 5, others: 12 });
  expect(JSON.stringify(own)).not.toContain("bob");
  const foreign = await desk.get("/traces/differences.json?user_id=bob", as("alice"));
  expect(foreign.status).toBe(403);
});

test("without a filter there is nothing to compare", async () => {
  for (const query of ["", "start_time=2026-11-20T00:00:00Z", "cursor=x", "q=latency:soon"]) {
    const { status } = await desk.get(`/traces/differences.json?${query}`, as("otto"));
    expect(status, query).toBe(400);
  }
});

test("turns without a value are counted behind any number of values; a cut key is named", async () => {
  const many = 1_001;
  const crowded = await openDesk();
  const turnOf = (root: string, agent: string, producer_id?: string): readonly TurnEvent[] =>
    turnEvents({ root, agent })
      .slice(0, 1)
      .map((event) => ({ ...event, ...(producer_id === undefined ? {} : { producer_id }) }));
  const named = Array.from({ length: many }, (_, n) =>
    [1, 2].flatMap((again) => turnOf(`root-${n}-${again}`, "busy", `worker-${n}`)),
  );
  await crowded.put([
    ...named.flat(),
    ...turnOf("unrecorded", "busy"),
    ...turnOf("other", "idle", "worker-1"),
  ]);
  const model = await crowded.json<DifferencesModel>("/traces/differences.json?agent_id=busy");
  expect(model).toMatchObject({ these: 2 * many + 1, others: 1, cut: ["Producer"] });
  expect(model.unrecorded).toContainEqual({
    key: "producer",
    name: "Producer",
    these: 1,
    others: 0,
  });
  const { facets } = await crowded.json<{ facets: { key: string; total: number }[] }>(
    "/traces/facets.json?agent_id=busy",
  );
  expect(facets.find(({ key }) => key === "producer")?.total).toBe(many);
  await crowded.collector.close();
});
