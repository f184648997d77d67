/**
 * Every parameter of the read routes: accepted, refused, repeated, unknown (requirements:
 * Endpoints).
 */
import { eventKinds, legacyKinds, limits } from "@turnproof/semconv";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

let desk: Desk;

beforeAll(async () => {
  desk = await openDesk();
  await desk.put(turnEvents({ root: "root-1", user: "alice" }));
  await desk.put(turnEvents({ root: "root-2", user: "bob", agent: "other", thread: "thread-2" }));
  await desk.put(turnEvents({ root: "root-3", user: null, at: "2026-11-20T00:00:00.123456789Z" }));
});
afterAll(() => desk.collector.close());

async function count(query: string): Promise<number> {
  const page = await desk.json(`/traces/events.json?${query}`);
  return page["normalized_events"] as number;
}

async function refusal(path: string): Promise<readonly [number, unknown]> {
  const response = await desk.get(path);
  const body = (await response.json()) as { code?: string };
  return [response.status, body.code];
}

test.each([
  ["/traces/turns.json?q=status:error%20colour:red", "q", { place: 2 }, "verdict"],
  ["/traces/turns.json?q=verdict:nice", "q", { place: 1, key: "verdict" }, "unjudged"],
  ["/traces/facets.json?q=latency:fast", "q", { place: 1, key: "latency" }, ">2s"],
  ["/traces/turns.json?sort=colour", "sort", undefined, "duration_ms"],
  ["/traces/compare/releases.json?a=has:colour&b=x", "a", { place: 1, key: "has" }, "finding"],
])("%s is refused with its term and the allowed words", async (path, field, term, word) => {
  const response = await desk.get(path);
  const body = (await response.json()) as { readonly allowed: readonly string[] };
  expect(body).toMatchObject({ code: "parameter_invalid", field });
  expect(body).toHaveProperty("allowed", expect.arrayContaining([word]));
  expect((body as { term?: object }).term).toEqual(term);
  // The input is not repeated.
  expect(JSON.stringify(body)).not.toMatch(/colour|nice|fast/);
});

test.each([
  ["/?q=status%3Aerror", 302, "/traces?q=status%3Aerror"],
  ["/traces/?q=status%3Aerror", 404, null],
])("%s answers %i and keeps the filter", async (path, status, location) => {
  const response = await desk.get(path);
  expect([response.status, response.headers.get("location")]).toEqual([status, location]);
});

test("a base path is served with a slash at its end too", async () => {
  const below = await openDesk({ TURNPROOF_BASE_PATH: "/evidence/" });
  const place = async (path: string): Promise<readonly [number, string | null]> => {
    const response = await below.get(path);
    return [response.status, response.headers.get("location")];
  };
  expect(await place("/evidence?q=a")).toEqual([302, "/evidence/traces?q=a"]);
  expect(await place("/evidence/?q=a")).toEqual([308, "/evidence?q=a"]);
  await below.collector.close();
});

describe("events.json", () => {
  test("the page has every required field", async () => {
    const page = await desk.json("/traces/events.json");
    for (const field of [
      "items",
      "source_rows",
      "bundle_count",
      "normalized_events",
      "normalization_errors",
      "duplicates_removed",
      "coverage",
      "metric_states",
      "next_cursor",
      "window_complete",
    ]) {
      expect(page).toHaveProperty(field);
    }
    expect(page["limit"]).toBe(limits.pageEventsDefault);
  });

  test.each([
    ["", 9],
    ["agent_id=helper", 6],
    ["agent_id=nobody", 0],
    ["user_id=alice", 3],
    ["scope=anonymous", 3],
    ["thread_id=thread-2", 3],
    ["root_trace_id=root-1", 3],
    ["run_id=root-1-run", 3],
    ["turn_id=root-2-turn", 3],
    ["event_kind=tool_call", 3],
    ["event_kind=tool_result", 3],
    ["event_kind=turn_start", 3],
    ["status=success", 9],
    ["status=error", 0],
    ["tool_name=search", 3],
    ["application_id=desk", 9],
    ["memory_id=none", 0],
    ["task_id=none", 0],
    ["resource_ref=none", 0],
    ["store=all", 9],
    ["store=conversation&user_id=alice", 0],
    ["store=tool_log&scope=anonymous", 0],
    ["view=events", 9],
    ["start_time=2026-11-21", 6],
    ["end_time=2026-11-21T00:00:00Z", 3],
    // Inclusive start, exclusive end, with every digit.
    ["start_time=2026-11-20T00:00:00.123456789Z&end_time=2026-11-20T00:00:00.123456790Z", 3],
    ["start_time=2026-11-20T00:00:00.123456790Z&end_time=2026-11-20T01:00:00Z", 0],
    ["end_time=2026-11-20T00:00:00.123456789Z", 0],
    ["start_time=2026-11-20T02:00:00.123456789%2B02:00&end_time=2026-11-20T01:00:00Z", 3],
    ["agent_id=helper&user_id=alice&event_kind=model_call", 1],
  ])("?%s gives %i events", async (query, expected) => {
    expect(await count(query)).toBe(expected);
  });

  test("every kind of today and of yesterday is a filter", async () => {
    for (const kind of [...eventKinds, ...Object.keys(legacyKinds)]) {
      expect(await count(`event_kind=${kind}`)).toBeGreaterThanOrEqual(0);
    }
  });

  test.each([
    ["unknown=1", "parameter_unknown"],
    ["Agent_id=a", "parameter_unknown"],
    ["agent_id[]=a", "parameter_unknown"],
    ["__proto__=a", "parameter_unknown"],
    ["constructor=a", "parameter_unknown"],
    ["agent_id=a&agent_id=a", "parameter_repeated"],
    ["limit=1&limit=2", "parameter_repeated"],
    ["limit=0", "parameter_invalid"],
    ["limit=1001", "parameter_invalid"],
    ["limit=1.5", "parameter_invalid"],
    ["limit=-1", "parameter_invalid"],
    ["limit=1e2", "parameter_invalid"],
    ["limit=", "parameter_invalid"],
    ["agent_id=", "parameter_invalid"],
    ["agent_id=a%00b", "parameter_invalid"],
    [`agent_id=${"a".repeat(241)}`, "parameter_invalid"],
    ["event_kind=nonsense", "parameter_invalid"],
    ["event_kind=constructor", "parameter_invalid"],
    ["status=nonsense", "parameter_invalid"],
    ["store=nonsense", "parameter_invalid"],
    ["view=nonsense", "parameter_invalid"],
    ["start_time=yesterday", "parameter_invalid"],
    ["start_time=2026-02-30T00:00:00Z", "parameter_invalid"],
    ["end_time=1760000000", "parameter_invalid"],
    ["scope=everybody", "parameter_invalid"],
    ["scope=anonymous&user_id=alice", "parameter_invalid"],
    ["cursor=nonsense", "cursor_rejected"],
  ])("?%s is refused as %s", async (query, code) => {
    expect(await refusal(`/traces/events.json?${query}`)).toEqual([400, code]);
  });

  test.each([
    "root_trace_id=root-1",
    "run_id=r",
    "turn_id=t",
    "resource_ref=r",
    "event_kind=turn",
    "status=success",
    "start_time=2026-01-01T00:00:00Z",
    "end_time=2026-01-01T00:00:00Z",
    "memory_id=m",
    "task_id=t",
    "tool_name=t",
  ])("view=bundles refuses %s", async (filter) => {
    expect(await refusal(`/traces/events.json?view=bundles&${filter}`)).toEqual([
      400,
      "filter_not_applicable",
    ]);
  });

  test("bundles are the events grouped by turn, narrowed by what bundles can answer", async () => {
    const all = await desk.json<{ items: unknown[] }>("/traces/events.json?view=bundles");
    expect(all.items).toHaveLength(3);
    const one = "/traces/events.json?view=bundles&agent_id=other&thread_id=thread-2&limit=5";
    expect((await desk.json<{ items: unknown[] }>(one)).items).toHaveLength(1);
  });

  test("an error never echoes input", async () => {
    const response = await desk.get("/traces/events.json?canary-name=canary-value");
    const text = await response.text();
    expect(text).not.toContain("canary");
    expect(response.headers.get("content-type")).toMatch(/^application\/problem\+json/);
    expect(JSON.parse(text)).toMatchObject({
      type: "urn:turnproof:problem:parameter_unknown",
      title: "Bad Request",
      status: 400,
      code: "parameter_unknown",
    });
    expect(response.headers.get("x-request-id")).toBe(JSON.parse(text).request_id);
  });

  test("an error says what may stand there", async () => {
    const body = async (path: string): Promise<{ allowed?: readonly string[]; field?: string }> =>
      (await desk.get(path)).json();
    const unknown = await body("/traces/events.json?canary=1");
    expect(unknown.field).toBeUndefined();
    expect(unknown.allowed).toEqual(expect.arrayContaining(["agent_id", "cursor", "view"]));
    const invalid = await body("/traces/turns.json?verdict=canary");
    expect(invalid).toMatchObject({ field: "verdict" });
    expect(invalid.allowed).toEqual(expect.arrayContaining(["success", "failed", "unjudged"]));
    expect((await body("/traces/events.json?limit=0")).allowed).toBeUndefined();
  });
});

const html = { accept: "text/html" };
const shown = async (path: string): Promise<string> => {
  const response = await desk.get(path, html);
  expect([path, response.status]).toEqual([path, 200]);
  return response.text();
};
const parametersOf = (href = ""): Record<string, string> =>
  Object.fromEntries(new URL(href.replaceAll("&amp;", "&"), "http://localhost").searchParams);

describe("a range of time", () => {
  const routes = [
    "/traces/events.json?",
    "/traces/turns.json?",
    "/traces/overview.json?",
    "/traces/find.json?id=root-1&",
    "/traces/find.json?",
    "/traces/analysis.json?",
    "/agents.json?",
    "/threads.json?",
  ];

  test.each(routes)("%s refuses one in which nothing can lie", async (path) => {
    for (const [start, end] of [
      ["2026-11-21T10:00:00Z", "2026-11-21T09:00:00Z"],
      ["2026-11-21", "2026-11-20"],
      ["2026-11-21", "2026-11-21T00:00:00.000Z"],
      ["2026-11-21T00:00:00.000000002Z", "2026-11-21T00:00:00.000000001Z"],
      ["2026-11-21T09:00:00%2B00:00", "2026-11-21T10:30:00%2B02:00"],
      ["9999-12-31", "0001-01-01"],
    ]) {
      const stated = await refusal(`${path}start_time=${start}&end_time=${end}`);
      expect([start, end, stated]).toEqual([start, end, [400, "range_empty"]]);
    }
  });

  test.each(routes)("%s refuses times that are none", async (path) => {
    for (const time of [
      "NaN",
      "Infinity",
      "+1000000000-01-01T00:00:00Z",
      "1000000000-01-01",
      "-000001-01-01T00:00:00Z",
      "2026-13-01",
      "2026-11-21T25:00:00Z",
      "1e20",
    ]) {
      for (const name of ["start_time", "end_time"]) {
        const stated = await refusal(`${path}${name}=${encodeURIComponent(time)}`);
        expect([time, name, stated]).toEqual([time, name, [400, "parameter_invalid"]]);
      }
    }
  });

  test("the widest that can be said is read", async () => {
    const query = "start_time=0001-01-01&end_time=9999-12-31T23:59:59.999999999Z";
    expect(await count(query)).toBe(9);
    expect((await desk.get(`/traces/overview.json?${query}`)).status).toBe(200);
    const one = "start_time=2026-11-21T09:59:00.000000000Z&end_time=2026-11-21T09:59:00.000000001Z";
    expect(await count(one)).toBe(6);
  });

  test.each(["/traces", "/traces/find", "/agents/helper", "/threads", "/traces/compare/gate"])(
    "%s is shown without it, and leads out of it with every other filter kept",
    async (path) => {
      const [early, late] = ["2026-11-20T09:00:00.5Z", "2026-11-21"];
      const query = `user_id=ann&start_time=${late}&end_time=${early}`;
      const html = await shown(`${path}?${query}`);
      expect(html).toContain("is an empty range: its end is not after its start");
      expect(parametersOf(/href="([^"]+)"[^>]*>\s*Swap the two times/.exec(html)?.[1])).toEqual({
        user_id: "ann",
        start_time: early,
        end_time: late,
      });
      const twin = /type="application\/json" href="([^"]+)"/.exec(html)?.[1] ?? "";
      expect(Object.keys(parametersOf(twin))).not.toContain("start_time");
      expect((await desk.get(twin.replaceAll("&amp;", "&"))).status).toBe(200);
      const equal = await shown(`${path}?start_time=${late}&end_time=${late}`);
      expect(equal).not.toContain("Swap the two times");
      expect(equal).toContain("Everything since the first");
      const relative = await shown(`${path}?start_time=-1h&end_time=-2h`);
      expect(parametersOf(/href="([^"]+)"[^>]*>\s*Swap/.exec(relative)?.[1])).toEqual({
        start_time: "-2h",
        end_time: "-1h",
      });
    },
  );

  test("a time that is none is marked on the page, which has all rows and no range", async () => {
    const html = await shown("/traces?start_time=%3Cb%3Eyesterday&agent_id=helper");
    expect(html).toContain("<mark>&lt;b&gt;yesterday</mark>");
    expect(html).toContain("2026-11-21T09:30:00Z");
    const rows = (text: string): number => text.split("<tr data-key").length;
    expect(rows(html)).toBeGreaterThan(1);
    expect(rows(html)).toBe(rows(await shown("/traces?agent_id=helper")));
    expect(html.replace(/<div class="unclear"[\s\S]*?<\/div>/, "")).not.toContain("yesterday");
    expect(await shown("/traces?start_time=2026-11-20T10:00:00 01:00")).not.toContain("refused");
  });

  test("a file is not written without its range", async () => {
    const { status } = await desk.get("/traces/turns.csv?start_time=soon", html);
    expect(status).toBe(400);
  });
});

describe("pages", () => {
  test("every page announces its twin, and the twin answers", async () => {
    for (const path of ["/traces", "/traces/find", "/agents", "/threads", "/settings", "/docs"]) {
      const html = await (await desk.get(path)).text();
      const twin = /<link rel="alternate" type="application\/json" href="([^"]+)"/.exec(html)?.[1];
      expect([path, twin]).toEqual([path, expect.any(String)]);
      expect((await desk.get(twin ?? "")).status).toBe(200);
    }
    const verdict = "/traces/reconcile?agent_id=helper&root_trace_id=root-1";
    for (const path of ["/traces/root-1", "/agents/helper", "/threads/thread-1", verdict]) {
      expect([path, (await desk.get(path)).status]).toEqual([path, 200]);
    }
  });

  test("a form without script may send its empty fields", async () => {
    const response = await desk.get("/traces?agent_id=&user_id=alice", { accept: "text/html" });
    expect(response.status).toBe(200);
  });

  test("unknown things are not there", async () => {
    expect(await refusal("/traces/no-such-root.json")).toEqual([404, "trace_not_found_in_window"]);
    expect(await refusal("/nowhere.json")).toEqual([404, "not_found"]);
    expect(await refusal("/traces/reconcile.json?agent_id=a&root_trace_id=none")).toEqual([
      404,
      "trace_not_found_in_window",
    ]);
    expect(await refusal("/traces/reconcile.json")).toEqual([400, "parameter_invalid"]);
  });

  test("nothing that is protected is cached or sniffed", async () => {
    for (const path of ["/traces", "/traces/turns.json", "/nowhere", "/traces/events.json?x=1"]) {
      const { headers } = await desk.get(path);
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("etag")).toBeNull();
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(headers.get("content-security-policy")).not.toContain("unsafe");
    }
  });

  test("markup in an id stays text", async () => {
    const root = "<img src=x onerror=alert(1)>";
    await desk.put(turnEvents({ root, user: "alice" }));
    const html = await (await desk.get("/traces")).text();
    expect(html).not.toContain("<img src=x");
    const json = await (await desk.get("/traces/turns.json")).text();
    expect(json).not.toContain("<img");
  });
});
