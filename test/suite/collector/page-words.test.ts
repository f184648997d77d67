/**
 * Words of pages: a list with more pages has no warning, Health lists every kind, a metric of time
 * is a duration, and an empty range has its reason.
 */
import { eventKinds } from "@turnproof/semconv";
import { afterAll, beforeAll, expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

let desk: Desk;

beforeAll(async () => {
  desk = await openDesk({}, { judge: false });
  const [whole, model, tool] = turnEvents({ root: "root-1", user: "alice" }) as Three;
  const kinds = eventKinds.filter((kind) => !/^(turn|span|model_call|tool_call)$/.test(kind));
  const others = kinds.map((kind, n) => ({
    ...tool,
    event_id: `other-${n}`,
    event_kind: kind,
    span_id: `span-${n}`,
    attributes:
      kind === "outcome"
        ? { outcome: "resolved", metric_names: ["seconds_to_receipt"], metric_values: [36] }
        : {},
  }));
  const [second, ...rest] = turnEvents({ root: "root-2", user: "bob" }) as Three;
  // One side of a comparison repeats its tool.
  const again = { ...tool, event_id: "again", span_id: "again" };
  await desk.put([whole, model, tool, again, ...others, second, ...rest]);
});
afterAll(() => desk.collector.close());

type Three = [
  ReturnType<typeof turnEvents>[number],
  ReturnType<typeof turnEvents>[number],
  ReturnType<typeof turnEvents>[number],
];

/** Text of a page, without its elements. */
async function words(path: string): Promise<string> {
  const page = await (await desk.get(path, { accept: "text/html" })).text();
  return page.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
}

test("a list with further pages says so, without a warning", async () => {
  const page = await (await desk.get("/traces?limit=1", { accept: "text/html" })).text();
  expect(page).toMatch(/class="badge plain"[\s\S]{0,300}More pages/);
  expect(page).not.toContain("One page");
});

test("an empty range says why it is empty", async () => {
  const range = "start_time=2026-11-22T00:00:00Z&end_time=2026-11-21T00:00:00Z";
  expect(await words(`/traces?${range}`)).toContain(
    "is an empty range: its end is not after its start",
  );
});

test("health lists every kind, and what was read", async () => {
  const page = await words("/traces/health");
  expect(page).not.toMatch(/and \d+ more in the JSON|, bounded|bounded window/);
  const { kind_counts: counts } = await desk.json<{ kind_counts: object }>("/traces/health.json");
  const listed = Number(/Kinds (\d+)/.exec(page)?.[1]);
  expect(listed).toBe(Object.keys(counts).length);
  expect(listed).toBeGreaterThan(12);
  const card = await (await desk.get("/traces/health", { accept: "text/html" })).text();
  const [, kinds = ""] = card.split(/aria-label="Kinds"/);
  expect(kinds.split("</section>")[0]?.match(/<dt>/g)).toHaveLength(listed);
  expect(page).toMatch(/read every row|the newest rows, up to [\d,]+ of each store/);
});

test("find offers the memory of the tenant, and of anonymous users", async () => {
  const page = await words("/traces/find?id=nowhere");
  expect(page).toContain("Search memory of tenant nowhere");
  expect(page).toContain("Search anonymous memory");
  expect(page).not.toMatch(/It is anonymous|names it|may name/);
});

test("a comparison says why a pair is uncertain", async () => {
  const page = await words(
    "/traces/compare?agent_id=helper&baseline_root=root-1&candidate_root=root-2",
  );
  expect(page).toContain("may match the wrong calls: one side repeats an operation more often");
  expect(page).not.toContain("equal siblings");
});

test("a metric of time is a duration", async () => {
  const page = await words("/traces/root-1");
  expect(page).toMatch(/time to receipt 36 s/);
  expect(page).not.toContain("seconds to receipt");
});

test("a comparison of releases explains its brackets and what is unknown", async () => {
  const page = await words("/traces/compare/releases?a=user:alice&b=user:bob");
  expect(page).toContain(
    "[low, high] is the 95 % confidence interval of its figure alone, without a correction",
  );
  expect(page).not.toMatch(/\+\d+\?/);
});
