/** Rows of memory in the collector: counts, events without text, reveal, comments. */
import { contentFingerprint } from "@turnproof/semconv/fingerprint";
import { ephemeral, ephemeralMemory } from "@turnproof/store";
import type { MemoryStore } from "@turnproof/store";
import { Conversation, FeedbackMemory, ToolLog } from "@turnproof/memory";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

/** What the answers of these routes may have. */
interface Body {
  readonly code?: string;
  readonly event_id?: string;
  readonly parts: readonly { readonly part: string; readonly text: string }[];
}

const accounts = JSON.stringify({
  root: { token: "root-q7KxZt4Wm9Rc2Yd8", role: "admin" },
  otto: { token: "otto-q7KxZt4Wm9Rc2Yd8", role: "operator" },
  alice: { token: "alice-q7KxZt4Wm9Rc2Yd8", role: "admin", user_id: "alice" },
  shop: { token: "shop-q7KxZt4Wm9Rc2Yd8", role: "admin", application_id: "desk" },
  vera: { token: "vera-q7KxZt4Wm9Rc2Yd8", role: "viewer" },
});
const env = { TURNPROOF_UI_ACCOUNTS: accounts, TURNPROOF_UI_TRACE_CONTENT_MODE: "full" };
const bearer = (name: string): Record<string, string> => ({
  authorization: `Bearer ${name}-q7KxZt4Wm9Rc2Yd8`,
});
const stated = "canary words, write to carol@example.test, password=hunter2hunter2, I am alice";

let memory: MemoryStore;
let desk: Desk;
beforeAll(async () => {
  memory = ephemeralMemory();
  desk = await openDesk(env, { memory, store: ephemeral() });
  for (const user of ["alice", "bob"]) {
    const root = `root-${user}`;
    await desk.put(turnEvents({ root, user }));
    const place = { userId: user, agentId: "helper", memoryId: "m-1", threadId: "thread-1" };
    const turnId = `${root}-turn`;
    await new Conversation(memory).append(place, [
      { role: "user", text: `${user}: ${stated}`, turnId },
      { role: "assistant", text: `${user}: canary answer`, turnId },
    ]);
    await new ToolLog(memory).record(place, {
      turnId,
      callId: `${root}-call`,
      toolName: "search",
      input: { q: `${user} canary input` },
      result: `${user} canary result`,
      outcome: "success",
      durationMs: 12,
    });
  }
});
afterAll(() => desk.collector.close());

async function post(
  path: string,
  body: object,
  name = "root",
  at = desk,
): Promise<{ status: number; body: Body; text: string }> {
  const response = await at.collector.app.request(`http://localhost:4318${path}`, {
    method: "POST",
    headers: { ...bearer(name), "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, text, body: JSON.parse(text) as Body };
}

interface Items {
  readonly items: { event_id: string; event_kind: string; user_id: string | null }[];
  readonly next_cursor: string | null;
  readonly window_complete: boolean;
  readonly errors: { code: string }[];
}

describe("store=", () => {
  const page = (query: string, name = "root"): Promise<Items> =>
    desk.json<Items>(`/traces/events.json?${query}`, bearer(name));

  test.each([
    ["store=conversation&user_id=alice", ["conversation", "conversation"]],
    ["store=tool_log&user_id=alice", ["execution_log"]],
    ["store=conversation&user_id=alice&event_kind=execution_log", []],
    ["store=conversation&user_id=alice&turn_id=root-alice-turn", ["conversation", "conversation"]],
    ["store=conversation&user_id=alice&turn_id=root-bob-turn", []],
    ["store=conversation&user_id=alice&agent_id=nobody", []],
    ["store=conversation&scope=anonymous", []],
    ["store=tool_log&user_id=alice&tool_name=search", ["execution_log"]],
    ["store=tool_log&user_id=alice&tool_name=other", []],
    ["store=tool_log&user_id=alice&start_time=2000-01-01", ["execution_log"]],
    ["store=tool_log&user_id=alice&end_time=2000-01-01", []],
  ])("%s", async (query, kinds) => {
    const { items, window_complete } = await page(query);
    expect(items.map((item) => item.event_kind)).toEqual(kinds);
    expect(window_complete).toBe(true);
    expect(JSON.stringify(items)).not.toContain("canary");
  });

  test("a row always has a tenant, and a bound asker its own", async () => {
    for (const store of ["conversation", "tool_log"]) {
      const path = `/traces/events.json?store=${store}`;
      const open = await desk.get(path, bearer("root"));
      expect([open.status, await open.json()]).toEqual([
        400,
        expect.objectContaining({ code: "identity_missing" }),
      ]);
      expect((await desk.get(path, bearer("shop"))).status).toBe(403);
      expect((await desk.get(`${path}&user_id=bob`, bearer("alice"))).status).toBe(403);
      const own = await page(`store=${store}`, "alice");
      expect(new Set(own.items.map((item) => item.user_id))).toEqual(new Set(["alice"]));
    }
  });

  test("all of one tenant in pages of one give the same events as one page", async () => {
    const whole = await page("store=all&user_id=alice");
    expect(whole.items).toHaveLength(6);
    expect(whole.window_complete).toBe(true);
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const one: Items = await page(
        `store=all&user_id=alice&limit=1${cursor === null ? "" : `&cursor=${cursor}`}`,
      );
      expect(one.items.length).toBeLessThanOrEqual(1);
      ids.push(...one.items.map((item) => item.event_id));
      cursor = one.next_cursor;
    } while (cursor !== null);
    expect(ids.toSorted()).toEqual(whole.items.map((item) => item.event_id).toSorted());
  });

  test("all of everybody says that it is not the whole", async () => {
    const { items, window_complete } = await page("store=all");
    expect(items.every(({ event_kind }) => event_kind !== "conversation")).toBe(true);
    expect(window_complete).toBe(false);
  });

  test("a logged call whose result the trace holds is one fact", async () => {
    const own = ephemeralMemory();
    const one = await openDesk(env, { memory: own, store: ephemeral() });
    const events = turnEvents({ root: "root-dup", user: "dora" }).map((event) =>
      event.event_kind === "tool_call"
        ? { ...event, attributes: { ...event.attributes, tool_call_id: "call-1" } }
        : event,
    );
    await one.put(events);
    const place = { userId: "dora", agentId: "helper", memoryId: "m", threadId: "thread-1" };
    for (const callId of ["call-1", "call-2"]) {
      await new ToolLog(own).record(place, {
        turnId: "root-dup-turn",
        callId,
        toolName: "search",
        input: null,
        result: null,
        outcome: "success",
        durationMs: 1,
      });
    }
    const all = await one.json<Items>("/traces/events.json?store=all&user_id=dora", bearer("root"));
    const logged = all.items.filter((item) => item.event_kind === "execution_log");
    expect([all.items.length, logged.length]).toEqual([4, 1]);
    await one.collector.close();
  });

  test("a malformed row is a finding, and the rest stays visible", async () => {
    const broken = ephemeralMemory();
    const one = await openDesk(env, { memory: lying(broken), store: ephemeral() });
    const place = { userId: "eve", agentId: "helper", memoryId: "m", threadId: "t" };
    await new Conversation(broken).append(place, [
      { role: "user", text: "a" },
      { role: "user", text: "b" },
    ]);
    const got = await one.json<Items>(
      "/traces/events.json?store=conversation&user_id=eve",
      bearer("root"),
    );
    expect([got.items.length, got.errors, got.window_complete]).toEqual([
      1,
      [expect.objectContaining({ code: "invalid_event", source_store: "conversation" })],
      false,
    ]);
    await one.collector.close();
  });

  test("events of an agent whose memory is not the registered one stay visible", async () => {
    const created_at = "2026-11-21T09:00:00.000Z";
    const data = { name: "helper", memory_ids: ["another-memory"] };
    await memory.shared.put("agent_definition", { id: "helper", created_at, data });
    const query = "store=conversation&user_id=alice&agent_id=helper";
    expect((await page(query)).items).toHaveLength(2);
    expect((await page("agent_id=helper&user_id=alice")).items).toHaveLength(3);
  });

  test("the timeline of a root has the rows of its turns, the verdict has not", async () => {
    const turn = await desk.json<{ events: { event_kind: string }[]; window: object }>(
      "/traces/root-alice.json",
      bearer("alice"),
    );
    const kinds = turn.events.map((event) => event.event_kind);
    expect(kinds.filter((kind) => kind === "conversation")).toHaveLength(2);
    expect(turn.window).toMatchObject({ event_count: 3 });
    const found = await desk.json<{ event_count: number }>(
      "/traces/find.json?id=root-alice-turn",
      bearer("alice"),
    );
    expect(found.event_count).toBe(6);
  });
});

/** The first row of each list without its time. */
function lying(store: MemoryStore): MemoryStore {
  const list: MemoryStore["list"] = async (...options) => {
    const page = await store.list(...options);
    return {
      ...page,
      records: page.records.map((row, index) => (index === 0 ? { ...row, created_at: "x" } : row)),
    };
  };
  return { ...store, list };
}

describe("/memory", () => {
  test("counts one tenant by kind", async () => {
    const requested = await desk.json("/memory.json?user_id=alice", bearer("root"));
    expect(requested).toMatchObject({ requested: true, user_id: "alice", total: 3 });
    expect(requested["kinds"]).toContainEqual(
      expect.objectContaining({
        kind: "conversation",
        count: 2,
        collection: "conversation_memory",
      }),
    );
    const own = await desk.json("/memory.json", bearer("alice"));
    expect(own).toMatchObject({ user_id: "alice", total: 3, shared: null });
    expect(await desk.json("/memory.json?thread_id=none", bearer("alice"))).toMatchObject({
      total: 0,
    });
    expect(await desk.json("/memory.json", bearer("root"))).toMatchObject({
      requested: false,
      total: null,
    });
    expect((await desk.get("/memory.json?user_id=bob", bearer("alice"))).status).toBe(403);
    expect((await desk.get("/memory.json", bearer("shop"))).status).toBe(403);
  });
});

describe("reveal", () => {
  const of = (event_id: string, user = "alice"): object => ({
    agent_id: "helper",
    root_trace_id: `root-${user}`,
    event_id,
  });

  test("shows the words of a turn to who may see them, and to nobody else", async () => {
    const turn = of("root-alice-turn-span:result");
    const shown = await post("/traces/reveal", turn);
    expect(shown.body).toMatchObject({ content_mode: "full", event_kind: "turn" });
    expect(shown.body.parts.map((part) => part.text)).toEqual([
      `alice: ${stated}`,
      "alice: canary answer",
    ]);
    expect((await post("/traces/reveal", turn, "alice")).status).toBe(200);
    const foreign = await post("/traces/reveal", of("root-bob-turn-span:result", "bob"), "alice");
    expect([foreign.status, foreign.text.includes("canary")]).toEqual([404, false]);
    for (const [name, status] of [
      ["otto", 403],
      ["vera", 403],
      ["shop", 403],
    ] as const) {
      const refused = await post("/traces/reveal", turn, name);
      expect([name, refused.status, refused.text.includes("canary")]).toEqual([
        name,
        status,
        false,
      ]);
    }
    expect((await post("/traces/reveal", of("none"))).status).toBe(404);
    expect((await post("/traces/reveal", of("root-alice-model:result"))).status).toBe(404);
  });

  test("shows a row by the event that stands for it", async () => {
    const { items } = await desk.json<Items>(
      "/traces/events.json?store=tool_log&user_id=alice",
      bearer("root"),
    );
    const shown = await post("/traces/reveal", of(items[0]?.event_id ?? ""));
    expect(shown.body.parts.map((part) => part.part)).toEqual(["input", "result"]);
  });

  test("masks in the mode redacted, and shows nothing in metadata", async () => {
    const turn = of("root-alice-turn-span:result");
    const masked = await openDesk(
      { ...env, TURNPROOF_UI_TRACE_CONTENT_MODE: "redacted" },
      { memory, store: desk.store },
    );
    const shown = await post("/traces/reveal", turn, "root", masked);
    expect(shown.body.parts[0]?.text).toBe(
      "[user]: canary words, write to [e-mail], password=[credential], I am [user]",
    );
    await masked.collector.close();
    const closed = await openDesk(
      { ...env, TURNPROOF_UI_TRACE_CONTENT_MODE: "metadata" },
      { memory, store: desk.store },
    );
    const refused = await post("/traces/reveal", turn, "root", closed);
    expect([refused.status, refused.body.code]).toEqual([403, "content_hidden"]);
    await closed.collector.close();
  });

  test("no route but reveal ever says a word of it", async () => {
    for (const path of [
      "/traces/events.json?store=all&user_id=alice",
      "/traces/events.json?store=all&user_id=alice&view=bundles",
      "/traces/root-alice.json",
      "/traces/root-alice",
      "/traces/find.json?id=alice&user_id=alice",
      "/memory.json?user_id=alice",
      "/memory?user_id=alice",
      "/learning.json",
      "/traces/health.json?user_id=alice",
      "/traces/analysis.json",
      "/threads/thread-1.json",
    ]) {
      const response = await desk.get(path, bearer("root"));
      expect([path, (await response.text()).includes("canary")]).toEqual([path, false]);
    }
  });
});

describe("a comment that is to be kept", () => {
  test("lies in memory under the turn's tenant, and is shown by reveal alone", async () => {
    const turn = { agent_id: "helper", root_trace_id: "root-bob", turn_id: "root-bob-turn" };
    const comment = "canary comment in words";
    const sent = { ...turn, rating: -1, comment, include_comment: true };
    const { body, status } = await post("/traces/feedback", sent, "otto");
    expect(status).toBe(201);
    const rows = await new FeedbackMemory(memory).list({ userId: "bob", agentId: "helper" });
    expect(rows).toMatchObject([
      { turnId: "root-bob-turn", rating: -1, comment, commentHash: contentFingerprint(comment) },
    ]);
    const event = { agent_id: "helper", root_trace_id: "root-bob", event_id: body.event_id };
    const shown = await post("/traces/reveal", event);
    expect(shown.body.parts).toMatchObject([{ part: "comment", text: comment }]);
    expect(JSON.stringify(await desk.json("/traces/root-bob.json", bearer("root")))).not.toContain(
      "canary",
    );
  });
});

test("read-only mode refuses what changes memory, and lets its audited reads pass", async () => {
  const frozen = await openDesk(
    { ...env, TURNPROOF_UI_READ_ONLY: "true" },
    { memory, store: desk.store },
  );
  const turn = { agent_id: "helper", root_trace_id: "root-alice", turn_id: "root-alice-turn" };
  for (const [path, body] of [
    ["/traces/replays", { agent_id: "helper", root_trace_id: "root-alice" }],
    ["/traces/recommendations", { agent_id: "helper" }],
    ["/traces/recommendations/any/review", { decision: "accepted" }],
    ["/traces/feedback", { ...turn, rating: 1, comment: "x", include_comment: true }],
  ] as const) {
    const refused = await post(path, body, "root", frozen);
    expect([path, refused.status, refused.body.code]).toEqual([path, 403, "store_read_only"]);
  }
  const event_id = "root-alice-turn-span:result";
  const reveal = { agent_id: "helper", root_trace_id: "root-alice", event_id };
  expect((await post("/traces/reveal", reveal, "root", frozen)).status).toBe(200);
  for (const path of ["/memory.json?user_id=alice", "/learning.json"]) {
    expect((await frozen.get(path, bearer("root"))).status).toBe(200);
  }
  const health = await frozen.json("/traces/health.json", bearer("root"));
  expect(health["collector"]).toMatchObject({ judge: "off_read_only" });
  await frozen.collector.close();
});

test("without a memory its routes say that none is configured", async () => {
  const bare = await openDesk({ ...env, TURNPROOF_MEMORY_BACKEND: "none" }, { store: desk.store });
  const event = { agent_id: "helper", root_trace_id: "root-alice", event_id: "e" };
  expect((await post("/traces/reveal", event, "root", bare)).status).toBe(501);
  expect(
    (await post("/traces/replays", { agent_id: "a", root_trace_id: "r" }, "root", bare)).status,
  ).toBe(501);
  for (const path of ["/memory.json", "/learning.json"]) {
    expect((await bare.get(path, bearer("root"))).status).toBe(501);
  }
  const page = await bare.get("/traces/events.json?store=conversation", bearer("root"));
  expect(page.status).toBe(200);
  await bare.collector.close();
});
