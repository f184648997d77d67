/** A real agent behind the collector's port: whose memory it sees, and what it leaves behind. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@turnproof/agent";
import { storeSink } from "@turnproof/exporter";
import { ephemeral, ephemeralMemory } from "@turnproof/store";
import { mountAgents } from "turnproof";
import { afterAll, beforeAll, expect, test } from "vitest";

import { startScriptedModel } from "../../servers/openai-compatible.ts";
import type { ScriptedModel } from "../../servers/openai-compatible.ts";
import { openDesk } from "./desk.ts";
import type { Desk } from "./desk.ts";

const accounts = JSON.stringify({
  otto: { token: "otto-q7KxZt4Wm9Rc2Yd8", role: "operator" },
  alice: { token: "alice-q7KxZt4Wm9Rc2Yd8", role: "operator", user_id: "alice" },
  nobody: { token: "nobody-q7KxZt4Wm9Rc2Yd8", role: "operator", user_id: null },
});

let desk: Desk;
let server: ScriptedModel;
beforeAll(async () => {
  server = await startScriptedModel({ wordDelayMs: 5 });
  const store = ephemeral();
  const memory = ephemeralMemory();
  const model = createOpenAICompatible({ name: "desk", baseURL: server.baseURL })("desk-1");
  const sink = storeSink({ store, applicationId: "desk" });
  const agent = new Agent({ model, store: memory, agentId: "desk", sink, strict: true });
  const hooks = { agents: mountAgents({ desk: agent }) };
  desk = await openDesk({ TURNPROOF_UI_ACCOUNTS: accounts }, { store, memory, hooks });
});
afterAll(async () => {
  await desk.collector.close();
  await server[Symbol.asyncDispose]();
});

const bearer = (name: string): Record<string, string> => ({
  authorization: `Bearer ${name}-q7KxZt4Wm9Rc2Yd8`,
});

function post(
  name: string,
  path: string,
  fields: Record<string, string>,
  accept = "*/*",
): Promise<Response> {
  return Promise.resolve(
    desk.collector.app.request(`http://localhost:4318/agents/${path}`, {
      method: "POST",
      headers: { ...bearer(name), accept, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(fields).toString(),
    }),
  );
}

interface Answer {
  readonly text: string;
  readonly user_id: string | null;
  readonly thread_id: string;
  readonly trace_context: { readonly root_trace_id: string };
}

const counts = async (name: string): Promise<unknown> =>
  (await desk.json("/memory.json", bearer(name)))["total"];

test("a run is the asker's own, in memory and in evidence", async () => {
  const answered = await post("alice", "desk/run", { query: "Hello there", thread_id: "t-1" });
  expect(answered.status).toBe(200);
  const answer = (await answered.json()) as Answer;
  expect(answer).toMatchObject({ user_id: "alice", thread_id: "t-1", text: expect.any(String) });
  const turn = await desk.json<{ turns: object[]; events: { event_kind: string }[] }>(
    `/traces/${answer.trace_context.root_trace_id}.json`,
    bearer("alice"),
  );
  expect(turn.turns).toMatchObject([{ user_id: "alice", agent_id: "desk", thread_id: "t-1" }]);
  const kinds = new Set(turn.events.map((event) => event.event_kind));
  for (const kind of ["turn", "model_call", "memory_supply", "conversation"]) {
    expect([kind, kinds.has(kind)]).toEqual([kind, true]);
  }
  expect(JSON.stringify(turn)).not.toContain("Hello there");
  expect(await counts("alice")).toBeGreaterThan(0);
  expect(await counts("nobody")).toBe(0);
});

test("the form cannot choose another tenant than the principal's", async () => {
  expect((await post("alice", "desk/run", { query: "x", user_id: "bob" })).status).toBe(403);
  expect((await post("nobody", "desk/run", { query: "x", user_id: "bob" })).status).toBe(403);
  const chosen = await post("otto", "desk/run", { query: "Hello", user_id: "bob" });
  expect(((await chosen.json()) as Answer).user_id).toBe("bob");
  const anonymous = await post("otto", "desk/run", { query: "Hello" });
  expect(((await anonymous.json()) as Answer).user_id).toBeNull();
  expect((await post("otto", "none/run", { query: "x" })).status).toBe(404);
  expect((await post("otto", "constructor/run", { query: "x" })).status).toBe(404);
});

test("a browser's form is answered with a page, an API client with JSON", async () => {
  const browsers = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
  const fields = { query: "Hello page", thread_id: "t-page" };
  const page = await post("alice", "desk/run", fields, browsers);
  expect(page.status).toBe(200);
  expect(page.headers.get("content-type")).toMatch(/^text\/html/);
  const markup = await page.text();
  const root = /href="\/traces\/([0-9a-f]{32})"/.exec(markup)?.[1];
  expect(markup).toContain('name="thread_id" value="t-page"');
  const evidence = await desk.get(`/traces/${root}.json`, bearer("alice"));
  expect(evidence.status).toBe(200);
  for (const accept of ["application/json", "*/*"]) {
    const answered = await post("alice", "desk/run", fields, accept);
    expect(answered.headers.get("content-type")).toMatch(/^application\/json/);
    const { text } = (await answered.json()) as Answer;
    expect(text.length).toBeGreaterThan(0);
  }
  const refused = await post("alice", "desk/run", { query: "x", user_id: "bob" }, browsers);
  expect([refused.status, refused.headers.get("content-type")]).toEqual([
    403,
    expect.stringMatching(/^text\/html/),
  ]);
  expect(await refused.text()).toContain('href="/agents/desk"');
});

test("a stream is numbered, ordered and ends with what was persisted", async () => {
  const path = "desk/playground/stream";
  const response = await post("alice", path, { query: "Hello again", thread_id: "t-2" });
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  const frames = (await response.text()).trim().split("\n\n");
  const events = frames.map((frame) =>
    Object.fromEntries(frame.split("\n").map((line) => line.split(/: (.*)/s, 2))),
  ) as { id: string; event: string; data: string }[];
  expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => String(index + 1)));
  expect(events[0]?.event).toBe("run.started");
  const last = JSON.parse(events.at(-1)?.data ?? "{}") as Record<string, unknown>;
  expect(last).toMatchObject({
    type: "run.done",
    status: "success",
    persisted: { conversation: 2, tool_log: 0 },
    result: { user_id: "alice" },
  });
  const spoken = events
    .filter(({ event }) => event === "answer.delta")
    .map(({ data }) => (JSON.parse(data) as { text: string }).text)
    .join("");
  expect(spoken).toBe((last["result"] as Answer).text);
});

test("who leaves the stream cancels the turn", async () => {
  const before = server.requests();
  const response = await post("alice", "desk/playground/stream", {
    query: "Hello a third time",
    thread_id: "t-3",
  });
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await expect
    .poll(async () => {
      const page = await desk.json<{ items: { event_kind: string; status: string }[] }>(
        "/traces/events.json?thread_id=t-3&event_kind=turn",
        bearer("alice"),
      );
      return page.items.filter((item) => item.status !== "started").length;
    })
    .toBe(1);
  expect(server.requests() - before).toBeLessThanOrEqual(1);
});
