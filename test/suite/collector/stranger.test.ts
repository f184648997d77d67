/**
 * The reading side over a real socket, from the text of the rules alone (requirements: Endpoints;
 * collector: Answer): methods, paths, bodies, what is never guessed, a collector below a path.
 */
import { createCollector, parseConfig } from "turnproof";
import type { Collector } from "turnproof";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ephemeral, ephemeralMemory } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { listen } from "../../../collector/src/server.ts";
import type { Listening } from "../../../collector/src/http/connections.ts";
import { quiet, turnEvents } from "./desk.ts";

const account = { token: "root-q7KxZt4Wm9Rc2Yd8", role: "admin" };
const bearer = { authorization: `Bearer ${account.token}` };
const base = "/ops/evidence";

let store: EvidenceStore;
let collector: Collector;
let server: Listening;
let mounted: { readonly collector: Collector; readonly server: Listening };

async function start(basePath: string): Promise<{ collector: Collector; server: Listening }> {
  const made = await createCollector({
    config: parseConfig({
      TURNPROOF_BACKEND: "ephemeral",
      TURNPROOF_DATA_DIR: mkdtempSync(join(tmpdir(), "turnproof-stranger-")),
      TURNPROOF_UI_ACCOUNTS: JSON.stringify({ root: account }),
      TURNPROOF_BASE_PATH: basePath,
    }),
    store,
    memory: ephemeralMemory(),
    log: quiet,
    judge: false,
  });
  return {
    collector: made,
    server: await listen(made.app, { host: "127.0.0.1", port: 0, log: quiet }),
  };
}

beforeAll(async () => {
  store = ephemeral();
  const receivedAt = "2026-11-21T10:00:00.000000Z";
  const events = turnEvents({ root: "root-1", user: "alice" });
  await store.append({ batchId: "one", receivedAt, events });
  ({ collector, server } = await start("/"));
  mounted = await start(base);
});
afterAll(async () => {
  for (const each of [{ collector, server }, mounted]) {
    each.collector.endStreams();
    await each.server.close(1_000);
    await each.collector.close();
  }
});

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly code: string | undefined;
}

async function request(path: string, init: RequestInit = {}, at = server): Promise<Answer> {
  const headers = { ...bearer, ...(init.headers as Record<string, string> | undefined) };
  const response = await fetch(`${at.url}${path}`, { redirect: "manual", ...init, headers });
  const text = await response.text();
  const code = /"code":"([a-z_]+)"/.exec(text)?.[1];
  return { status: response.status, headers: response.headers, text, code };
}

const post = (path: string, body: string, type = "application/json"): Promise<Answer> =>
  request(path, { method: "POST", body, headers: { "content-type": type } });

/** RFC 9457, with nothing beside what was agreed, and never a word of what was sent. */
function expectProblem(answer: Answer, status: number, code: string): void {
  expect([answer.status, answer.code]).toEqual([status, code]);
  expect(answer.headers.get("content-type")).toBe("application/problem+json; charset=UTF-8");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  const problem = JSON.parse(answer.text) as Record<string, unknown>;
  const { field: _field, allowed: _allowed, ...rest } = problem;
  expect(Object.keys(rest).toSorted()).toEqual(
    ["code", "detail", "request_id", "status", "title", "type"].toSorted(),
  );
  expect(rest).toMatchObject({ status, type: `urn:turnproof:problem:${code}` });
  expect(answer.text).not.toContain("canary");
}

describe("methods", () => {
  test.each([
    ["PUT", "/traces/turns.json", "GET, HEAD"],
    ["DELETE", "/traces/root-1.json", "GET, HEAD"],
    ["POST", "/traces", "GET, HEAD"],
    ["OPTIONS", "/traces/events.json", "GET, HEAD"],
    ["PATCH", "/traces/reconcile", "GET, HEAD, POST"],
    ["GET", "/agents/helper/run", "POST"],
    ["PUT", "/traces/recommendations/x/review", "POST"],
    ["QUERY", "/healthz", "GET, HEAD"],
    ["DELETE", "/login", "GET, HEAD, POST"],
  ])("%s %s says which ones there are", async (method, path, allow) => {
    const answer = await request(path, { method });
    expectProblem(answer, 405, "method_not_allowed");
    expect(answer.headers.get("allow")).toBe(allow);
  });

  test.each(["GET", "POST", "DELETE", "OPTIONS"])("%s of what is not there", async (method) => {
    for (const path of ["/nope", "/traces/a/b", "/traces/turns.json/", "/agents/", "/v2/traces"]) {
      expectProblem(await request(path, { method }), 404, "not_found");
    }
  });

  test("nobody learns without a credential what is there", async () => {
    for (const [method, path] of [
      ["PUT", "/traces/turns.json"],
      ["DELETE", "/nope"],
      ["OPTIONS", "/traces"],
    ] as const) {
      const answer = await request(path, { method, headers: { authorization: "" } });
      expect([401, 429]).toContain(answer.status);
      expect(answer.headers.get("allow")).toBeNull();
    }
  });

  test("HEAD is GET without its body, and a tail that nobody reads is not begun", async () => {
    for (const path of ["/traces/turns.json", "/traces", "/healthz", "/metrics", "/traces/live"]) {
      const answer = await request(path, { method: "HEAD" });
      expect([path, answer.status, answer.text]).toEqual([path, 200, ""]);
    }
    const live = await request("/traces/live", { method: "HEAD" });
    expect(live.headers.get("content-type")).toContain("text/event-stream");
  });

  test("the receiver of telemetry answers in its own form", async () => {
    for (const method of ["GET", "PUT", "OPTIONS", "DELETE"]) {
      const answer = await request("/v1/traces", { method });
      expect([method, answer.status, answer.headers.get("allow")]).toEqual([method, 405, "POST"]);
      expect(JSON.parse(answer.text)).toMatchObject({ code: 12 });
    }
  });
});

describe("ids in paths", () => {
  const long = "x".repeat(241);
  test.each([
    ["/threads/.json", 404],
    ["/agents/.json", 404],
    ["/traces/.json", 404],
    [`/traces/${long}.json`, 404],
    [`/agents/${long}.json`, 404],
    [`/threads/${long}.json`, 404],
    ["/agents/a%09b.json", 404],
    ["/agents/nobody.json", 200],
    ["/threads/%F0%9F%92%A1.json", 200],
    ["/traces/%C3%A4.json", 404],
  ])("%s is %i", async (path, status) => {
    expect((await request(path)).status).toBe(status);
  });
});

describe("queries", () => {
  test.each([
    ["/traces/turns.json?agent_id=%09", "parameter_invalid"],
    ["/traces/turns.json?limit=%2B5", "parameter_invalid"],
    ["/traces/turns.json?limit=1e2", "parameter_invalid"],
    ["/traces/turns.json?limit=%31%30%30%31", "parameter_invalid"],
    ["/traces/turns.json?start_time=canary", "parameter_invalid"],
    ["/traces/turns.json?start_time=2026-02-30", "parameter_invalid"],
    ["/traces/turns.json?canary=1", "parameter_unknown"],
    ["/traces/turns.json?agent_id=a&AGENT_ID=a", "parameter_unknown"],
    ["/traces/turns.json?agent_id=a&agent%5Fid=b", "parameter_repeated"],
    ["/traces/turns.json?cursor=canary", "cursor_rejected"],
    ["/traces/compare.json?agent_id=helper&baseline_root=root-1", "parameter_invalid"],
    ["/traces/events.json?view=bundles&status=error", "filter_not_applicable"],
    ["/traces/root-1.json?cursor=x", "parameter_unknown"],
  ])("%s", async (path, code) => {
    expectProblem(await request(path), 400, code);
  });

  test("a query that no header has room for is refused by the server", async () => {
    const answer = await request(`/traces/turns.json?q=${"x".repeat(9_000)}`).catch(
      () => undefined,
    );
    expect([431, undefined]).toContain(answer?.status);
    expectProblem(
      await request(`/traces/turns.json?q=${"x".repeat(1_001)}`),
      400,
      "parameter_invalid",
    );
  });

  test("what is posted stands in the body alone", async () => {
    const body = JSON.stringify({
      agent_id: "helper",
      root_trace_id: "root-1",
      turn_id: "root-1-turn",
      rating: 1,
    });
    expectProblem(await post("/traces/feedback?rating=5", body), 400, "parameter_unknown");
    expectProblem(await post("/traces/reconcile?x=1", '{"events":[]}'), 400, "parameter_unknown");
  });
});

describe("bodies", () => {
  const turn = { agent_id: "helper", root_trace_id: "root-1", turn_id: "root-1-turn" };
  const feedback = (more: object): Promise<Answer> =>
    post("/traces/feedback", JSON.stringify({ ...turn, ...more }));

  test.each([null, "", " ", true, [], [1], {}, "1.5", 1.5, "1e1", "0x1", "canary", 101, -101])(
    "a rating of %j is none, and never 0 or 1",
    async (rating) => {
      const refused = await feedback({ rating });
      expectProblem(refused, 422, "body_invalid");
      expect(JSON.parse(refused.text)).toMatchObject({ field: "rating" });
    },
  );

  test("what a form sends as digits is the number", async () => {
    const form = new URLSearchParams({ ...turn, rating: "-1" }).toString();
    const type = "application/x-www-form-urlencoded";
    const answer = await post("/traces/feedback", form, type);
    expect(answer.status).toBe(303);
    const page = await request("/traces/events.json?event_kind=feedback");
    const { items } = JSON.parse(page.text) as { items: { attributes: { rating: number } }[] };
    expect(items.map((item) => item.attributes.rating)).toEqual([-1]);
  });

  test("an id that is none of its own kind is kept as a fingerprint", async () => {
    const mail = "carol@canary.example";
    const outcome = { ...turn, outcome: "success", task_id: mail, external_id: mail };
    for (const _ of [1, 2]) {
      expect((await post("/traces/outcomes", JSON.stringify(outcome))).status).toBe(201);
    }
    const page = await request(`/traces/events.json?event_kind=outcome&task_id=${mail}`);
    expect((JSON.parse(page.text) as { items: unknown[] }).items).toHaveLength(1);
    expect(page.text).not.toContain("carol");
  });

  test.each([
    ["no JSON", "{", "application/json", 400, "bad_request"],
    ["a list", "[]", "application/json", 422, "body_invalid"],
    [
      "a field too many",
      JSON.stringify({ ...turn, rating: 1, canary: 1 }),
      "application/json",
      422,
      "body_invalid",
    ],
    ["a text", "{}", "text/plain", 415, "media_type_unsupported"],
    [
      "a form that ends in the middle",
      "--x\r\nbroken canary",
      "multipart/form-data; boundary=x",
      400,
      "bad_request",
    ],
    ["a form without a boundary", "canary", "multipart/form-data", 400, "bad_request"],
    [
      "a field twice",
      "agent_id=a&agent_id=b",
      "application/x-www-form-urlencoded",
      422,
      "body_invalid",
    ],
    [
      "too much",
      JSON.stringify({ ...turn, comment: "canary ".repeat(10_000) }),
      "application/json",
      413,
      "body_too_large",
    ],
  ] as const)("%s", async (_name, body, type, status, code) => {
    expectProblem(await post("/traces/feedback", body, type), status, code);
  });

  test("a refused body names its field, and lists the fields where it has one too many", async () => {
    const answerTo = async (path: string, body: object): Promise<unknown> =>
      JSON.parse((await post(path, JSON.stringify(body))).text);
    const extra = await answerTo("/traces/feedback", { ...turn, rating: 1, canary: 1 });
    expect(extra).toMatchObject({
      code: "body_invalid",
      allowed: expect.arrayContaining(["rating"]),
    });
    expect(JSON.stringify(extra)).not.toContain("canary");
    const mail = "carol@canary.example";
    const outcome = { ...turn, outcome: "success" };
    for (const [path, body, field] of [
      ["/traces/outcomes", { ...outcome, outcome: mail }, "outcome"],
      ["/traces/outcomes", { ...outcome, source: mail }, "source"],
      ["/traces/outcomes", { ...outcome, metrics: { [mail]: 1 } }, "metrics"],
      ["/traces/feedback", { ...turn, rating: 1, label: mail }, "label"],
    ] as const) {
      expect(await answerTo(path, body)).toMatchObject({ code: "body_invalid", field });
    }
  });

  test("a sign-in that cannot be read is no failure of ours", async () => {
    const answer = await request("/login", {
      method: "POST",
      body: "--x\r\nbroken",
      headers: { "content-type": "multipart/form-data; boundary=x" },
    });
    expectProblem(answer, 422, "body_invalid");
  });

  test.each([
    [{ events: {} }, 422],
    [{}, 422],
    [{ events: [], task_id: "" }, 422],
    [{ events: [], normalization_metadata: { window_complete: "yes" } }, 422],
    [{ events: [1, null, { canary: 1 }] }, 200],
    [{ events: [], normalization_metadata: null, task_id: null }, 200],
  ])("posted events %j → %i", async (body, status) => {
    const answer = await post("/traces/reconcile", JSON.stringify(body));
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain("canary");
    if (status === 200) expect(JSON.parse(answer.text)).toMatchObject({ status: "unknown" });
  });
});

describe("below another path", () => {
  const there = (path: string, init: RequestInit = {}): Promise<Answer> =>
    request(path, init, mounted.server);

  test("everything is there, and nothing is anywhere else", async () => {
    for (const path of [
      "/traces/turns.json",
      "/traces",
      "/traces/root-1.json",
      "/healthz",
      "/openapi.json",
      "/agents/helper.json",
      "/.well-known/jwks.json",
    ]) {
      expect([path, (await there(`${base}${path}`)).status]).toEqual([path, 200]);
      expect([path, (await there(path)).status]).toEqual([path, 404]);
      expect([path, (await there(`${base}x${path}`)).status]).toEqual([path, 404]);
    }
    const wrong = await there(`${base}/traces/turns.json`, { method: "DELETE" });
    expectProblem(wrong, 405, "method_not_allowed");
    expect(wrong.headers.get("allow")).toBe("GET, HEAD");
  });

  test("links, redirects and the cookie stay below it", async () => {
    const home = await there(`${base}`);
    expect([302, 303]).toContain(home.status);
    expect(home.headers.get("location")).toMatch(new RegExp(`^${base}/`));
    const page = await there(`${base}/traces`, { headers: { accept: "text/html" } });
    const links = [...page.text.matchAll(/(?:href|src|action)="(\/[^"]*)"/g)].map(
      (match) => match[1],
    );
    expect(links.length).toBeGreaterThan(5);
    for (const link of links) expect(link).toMatch(new RegExp(`^${base}(/|$)`));
    const signedIn = await there(`${base}/login`, {
      method: "POST",
      body: `token=${account.token}&next=/elsewhere`,
      headers: { "content-type": "application/x-www-form-urlencoded", authorization: "" },
    });
    expect(signedIn.headers.get("location")).toBe(`${base}/traces`);
    expect(signedIn.headers.get("set-cookie")).toContain(`Path=${base}`);
  });

  test("telemetry comes in there", async () => {
    const init = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
    expect((await there(`${base}/v1/traces`, init)).status).toBe(200);
    expect((await there("/v1/traces", init)).status).toBe(404);
  });
});
