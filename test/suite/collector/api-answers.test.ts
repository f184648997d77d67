/**
 * Each JSON answer has the shape that the API description promises, field by field: a field that is
 * not described fails as one that lacks. The collector has a week of turns.
 */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ephemeral, ephemeralMemory } from "@turnproof/store";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { listen } from "../../../collector/src/server.ts";
import type { Listening } from "../../../collector/src/http/connections.ts";
import { sendWeek } from "../../apps/week/week.ts";
import { judgeTurns, openDesk, quiet, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

type Content = Readonly<Record<string, { readonly schema?: object }>>;
interface Described {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
interface Api {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

const accounts = JSON.stringify({ root: { token: "root-q7KxZt4Wm9Rc2Yd8", role: "admin" } });
const headers = { authorization: "Bearer root-q7KxZt4Wm9Rc2Yd8" };
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });

const draft = "name: one\nmeasure: error_share\nwindow: 1h\nabove: 0.1\nby: agent";
/** A file with a rule that fires on any week, whatever hour it begins at. */
function rulesFile(): string {
  const file = join(mkdtempSync(join(tmpdir(), "turnproof-answers-")), "rules.yaml");
  const rule = "{name: failing, measure: error_share, window: 1h, below: 1}";
  writeFileSync(file, `version: 1\nrules:\n  - ${rule}\n`);
  return file;
}

let desk: Desk;
let server: Listening;
let api: Api;
const requested = new Set<string>();
beforeAll(async () => {
  desk = await openDesk(
    { TURNPROOF_UI_ACCOUNTS: accounts, TURNPROOF_ALERT_RULES: rulesFile() },
    {
      store: ephemeral(),
      memory: ephemeralMemory(),
      hooks: {
        resolveAccount: async () => "alice",
        resolveArtifact: async () => ({ exists: true, state: "published" }),
        agents: {
          list: async () => ["helper"],
          run: async () => ({ text: "done" }),
          async *stream() {
            yield { type: "run.done" };
          },
        },
      },
    },
  );
  server = await listen(desk.collector.app, { host: "127.0.0.1", port: 0, log: quiet });
  const endMs = Date.now() - 3_600_000;
  await sendWeek({ endpoint: server.url, endMs, turns: 120, seed: "answers" });
  await vi.waitFor(async () => {
    const { turns } = await desk.json<{ turns: number }>("/traces/facets.json", headers);
    expect(turns).toBeGreaterThanOrEqual(120);
  }, 60_000);
  await desk.put(turnEvents({ root: "root-1", user: "alice" }));
  await desk.put(turnEvents({ root: "root-2", user: "bob", at: "2026-11-21T09:58:00.000Z" }));
  await judgeTurns(desk.store, ["root-1"], { verdict: "failed", finding_codes: [] });
  api = await desk.json<Api>("/openapi.json", headers);
  ajv.addSchema(api, "api");
});
afterAll(async () => {
  await server.close(1_000);
  await desk.collector.close();
});

/** Sends a request, and holds the answer to the schema of its operation; the answer. */
async function hold(
  method: "get" | "post",
  template: string,
  of: { readonly path?: string; readonly query?: string; readonly body?: object; status?: number },
): Promise<Record<string, unknown>> {
  const { status = 200 } = of;
  const url = `http://localhost:4318${of.path ?? template}${of.query ?? ""}`;
  const response = await desk.collector.app.request(url, {
    method: method.toUpperCase(),
    headers: { ...headers, "content-type": "application/json" },
    ...(of.body === undefined ? {} : { body: JSON.stringify(of.body) }),
  });
  const text = await response.text();
  expect([url, response.status, response.status === status ? "" : text]).toEqual([url, status, ""]);
  const operation = api.paths[template]?.[method];
  const schema = operation?.responses[String(status)]?.content?.["application/json"]?.schema;
  expect([template, schema], "described with a schema").toEqual([template, expect.anything()]);
  const rebased = JSON.parse(
    JSON.stringify(schema).replaceAll('"#/components', '"api#/components'),
  ) as object;
  const validate = ajv.compile(rebased);
  const answer = JSON.parse(text) as Record<string, unknown>;
  validate(answer);
  const errors = (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
  expect([template, errors.slice(-6)]).toEqual([template, []]);
  requested.add(`${method} ${template}`);
  return answer;
}

const one = { agent_id: "helper", root_trace_id: "root-1", turn_id: "root-1-turn" };
const both = "agent_id=helper&baseline_root=root-1&candidate_root=root-2";

test("each answer about many turns is as described", async () => {
  for (const path of ["/agents.json", "/threads.json"]) await hold("get", path, {});
  for (const path of ["/traces/turns.json", "/traces/facets.json", "/traces/trend.json"]) {
    await hold("get", path, {});
    await hold("get", path, { query: "?q=has:error" });
  }
  for (const by of ["model", "agent", "turn"]) {
    await hold("get", "/cost.json", { query: `?by=${by}&q=-has:error` });
  }
  for (const query of ["", "?kind=model&by=release", "?by=agent&sort=p95_ms&q=has:error"]) {
    await hold("get", "/tools.json", { query });
  }
  await hold("get", "/traces/overview.json", {});
  await hold("get", "/traces/overview.json", { query: "?chart=duration" });
  await hold("get", "/traces/differences.json", { query: "?q=has:error" });
  await hold("get", "/traces/events.json", {});
  await hold("get", "/traces/events.json", { query: "?view=bundles&limit=20" });
  await hold("get", "/traces/find.json", {});
  await hold("get", "/traces/find.json", { query: "?id=root-1" });
  await hold("get", "/traces/health.json", {});
  await hold("get", "/learning.json", {});
  await hold("get", "/memory.json", {});
  await hold("get", "/memory.json", { query: "?user_id=alice" });
});

test("each root, agent and thread of the week is as described", async () => {
  const { items } = await hold("get", "/traces/turns.json", { query: "?limit=40" });
  for (const row of items as readonly Record<string, string>[]) {
    const root = row["root_trace_id"] ?? "";
    const agent = row["agent_id"] ?? "";
    const query = `?root_trace_id=${root}&agent_id=${agent}`;
    for (const form of ["records", "columns"]) {
      await hold("get", "/traces/{root_trace_id}.json", {
        path: `/traces/${root}.json`,
        query: `?form=${form}`,
      });
    }
    await hold("get", "/traces/reconcile.json", { query });
    await hold("get", "/traces/analysis.json", { query });
    await hold("get", "/agents/{agent_id}.json", { path: `/agents/${agent}.json` });
    const thread = row["thread_id"];
    if (typeof thread !== "string") continue;
    await hold("get", "/threads/{thread_id}.json", { path: `/threads/${thread}.json` });
  }
  await hold("get", "/traces/compare.json", { query: `?${both}` });
  await hold("get", "/traces/compare.json", { query: `?${both}&form=columns` });
  for (const query of ["", "?a=release:none", "?agent_id=order-desk"]) {
    await hold("get", "/traces/compare/releases.json", { query });
  }
  for (const query of ["", "?baseline=has:error&candidate=-has:error"]) {
    await hold("get", "/traces/compare/gate.json", { query });
  }
  await hold("get", "/traces/windows.json", {});
  await hold("get", "/traces/incidents.json", {});
  await hold("get", "/graph.json", {});
  await hold("get", "/sample.json", {});
  await hold("get", "/sample.json", { query: "?form=columns" });
});

test("each answer about one thing, and of the process, is as described", async () => {
  for (const path of ["/healthz", "/readyz", "/readyz/store", "/.well-known/jwks.json"]) {
    await hold("get", path, {});
  }
  await hold("get", "/alerts.json", {});
  await hold("get", "/alerts.json", { query: `?draft=${encodeURIComponent(draft)}` });
  await hold("post", "/alerts/silence", { body: { rule: "failing", hours: 1 } });
  await hold("get", "/alerts.json", { query: "?rule=failing" });
  await vi.waitFor(async () => {
    const { firing } = await desk.json<{ firing: readonly { id: string }[] }>(
      "/alerts.json",
      headers,
    );
    await hold("post", "/alerts/resolve", { body: { id: firing[0]?.id } });
  }, 60_000);
  await hold("get", "/settings.json", {});
  await hold("get", "/traces/capabilities.json", {});
  await hold("get", "/traces/artifact.json", { query: "?resource_ref=letter-1" });
  await hold("get", "/traces/replay-plan.json", { query: "?root_trace_id=root-1&agent_id=helper" });
  await hold("post", "/traces/replays", { body: one, status: 201 });
  await hold("post", "/traces/reconcile", { body: { events: turnEvents({ root: "r" }) } });
  await hold("post", "/traces/account/resolve", { body: { email: "alice@example.test" } });
  await hold("post", "/traces/feedback", { body: { ...one, rating: 1 }, status: 201 });
  await hold("post", "/traces/outcomes", { body: { ...one, outcome: "done" }, status: 201 });
  const note = await hold("post", "/traces/notes", {
    body: { ...one, text: "Looked at it." },
    status: 201,
  });
  const changed = { ...one, id: note["id"], version: note["version"], text: "Solved." };
  await hold("post", "/traces/notes/change", { body: changed });
  await hold("get", "/traces/{root_trace_id}.json", { path: "/traces/root-1.json" });
  await hold("post", "/traces/notes/delete", { body: { ...one, id: note["id"] } });
  const shared = { name: "Errors", query: "?status=error" };
  const view = await hold("post", "/traces/views", { body: shared, status: 201 });
  await hold("get", "/traces/views.json", {});
  await hold("post", "/traces/views/rename", { body: { id: view["id"], name: "Failures" } });
  await hold("post", "/traces/views/delete", { body: { id: view["id"] } });
});

test("lineage, recommendations and their review are as described", async () => {
  const page = await hold("get", "/traces/events.json", { query: "?limit=1000" });
  const events = page["items"] as readonly {
    readonly agent_id: string;
    readonly output_refs?: readonly { readonly ref: string }[];
  }[];
  const made = events.find(({ output_refs = [] }) => output_refs.length > 0);
  const ref = encodeURIComponent(made?.output_refs?.[0]?.ref ?? "");
  await hold("get", "/traces/inspect.json", {
    query: `?resource_ref=${ref}&agent_id=${made?.agent_id}`,
  });
  const proposed = await hold("post", "/traces/recommendations", {
    body: { agent_id: "helper", root_trace_id: "root-1" },
    status: 201,
  });
  const [row] = proposed["recommendations"] as readonly { readonly recommendation_id: string }[];
  const template = "/traces/recommendations/{recommendation_id}/review";
  await hold("post", template, {
    path: template.replace(/\{.*\}/, encodeURIComponent(row?.recommendation_id ?? "")),
    body: { decision: "accepted" },
  });
  await hold("get", "/learning.json", {});
});

test("no described answer was left out", () => {
  // What an agent answers is the host's own; a reveal needs a mode and a row of memory.
  // The client of the Model Context Protocol checks its messages.
  const elsewhere = ["getApiDescription", "runAgent", "revealContent", "callMcp"];
  const described = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId, responses }]) => {
      const [, answer] = Object.entries(responses).find(([status]) => status < "3") ?? [];
      const has = answer?.content?.["application/json"] !== undefined;
      const isPage = answer?.content?.["text/html"] !== undefined;
      const isOwn = has && !isPage && !path.startsWith("/v1/");
      return isOwn && !elsewhere.includes(operationId) ? [`${method} ${path}`] : [];
    }),
  );
  expect([...requested].toSorted()).toEqual(described.toSorted());
});

test("a page answers its model where JSON is preferred", async () => {
  const accept = (value: string): Promise<Response> =>
    desk.get("/traces/root-1", { ...headers, accept: value });
  for (const value of ["application/json", "text/html;q=0.5, application/json"]) {
    const answer = await accept(value);
    expect([value, answer.headers.get("content-type")]).toEqual([
      value,
      "application/json; charset=UTF-8",
    ]);
    expect(answer.headers.get("vary")).toContain("Accept");
  }
  for (const value of ["*/*", "text/html, application/json;q=0.9", "nonsense;;q=x"]) {
    const answer = await accept(value);
    expect([value, answer.headers.get("content-type")]).toEqual([
      value,
      "text/html; charset=UTF-8",
    ]);
  }
});
