/**
 * The same telemetry, sent by OTLP to a collector over every backend: every JSON route gives the
 * same answers from each, for every kind of caller
 * (requirements: Provider scoping, Versioning). The overview alone is not compared: one
 * provider counts turns by their own spans, without reading roots whole.
 */
import { createHash } from "node:crypto";

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { storySpans } from "../../apps/briefing/story.ts";
import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import type { PlainSpan } from "../../otlp/encode.ts";
import { openBackends } from "./backends.ts";
import type { BackendCase, BackendCases, SeedRow } from "./backends.ts";

const now = Date.parse("2026-11-21T12:00:00.000Z");
const turns = Number(process.env["BACKEND_TURNS"] ?? 30);

const token = (name: string): string => `${name}-token-bX7qL2vN9rK4wZ`;
const callers = {
  root: { role: "admin" },
  bo: { role: "admin", user_id: "usr_bo" },
  legacy: { role: "admin", user_id: null },
  newsroom: { role: "admin", application_id: "newsroom" },
} as const;
type Caller = keyof typeof callers;

const env = {
  TURNPROOF_UI_ACCOUNTS: JSON.stringify(
    Object.fromEntries(
      Object.entries(callers).map(([name, account]) => [name, { token: token(name), ...account }]),
    ),
  ),
  TURNPROOF_UI_SESSION_SECRET: "k1:q7KxZt4Wm9Rc2Yd8Vb5Ns1Lp6Hf3Gj0Tu",
  TURNPROOF_IDENTITY_KEY: "k1:w3BnJc8Xq5Lm1Vz7Ta4Ry9Kd2Ph6Sg0Ef",
  TURNPROOF_UI_TRACE_CONTENT_MODE: "full",
  TURNPROOF_INGEST_TOKENS: "story:ingest-q7KxZt4Wm9Rc2Yd8",
};

let opened: BackendCases;
let story: readonly (readonly PlainSpan[])[];

const text = (span: PlainSpan | undefined, name: string): string => {
  const value = span?.attributes?.[name];
  return typeof value === "string" ? value : "";
};
const turnOf = (spans: readonly PlainSpan[]): PlainSpan | undefined =>
  spans.find((span) => text(span, "turnproof.turn.id") !== "");

/** Rows of memory for the first turns of two tenants and of no tenant. */
function rowsOf(reported: readonly (readonly PlainSpan[])[]): readonly SeedRow[] {
  return reported.slice(0, 20).flatMap((spans, index): SeedRow[] => {
    const turn = turnOf(spans);
    const user = text(turn, "turnproof.user.id");
    const scope = text(turn, "turnproof.scope");
    if (turn === undefined || (user === "" && scope !== "anonymous")) return [];
    const place = {
      agent_id: text(turn, "turnproof.agent.id"),
      thread_id: text(turn, "gen_ai.conversation.id"),
      created_at: new Date(now - 3_600_000 + index * 1_000).toISOString(),
    };
    const tenant = user === "" ? null : user;
    const turn_id = text(turn, "turnproof.turn.id");
    const call = { tool_call_id: `call-${index}`, tool_name: "archive.search" };
    return [
      {
        tenant,
        kind: "conversation",
        draft: {
          ...place,
          id: `msg-${index}`,
          text: "some words",
          data: { role: "user", turn_id },
        },
      },
      {
        tenant,
        kind: "tool_log",
        draft: { ...place, id: `log-${index}`, data: { ...call, turn_id, outcome: "success" } },
      },
    ];
  });
}

/**
 * What another library sends: without a tenant, with content, a plain span and an id that is an
 * e-mail.
 */
function foreignSpans(): readonly PlainSpan[] {
  const span = (id: string, attributes: PlainSpan["attributes"]): PlainSpan => ({
    traceId: createHash("sha256").update("foreign").digest("hex").slice(0, 32),
    spanId: id.padStart(16, "0"),
    ...(id === "f1" ? {} : { parentSpanId: "f1".padStart(16, "0") }),
    name: "CANARY question",
    startTimeUnixNano: "1795255200000000000",
    endTimeUnixNano: "1795255201500000001",
    ...(attributes === undefined ? {} : { attributes }),
  });
  return [
    span("f1", { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "plain helper" }),
    span("f2", { "gen_ai.operation.name": "chat", "gen_ai.request.model": "small-1" }),
    span("f3", { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search" }),
    span("f4", { "http.request.method": "GET", "url.full": "https://x.test/?q=CANARY" }),
    span("f5", { "gen_ai.operation.name": "chat", "session.id": "a@b.example" }),
  ];
}

async function request(
  { collector }: BackendCase,
  caller: Caller,
  path: string,
  body?: object,
): Promise<Response> {
  return collector.app.request(`http://localhost:4318${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${token(caller)}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function send({ collector }: BackendCase, spans: readonly PlainSpan[]): Promise<void> {
  const response = await collector.app.request("http://localhost:4318/v1/traces", {
    method: "POST",
    headers: {
      "content-type": "application/x-protobuf",
      authorization: "Bearer ingest-q7KxZt4Wm9Rc2Yd8",
    },
    body: Buffer.from(encodeProtobuf(traceRequest(spans, { "service.name": "newsroom" }))),
  });
  expect(response.status).toBe(200);
}

/** Waits until the store holds everything; throws which one does not, and why. */
async function settled(backend: BackendCase): Promise<void> {
  const state = async (): Promise<object> => {
    const { collector } = (await (
      await request(backend, "root", "/traces/health.json?limit=1")
    ).json()) as {
      collector: { ingest: { journal: { pending_frames: number }; drain: { failure: unknown } } };
    };
    const { journal, drain } = collector.ingest;
    return { name: backend.name, pending: journal.pending_frames, failure: drain.failure };
  };
  const wait = { timeout: 200_000, interval: 100 };
  const done = { name: backend.name, pending: 0, failure: null };
  await vi.waitFor(async () => expect(await state()).toEqual(done), wait);
}

beforeAll(async () => {
  story = await storySpans({ endMs: now - 60_000, turns });
  opened = await openBackends(env, { now: () => now }, rowsOf(story));
  // One request per turn, every fifth again (a retry), some turns in two halves, the last half
  // first.
  const notify = async (backend: BackendCase): Promise<void> => {
    for (const [index, spans] of story.entries()) {
      const half = Math.floor(spans.length / 2);
      const parts = index % 4 === 3 ? [spans.slice(half), spans.slice(0, half)] : [spans];
      for (const part of parts) await send(backend, part);
      if (index % 5 === 0) await send(backend, spans);
    }
    await send(backend, foreignSpans());
    await settled(backend);
  };
  await Promise.all(opened.cases.map(notify));
}, 400_000);
afterAll(async () => {
  await opened?.[Symbol.asyncDispose]();
});

/**
 * What legitimately differs: when it was received, how long it took, what the backend is called.
 */
const own = new Set([
  "received_at",
  "as_of",
  "mark",
  "judged_at",
  "elapsed_ms",
  "request_id",
  "next_cursor",
  "updated_at",
  "created_at",
  "collector",
  "compatibility_fallback",
  "query_timing",
  "latest_received_at",
  "iat",
  // Over the judged events, which hold when they were received.
  "digest",
]);

function same(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(same);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).flatMap(([name, inner]) => {
    if (name === "next_cursor") return [["goes_on", inner !== null]];
    return own.has(name) ? [] : [[name, same(inner)]];
  });
  return Object.fromEntries(kept.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
}

/** The answer without what differs; a signed statement opened. */
async function answer(
  backend: BackendCase,
  caller: Caller,
  path: string,
  body?: object,
): Promise<unknown> {
  const response = await request(backend, caller, path, body);
  const stated = await response.text();
  if (response.status !== 200 || !path.includes(".jws")) {
    return [response.status, same(JSON.parse(stated))];
  }
  const [, payload = ""] = stated.split(".");
  const statement = Buffer.from(payload, "base64url").toString("utf8");
  return [response.status, same(JSON.parse(statement))];
}

/** Every backend gives the reference's answer. */
async function expectSame(caller: Caller, path: string, body?: object): Promise<unknown> {
  const [reference, ...others] = opened.cases;
  if (reference === undefined) throw new Error("no backend");
  const expected = await answer(reference, caller, path, body);
  for (const other of others) {
    const got = await answer(other, caller, path, body);
    expect([other.name, path, got]).toEqual([other.name, path, expected]);
  }
  return expected;
}

/** Items of every page of a list, following its cursor. */
async function walk(backend: BackendCase, caller: Caller, path: string): Promise<unknown[]> {
  const pages: unknown[] = [];
  let cursor: string | null = null;
  do {
    const after: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const response = await request(backend, caller, `${path}${after}`);
    if (response.status !== 200) return [...pages, response.status];
    const page = (await response.json()) as { next_cursor: string | null };
    pages.push(same(page));
    cursor = page.next_cursor;
  } while (cursor !== null && pages.length < 500);
  return pages;
}

const everyone = Object.keys(callers) as Caller[];

describe.each(everyone)("as %s", (caller) => {
  const thorough = caller === "root" || caller === "bo";
  const tenant = caller === "root" ? "&user_id=usr_bo" : "";
  const paths = [
    "/traces/turns.json",
    "/traces/turns.json?agent_id=reader-chat",
    "/traces/turns.json?status=error",
    "/traces/turns.json?user_id=usr_bo",
    "/traces/turns.json?scope=anonymous",
    "/traces/turns.json?q=tokens:%3E10",
    "/traces/events.json?limit=1000",
    "/traces/events.json?limit=1000&store=all",
    `/traces/events.json?limit=1000&store=all${tenant}`,
    `/traces/events.json?store=conversation${tenant}`,
    `/traces/events.json?store=tool_log${tenant}`,
    "/traces/events.json?event_kind=tool_call&limit=1000",
    "/traces/events.json?event_kind=memory_context",
    "/traces/events.json?status=error",
    "/traces/events.json?status=started",
    "/traces/events.json?tool_name=archive.search",
    "/traces/events.json?resource_ref=note_4110&limit=1000",
    "/traces/events.json?task_id=task_5",
    "/traces/events.json?start_time=2026-11-21T08:00:00Z&end_time=2026-11-21T10:00:00Z",
    "/traces/events.json?agent_id=nobody",
    "/traces/events.json?view=bundles&limit=1000",
    "/traces/events.json?view=bundles&agent_id=reader-chat",
    "/traces/events.json?view=bundles&status=error",
    "/traces/health.json",
    "/traces/health.json?agent_id=reader-chat&limit=100",
    "/traces/analysis.json",
    "/traces/analysis.json?agent_id=briefing-writer",
    "/traces/inspect.json?resource_ref=note_4110",
    "/agents.json",
    "/agents/briefing-writer.json",
    "/agents/plain%20helper.json",
    "/threads.json",
    "/threads/thr_bo_1.json",
    "/learning.json",
    "/traces/no-such-root.json",
    "/traces/reconcile.json?agent_id=briefing-writer&root_trace_id=no-such-root",
  ];
  // The two others are read by the same code: a part of the questions is enough.
  const requested = thorough ? paths : paths.filter((_, index) => index % 3 === 0);
  test.each(requested)("%s", async (path) => {
    await expectSame(caller, path);
  });

  test("every root: its page, verdict, statement and plan", async () => {
    let found = 0;
    // The seventeenth is an anonymous one.
    for (const spans of [...story.slice(-7), ...story.slice(16, 17), foreignSpans()]) {
      const root = spans[0]?.traceId ?? "";
      const agent = text(turnOf(spans), "turnproof.agent.id") || "plain helper";
      const query = `agent_id=${encodeURIComponent(agent)}&root_trace_id=${root}`;
      const [status] = (await expectSame(caller, `/traces/${root}.json`)) as [number];
      if (status === 200) found += 1;
      await expectSame(caller, `/traces/reconcile.json?${query}`);
      await expectSame(caller, `/traces/reconcile.jws?${query}`);
      await expectSame(caller, `/traces/replay-plan.json?${query}`);
      await expectSame(caller, `/traces/analysis.json?root_trace_id=${root}`);
    }
    expect(found).toBeGreaterThan(0);
  });

  test("two roots compared", async () => {
    const roots = story.slice(-4).map((spans) => spans[0]?.traceId ?? "");
    for (const [index, baseline] of roots.entries()) {
      const candidate = roots[(index + 1) % roots.length] ?? "";
      const sides = `baseline_root=${baseline}&candidate_root=${candidate}`;
      await expectSame(caller, `/traces/compare.json?agent_id=briefing-writer&${sides}`);
    }
  });

  if (!thorough) return;

  test("every kind of id is found alike, in pages", async () => {
    const [spans = []] = story.slice(-3);
    const turn = turnOf(spans);
    const ids = [
      "usr_bo",
      "thr_bo_1",
      "note_4110",
      "archive.search",
      "nothing-names-this",
      spans[0]?.traceId ?? "",
      text(turn, "turnproof.turn.id"),
      text(turn, "turnproof.run.id"),
    ];
    const [reference, ...others] = opened.cases;
    if (reference === undefined) throw new Error("no backend");
    for (const id of ids) {
      const path = `/traces/find.json?limit=53&id=${encodeURIComponent(id)}`;
      const expected = await walk(reference, caller, path);
      for (const other of others) {
        const got = await walk(other, caller, path);
        expect([other.name, path, got]).toEqual([other.name, path, expected]);
      }
    }
  });

  test.each([
    "/traces/events.json?limit=83",
    "/traces/events.json?limit=61&agent_id=briefing-writer",
    `/traces/events.json?limit=71&store=all${tenant}`,
    "/traces/events.json?limit=11&view=bundles",
    "/traces/turns.json?limit=9",
    "/agents.json?limit=11",
  ])("page by page: %s", async (path) => {
    const [reference, ...others] = opened.cases;
    if (reference === undefined) throw new Error("no backend");
    const expected = await walk(reference, caller, path);
    for (const other of others) {
      const got = await walk(other, caller, path);
      expect([other.name, path, got]).toEqual([other.name, path, expected]);
    }
  });
});
