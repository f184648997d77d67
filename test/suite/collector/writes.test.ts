/** What operators may write, what hosts answer, and that read-only mode refuses all of it. */
import { setTimeout as sleep } from "node:timers/promises";

import { CodedError } from "@turnproof/semconv";
import type { Hooks } from "turnproof";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { openDesk, quiet, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

const accounts = JSON.stringify({
  otto: { token: "otto-q7KxZt4Wm9Rc2Yd8", role: "operator" },
  alice: { token: "alice-q7KxZt4Wm9Rc2Yd8", role: "operator", user_id: "alice" },
  anna: { token: "anna-q7KxZt4Wm9Rc2Yd8", role: "analyst" },
});
const seen: unknown[] = [];
const hooks: Hooks = {
  resolveAccount: async (email, context) => {
    if (email.startsWith("slow")) await sleep(60_000, undefined, { signal: context.signal });
    if (email.startsWith("broken")) throw new Error("canary-directory-failure");
    return email === "alice@example.test" ? "alice" : null;
  },
  resolveArtifact: async (resource) => ({
    exists: true,
    state: "published",
    user_id: resource.ref.startsWith("alice") ? "alice" : "bob",
    body: "canary-content",
  }),
  agents: {
    list: async () => ["helper"],
    run: async (agent, input, context) => {
      seen.push([agent, input.tenant, input.threadId, context.principal]);
      return agent === "helper" ? { text: "done" } : undefined;
    },
    async *stream(_agent, input) {
      yield { type: "run.started", tenant: input.tenant };
      yield { type: "answer.delta", text: "d" };
      throw new CodedError("store_unavailable");
    },
  },
};

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({ TURNPROOF_UI_ACCOUNTS: accounts }, { hooks });
  await desk.put(turnEvents({ root: "root-alice", user: "alice" }));
  await desk.put(turnEvents({ root: "root-bob", user: "bob" }));
});
afterAll(() => desk.collector.close());

async function post(
  path: string,
  body: object | URLSearchParams,
  name = "otto",
  at = desk,
): Promise<{
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly text: string;
}> {
  const form = body instanceof URLSearchParams;
  const response = await at.collector.app.request(`http://localhost:4318${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${name}-q7KxZt4Wm9Rc2Yd8`,
      "content-type": form ? "application/x-www-form-urlencoded" : "application/json",
    },
    body: form ? body.toString() : JSON.stringify(body),
  });
  const text = await response.text();
  const json = text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : {};
  return { status: response.status, body: json, text };
}

const turn = { agent_id: "helper", root_trace_id: "root-alice", turn_id: "root-alice-turn" };

describe("feedback and outcomes", () => {
  test("take their identity from the stored turn", async () => {
    const comment = "canary-comment with words";
    const sent = { ...turn, rating: -1, label: "wrong_answer", comment };
    expect(await post("/traces/feedback", sent)).toMatchObject({ status: 201 });
    const outcome = { ...turn, outcome: "failure", source: "ticket", metrics: { attempts: 2 } };
    expect(await post("/traces/outcomes", outcome)).toMatchObject({ status: 201 });
    const text = JSON.stringify(
      await desk.json("/traces/root-alice.json", {
        authorization: "Bearer otto-q7KxZt4Wm9Rc2Yd8",
      }),
    );
    expect(text).not.toContain("canary");
    const { events } = JSON.parse(text) as { events: Record<string, unknown>[] };
    expect(events.find((event) => event["event_kind"] === "feedback")).toMatchObject({
      user_id: "alice",
      thread_id: "thread-1",
      attributes: { rating: -1, verified: true, comment_hash: expect.stringMatching(/^sha256:/) },
    });
    expect(events.find((event) => event["event_kind"] === "outcome")).toMatchObject({
      attributes: { outcome: "failure", metric_names: ["attempts"], metric_values: [2] },
    });
  });

  test("a stable external id is one event, a new one another", async () => {
    const first = await post("/traces/feedback", { ...turn, rating: 1, external_id: "case-1" });
    const again = await post("/traces/feedback", { ...turn, rating: -1, external_id: "case-1" });
    const other = await post("/traces/feedback", { ...turn, rating: 1, external_id: "case-2" });
    expect(again.body["event_id"]).toBe(first.body["event_id"]);
    expect(other.body["event_id"]).not.toBe(first.body["event_id"]);
  });

  test.each([
    [
      "a foreign tenant's turn",
      { root_trace_id: "root-bob", turn_id: "root-bob-turn" },
      "alice",
      404,
    ],
    ["an unknown turn", { turn_id: "none" }, "otto", 404],
    ["a field of no form", { user_id: "bob" }, "otto", 422],
    ["a secret for a label", { label: `ghp_${"a1B2".repeat(9)}` }, "otto", 422],
    ["a role that may not", {}, "anna", 403],
  ])("%s is refused", async (_what, fields, name, status) => {
    expect((await post("/traces/feedback", { ...turn, rating: 1, ...fields }, name)).status).toBe(
      status,
    );
  });
});

describe("hooks", () => {
  test("an account is resolved, and nobody else's", async () => {
    const resolve = (email: string, name = "otto"): ReturnType<typeof post> =>
      post("/traces/account/resolve", { email }, name);
    expect((await resolve("alice@example.test")).body).toEqual({ user_id: "alice" });
    expect((await resolve("alice@example.test", "alice")).status).toBe(200);
    expect((await resolve("nobody@example.test")).status).toBe(404);
    expect((await resolve("no-mail")).status).toBe(422);
    expect((await resolve("alice@example.test", "anna")).status).toBe(403);
    const broken = await resolve("broken@example.test");
    expect([broken.status, broken.text.includes("canary")]).toEqual([500, false]);
  });

  test("an artifact is looked up by its tenant, without anything but its state", async () => {
    const get = (ref: string, name: string): Promise<Response> =>
      desk.get(`/traces/artifact.json?resource_ref=${ref}`, {
        authorization: `Bearer ${name}-q7KxZt4Wm9Rc2Yd8`,
      });
    expect(await (await get("alice-1", "alice")).json()).toEqual({
      resource_ref: "alice-1",
      exists: true,
      state: "published",
      version: null,
    });
    expect((await get("bob-1", "alice")).status).toBe(404);
    expect((await get("bob-1", "otto")).status).toBe(200);
  });

  test("an agent runs for the asker's tenant alone", async () => {
    const path = "/agents/helper/run";
    const form = (fields: Record<string, string>): URLSearchParams =>
      new URLSearchParams({ query: "q", ...fields });
    expect((await post(path, form({ thread_id: "t" }), "alice")).body).toEqual({ text: "done" });
    expect((await post(path, form({ user_id: "alice" }), "alice")).status).toBe(200);
    expect((await post(path, form({ user_id: "bob" }), "alice")).status).toBe(403);
    expect((await post(path, form({ user_id: "bob" }), "otto")).status).toBe(200);
    expect((await post(path, form({}), "otto")).status).toBe(200);
    expect((await post("/agents/none/run", form({}), "otto")).status).toBe(404);
    expect((await post(path, form({}), "anna")).status).toBe(403);
    expect(seen).toEqual([
      ["helper", "alice", "t", "alice"],
      ["helper", "alice", undefined, "alice"],
      ["helper", "bob", undefined, "otto"],
      ["helper", null, undefined, "otto"],
      ["none", null, undefined, "otto"],
    ]);
  });

  test("a stream has ids, and ends in a code when it breaks", async () => {
    const body = new URLSearchParams({ query: "q" });
    const { text } = await post("/agents/helper/playground/stream", body, "alice");
    expect(text).toContain(
      'event: run.started\ndata: {"type":"run.started","tenant":"alice"}\nid: 1',
    );
    expect(text).toContain('event: error\ndata: {"code":"store_unavailable"}');
  });

  test("what is not configured says so", async () => {
    const env = {
      TURNPROOF_UI_AUTH_TOKEN: "bare-q7KxZt4Wm9Rc2Yd8",
      TURNPROOF_MEMORY_BACKEND: "none",
    };
    const errors: string[] = [];
    const log = { ...quiet, error: (name: string): void => void errors.push(name) };
    const bare = await openDesk(env, { store: desk.store, log });
    const event = { agent_id: "a", root_trace_id: "r", event_id: "e" };
    const run = new URLSearchParams({ query: "q" });
    for (const [path, body] of [
      ["/traces/account/resolve", { email: "a@example.test" }],
      ["/traces/reveal", event],
      ["/traces/replays", { agent_id: "a", root_trace_id: "r" }],
      ["/agents/a/run", run],
      ["/agents/a/playground/stream", run],
    ] as const) {
      expect([path, (await post(path, body, "bare", bare)).status]).toEqual([path, 501]);
    }
    // A part that is not configured is no failure.
    expect(errors).toEqual([]);
    await bare.collector.close();
  });
});

test("read-only mode refuses every mutation, and lets reads of the same power pass", async () => {
  const env = { TURNPROOF_UI_ACCOUNTS: accounts, TURNPROOF_UI_READ_ONLY: "true" };
  const frozen = await openDesk(env, { hooks, store: desk.store });
  const listed = async (query = ""): Promise<unknown> =>
    (await desk.json(`/traces/turns.json${query}`, bearer("otto")))["items"];
  // The judge of the other collector is done: it changes rows by itself.
  await vi.waitFor(async () => expect(await listed("?verdict=unjudged")).toEqual([]), 60_000);
  const before = JSON.stringify(await listed());
  for (const [path, body] of [
    ["/traces/feedback", { ...turn, rating: 1 }],
    ["/traces/outcomes", { ...turn, outcome: "success" }],
    ["/traces/replays", { agent_id: "helper", root_trace_id: "root-alice" }],
    ["/agents/helper/run", new URLSearchParams({ query: "q" })],
  ] as const) {
    const refused = await post(path, body, "otto", frozen);
    expect([path, refused.status, refused.body["code"]]).toEqual([path, 403, "store_read_only"]);
  }
  const store = frozen.collector.store;
  const batch = { batchId: "b", receivedAt: "2026-11-21T10:00:00.000000Z", events: [] };
  await expect(store.append(batch)).rejects.toMatchObject({ code: "store_read_only" });
  await expect(store.ledger.putTurns([])).rejects.toMatchObject({ code: "store_read_only" });
  const resolved = await post(
    "/traces/account/resolve",
    { email: "alice@example.test" },
    "otto",
    frozen,
  );
  expect(resolved.status).toBe(200);
  const plan = "/traces/replay-plan.json?agent_id=helper&root_trace_id=root-bob";
  expect((await frozen.get(plan, bearer("anna"))).status).toBe(200);
  expect(JSON.stringify(await listed())).toBe(before);
  await frozen.collector.close();
});

function bearer(name: string): Record<string, string> {
  return { authorization: `Bearer ${name}-q7KxZt4Wm9Rc2Yd8` };
}
