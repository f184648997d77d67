/** The description of the API against the routes, in both directions; and mounting elsewhere. */
import { Hono } from "hono";
import { endpoints } from "turnproof";
import { expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: Record<string, unknown>;
}
type Content = Readonly<Record<string, { readonly schema?: Readonly<Record<string, unknown>> }>>;
interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
interface Described {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
}

test("every route is described, and nothing else is", async () => {
  const desk = await openDesk();
  const api = await desk.json<Described>("/openapi.json");
  expect(api.openapi).toBe("3.1.0");
  const described = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(
      (method) => `${method.toUpperCase()} ${path.replace(/\{([a-z_]+)\}/g, ":$1")}`,
    ),
  );
  const ruled = Object.keys(endpoints).filter((route) => !route.startsWith("ALL "));
  // The last part of these paths takes `.json` too, so each is described twice.
  const twins = described.filter((route) => /:[a-z_]+\.json$/.test(route));
  expect(twins.every((route) => ruled.includes(route.replace(/\.json$/, "")))).toBe(true);
  expect(described.filter((route) => !twins.includes(route)).toSorted()).toEqual(ruled.toSorted());
  await desk.collector.close();
});

test("each media type of an export is described", async () => {
  const desk = await openDesk();
  const api = await desk.json<Described>("/openapi.json");
  const content = api.paths["/traces/export"]?.["get"]?.responses["200"]?.content;
  const sent: string[] = [];
  for (const format of ["parquet", "arrow", "csv", "jsonl"]) {
    const file = await desk.get(`/traces/export?format=${format}`);
    expect(file.status).toBe(200);
    sent.push(file.headers.get("content-type")?.split(";")[0] ?? "");
    await file.arrayBuffer();
  }
  expect(Object.keys(content ?? {})).toEqual(sent);
  await desk.collector.close();
});

test("a page without a model is a page whatever is accepted", async () => {
  const desk = await openDesk();
  const api = await desk.json<Described>("/openapi.json");
  const content = api.paths["/patterns"]?.["get"]?.responses["200"]?.content;
  expect(Object.keys(content ?? {})).toEqual(["text/html"]);
  const answer = await desk.get("/patterns", { accept: "application/json" });
  expect(answer.headers.get("content-type")).toBe("text/html; charset=UTF-8");
  expect(await answer.text()).toContain("<!doctype html>");
  await desk.collector.close();
});

test("every body and answer in JSON says its fields, but that of a host's agent", async () => {
  const desk = await openDesk();
  const api = await desk.json<Described>("/openapi.json");
  const open = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody, responses }]) => {
      const contents = [
        requestBody?.content,
        ...Object.values(responses).map((one) => one.content),
      ];
      const schemas = contents.flatMap((content) =>
        Object.entries(content ?? {}).filter(([type]) => type.endsWith("json")),
      );
      const bare = schemas.filter(
        ([, { schema = {} }]) => !["$ref", "anyOf", "properties"].some((key) => key in schema),
      );
      return bare.map(() => `${method} ${path}`);
    }),
  );
  expect(open).toEqual(["post /agents/{agent_id}/run"]);
  await desk.collector.close();
});

test("a producer's failure is described as a google.rpc.Status", async () => {
  const desk = await openDesk();
  const api = await desk.json<Described>("/openapi.json");
  const schema = api.paths["/v1/traces"]?.["post"]?.responses["4XX"]?.content?.["application/json"];
  const bad = { method: "POST", body: "{", headers: { "content-type": "application/json" } };
  const answer = await desk.collector.app.request("http://localhost:4318/v1/traces", bad);
  expect(answer.status).toBe(400);
  const fields = Object.keys(schema?.schema?.["properties"] ?? {});
  expect(Object.keys((await answer.json()) as object).toSorted()).toEqual(fields.toSorted());
  await desk.collector.close();
});

test("every described parameter is known to its route, and no other is", async () => {
  const desk = await openDesk();
  const api = await desk.json<Described>("/openapi.json");
  for (const [path, methods] of Object.entries(api.paths)) {
    const parameters = methods["get"]?.parameters?.filter((row) => row.in === "query");
    if (parameters === undefined || parameters.length === 0 || !path.endsWith(".json")) continue;
    for (const { name } of parameters) {
      const twice = await desk.get(`${path}?${name}=x&${name}=x`);
      const problem = (await twice.json()) as { code: string; field?: string };
      expect([path, name, problem]).toEqual([
        path,
        name,
        expect.objectContaining({ code: "parameter_repeated", field: name }),
      ]);
    }
    const unknown = await desk.get(`${path}?no_such_parameter=1`);
    expect([path, unknown.status]).toEqual([path, 400]);
  }
  await desk.collector.close();
});

test("requirements' parameters are all described", async () => {
  const desk = await openDesk();
  const api = await desk.json<Described>("/openapi.json");
  const namesOf = (path: string): readonly string[] =>
    api.paths[path]?.["get"]?.parameters?.map((row) => row.name) ?? [];
  expect(namesOf("/traces/events.json")).toEqual(
    expect.arrayContaining([
      "view",
      "store",
      "agent_id",
      "thread_id",
      "limit",
      "cursor",
      "root_trace_id",
      "run_id",
      "turn_id",
      "resource_ref",
      "event_kind",
      "status",
      "start_time",
      "end_time",
    ]),
  );
  expect(namesOf("/traces/compare.json")).toEqual(
    expect.arrayContaining(["agent_id", "baseline_root", "candidate_root", "candidate_turn"]),
  );
  await desk.collector.close();
});

test("a collector lives under any path of another app", async () => {
  const desk = await openDesk({ TURNPROOF_BASE_PATH: "/ops/evidence" });
  await desk.put(turnEvents({ root: "root-1", user: "alice" }));
  const host = new Hono();
  host.get("/", (c) => c.text("the host's own page"));
  host.route("/", desk.collector.app);
  expect(await (await host.request("/")).text()).toBe("the host's own page");
  const page = await host.request("http://localhost/ops/evidence/traces/events.json");
  expect(((await page.json()) as { normalized_events: number }).normalized_events).toBe(3);
  const html = await (await host.request("http://localhost/ops/evidence/traces")).text();
  expect(html).toMatch(/href="\/ops\/evidence\/traces\/turns\.json[?"]/);
  const home = await host.request("http://localhost/ops/evidence");
  expect(home.headers.get("location")).toBe("/ops/evidence/traces");
  expect((await host.request("http://localhost/traces/events.json")).status).toBe(404);
  await desk.collector.close();
});
