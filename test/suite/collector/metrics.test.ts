/** `/metrics` as a public parser reads it: families once, counters that only grow, true counts. */
import parsePrometheus from "parse-prometheus-text-format";
import { ephemeral } from "@turnproof/store";
import { afterAll, beforeAll, expect, test } from "vitest";

import { storySpans } from "../../apps/briefing/story.ts";
import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import { openDesk } from "./desk.ts";
import type { Desk } from "./desk.ts";

interface Sample {
  readonly value?: string;
  readonly labels?: Readonly<Record<string, string>>;
}
interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly metrics: readonly Sample[];
}

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({}, { store: ephemeral() });
});
afterAll(() => desk.collector.close());

async function scrape(): Promise<ReadonlyMap<string, Family>> {
  const answer = await desk.get("/metrics");
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const families = parsePrometheus(await answer.text()) as readonly Family[];
  const byName = new Map(families.map((family) => [family.name, family]));
  expect(byName.size).toBe(families.length);
  return byName;
}

function valueOf(families: ReadonlyMap<string, Family>, name: string): number {
  return Number(families.get(name)?.metrics[0]?.value);
}

async function post(body: Uint8Array): Promise<number> {
  const answer = await desk.collector.app.request("http://localhost:4318/v1/traces", {
    method: "POST",
    headers: { "content-type": "application/x-protobuf" },
    body: Uint8Array.from(body),
  });
  return answer.status;
}

test("each family has a help text and a type that fits its name", async () => {
  for (const { name, type, help } of (await scrape()).values()) {
    expect([name, help.length > 5]).toEqual([name, true]);
    // What is lost stays lost, so a rate over a loss has a meaning.
    const only = name.endsWith("_total") || /_(?:lost|corrupt|failures)_?/.test(name);
    const expected = only ? ["COUNTER"] : ["GAUGE", "HISTOGRAM"];
    expect([name, expected]).toEqual([name, expect.arrayContaining([type])]);
  }
});

test("counters count what arrived, and none falls", async () => {
  const before = await scrape();
  const [spans = []] = await storySpans({ endMs: Date.now() });
  expect(await post(encodeProtobuf(traceRequest(spans)))).toBe(200);
  expect(await post(Buffer.from("no protobuf"))).toBe(400);
  const after = await scrape();
  const grown = (name: string): number => valueOf(after, name) - valueOf(before, name);
  expect(grown("turnproof_ingest_received_total")).toBe(spans.length);
  expect(grown("turnproof_ingest_requests_total")).toBe(2);
  expect(valueOf(after, "turnproof_ingest_balanced")).toBe(1);
  for (const [name, { type, metrics }] of before) {
    if (type !== "COUNTER") continue;
    for (const { labels, value } of metrics) {
      const now = after.get(name)?.metrics.find((one) => sameLabels(one, labels));
      expect([name, Number(now?.value) >= Number(value)]).toEqual([name, true]);
    }
  }
});

function sameLabels(one: Sample, labels: Sample["labels"]): boolean {
  return JSON.stringify(one.labels ?? {}) === JSON.stringify(labels ?? {});
}

test("the histogram of answers is cumulative and counts each request of a route", async () => {
  const requested = 5;
  for (let i = 0; i < requested; i += 1) await desk.get("/healthz");
  await desk.get("/traces/turns.json?no_such_parameter=1");
  // The parser merges the label sets of a histogram, so its lines are read here.
  const text = await (await desk.get("/metrics")).text();
  const name = "turnproof_http_request_duration_seconds";
  const labels = 'route="GET /healthz",status="2xx"';
  const lines = text.split("\n").filter((line) => line.includes(labels));
  const valueOfLine = (line = ""): number => Number(line.slice(line.lastIndexOf(" ")));
  const counts = lines.filter((line) => line.startsWith(`${name}_bucket`)).map(valueOfLine);
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  expect(counts.at(-1)).toBe(requested);
  expect(lines.find((line) => line.includes('le="+Inf"'))).toMatch(/ 5$/);
  expect(valueOfLine(lines.find((line) => line.startsWith(`${name}_count`)))).toBe(requested);
  expect(valueOfLine(lines.find((line) => line.startsWith(`${name}_sum`)))).toBeGreaterThan(0);
  expect(text).toContain(`${name}_count{route="GET /traces/turns.json",status="4xx"} 1`);
});
