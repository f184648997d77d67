/**
 * @module Data directory upgrade: the current collector on the data directory of a version from
 * before migration 007 that was killed with a frame in its journal. Everything that it showed is
 * shown, everything that it acknowledged is there, and new rows are read beside the old.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";

import { attribute } from "@turnproof/semconv";
import { afterAll, beforeAll, expect, test } from "vitest";

import { startCollector } from "../faults/collector-child.ts";
import type { CollectorChild } from "../faults/collector-child.ts";

const run = promisify(execFile);
const fixture = (name: string): URL =>
  new URL(`../../fixtures/data-directory-006/${name}`, import.meta.url);

interface Reported {
  readonly root_trace_id: string;
  readonly event_id?: string;
  readonly [field: string]: unknown;
}
const expected = JSON.parse(gunzipSync(await readFile(fixture("expected.json.gz"))).toString()) as {
  readonly turns: readonly Reported[];
  readonly events: readonly Reported[];
};
/** The root of the request whose answer was the last thing the old version did. */
const lastRoot = "abcdef".padStart(32, "0");

let dataDir: string;
let collector: CollectorChild;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "turnproof-upgrade-"));
  await run("tar", ["-xzf", fixture("turnproof.tar.gz").pathname, "-C", dataDir]);
  collector = await startCollector(dataDir);
});
afterAll(async () => {
  await collector.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** All items of a list, over its pages. */
async function all(path: string): Promise<Reported[]> {
  const items: Reported[] = [];
  for (let after = ""; ;) {
    const answer = await fetch(`${collector.url}${path}limit=200${after}`);
    expect(answer.status).toBe(200);
    const page = (await answer.json()) as { items: Reported[]; next_cursor?: string | null };
    items.push(...page.items);
    if (typeof page.next_cursor !== "string") return items;
    after = `&cursor=${encodeURIComponent(page.next_cursor)}`;
  }
}

/** Only the fields that the other one has. */
const asIn = (other: Reported, one: Reported | undefined): unknown =>
  Object.fromEntries(Object.keys(other).map((field) => [field, one?.[field]]));

const keyOf = (one: Reported): string =>
  JSON.stringify([one.root_trace_id, one.event_id ?? [one["turn_id"], one["agent_id"]]]);

/** The only root whose two agents were one turn by the rules of then; now each has its own. */
const splitSince = "519ed48e46d8fc1e8f16ba6eb5c4ccae";

test.each([
  ["turns", "/traces/turns.json?"],
  ["events", "/traces/events.json?"],
] as const)("every one of its %s is shown as it was", async (name, path) => {
  const shown = new Map((await all(path)).map((one) => [keyOf(one), one]));
  const before = expected[name].filter(
    (one) => name === "events" || one.root_trace_id !== splitSince,
  );
  expect(before.length).toBeGreaterThanOrEqual(50);
  expect(before.map((one) => asIn(one, shown.get(keyOf(one))))).toEqual(before);
});

test("what it acknowledged before it was killed is there once", async () => {
  const events = (await all("/traces/events.json?")).filter(
    ({ root_trace_id }) => root_trace_id === lastRoot,
  );
  expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(30);
  expect(events).toHaveLength(30);
  const health = await (await fetch(`${collector.url}/traces/health.json`)).text();
  expect(health).not.toContain("store_corrupt");
});

test("a column that migration 007 adds is written and read beside the old rows", async () => {
  const traceId = "fedcba".padStart(32, "0");
  const now = `${Date.now()}000000`;
  const text = (key: string, stringValue: string): object => ({ key, value: { stringValue } });
  const span = {
    traceId,
    spanId: "00000000000000aa",
    name: "chat",
    kind: 3,
    startTimeUnixNano: now,
    endTimeUnixNano: now,
    attributes: [
      text(attribute.genai_operation.span, "chat"),
      text(attribute.model.span, "gpt-x"),
      text(attribute.service_tier.span, "flex"),
    ],
  };
  const sent = await fetch(`${collector.url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
  });
  expect(sent.status).toBe(200);
  const written = async (): Promise<Reported | undefined> =>
    (await all("/traces/events.json?")).find(({ root_trace_id }) => root_trace_id === traceId);
  await expect
    .poll(written, { timeout: 60_000 })
    .toMatchObject({ attributes: { service_tier: "flex" } });
});
