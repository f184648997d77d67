/**
 * @module Standing contracts: results are stored beside the verdict, can be filtered by, and are
 * shown; a changed contract judges new turns; a wrong file changes nothing and is named.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { TurnEvent } from "@turnproof/evidence";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { openLoadedContracts } from "../../../collector/src/judge/loaded-contracts.ts";
import type { GateModel } from "../../../collector/src/pages/gate/route.ts";
import type { HealthModel } from "../../../collector/src/pages/health/route.ts";
import type { TurnModel } from "../../../collector/src/pages/turn/turn-reading.ts";
import type { FacetsModel } from "../../../collector/src/pages/turns/facets.ts";
import type { TurnsModel } from "../../../collector/src/pages/turns/route.ts";
import { judgeTurns, openDesk, quiet, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { Stand } from "./stopped-judge.ts";

let now = Date.parse("2026-11-21T10:01:00Z");
const folder = mkdtempSync(join(tmpdir(), "turnproof-contracts-"));
const file = join(folder, "desk.yaml");
const contract = (name: string, tool: string): string =>
  `version: 1\ncontracts:\n  - name: ${name}\n    expect:\n` +
  `      - { clause: calls, tool: ${tool}, never: true }\n`;

let desk: Desk;
const turnOf = (root: string, user?: string): TurnEvent[] =>
  turnEvents({ root, ...(user === undefined ? {} : { user }) });

/** A turn whose own result is recorded last. */
const ended = (root: string, user?: string): TurnEvent[] =>
  turnOf(root, user).map((event) =>
    event.event_kind === "turn" ? { ...event, timestamp: "2026-11-21T09:59:05.000Z" } : event,
  );

const found = async (q: string): Promise<readonly string[]> => {
  const page = await desk.json<TurnsModel>(`/traces/turns.json?q=${encodeURIComponent(q)}`);
  return page.items.map(({ root_trace_id: root }) => root ?? "").toSorted();
};

const tool = turnOf("x").find(({ event_kind: kind }) => kind === "tool_call")?.attributes.tool_name;

beforeAll(async () => {
  writeFileSync(file, contract("no-tool", tool ?? ""));
  const env = { TURNPROOF_CONTRACTS: folder };
  desk = await openDesk(env, { now: () => now, judge: { quietMs: 1_000, everyMs: 20 } });
});
afterAll(async () => {
  await desk.collector.close();
  rmSync(folder, { recursive: true });
});

test("a turn is found by the result of a contract, and by that of a version", async () => {
  expect(tool).toBeTypeOf("string");
  await desk.put(ended("first"));
  await vi.waitFor(async () => expect(await found("contract:no-tool=violated")).toEqual(["first"]));
  expect(await found("contract:no-tool=holds")).toEqual([]);
  expect(await found("-contract:no-tool=violated")).toEqual([]);
  const { contracts } = await desk.json<TurnModel>("/traces/first.json");
  const [turn] = contracts ?? [];
  const [result] = turn?.results ?? [];
  expect(turn?.recorded).toEqual([
    { contract: "no-tool", version: result?.version, result: "violated" },
  ]);
  expect(await found(`contract:no-tool@${result?.version ?? ""}=violated`)).toEqual(["first"]);
  expect(await found("contract:no-tool@000000000000=violated")).toEqual([]);
  expect((await desk.get("/traces/turns.json?q=contract%3Ano-tool")).status).toBe(400);
});

test("a changed contract judges new turns by its new version; a wrong file changes nothing", async () => {
  const { contracts: before } = await desk.json<TurnModel>("/traces/first.json");
  writeFileSync(file, "version: 1\ncontracts: [{ name: broken }]\n");
  await vi.waitFor(
    async () => {
      const { contracts } = await desk.json<HealthModel>("/traces/health.json");
      expect(contracts?.problems?.[0]?.path).toMatch(/^desk\.yaml:2 contracts\[0\]\.expect/);
    },
    { timeout: 30_000 },
  );
  const { contracts: same } = await desk.json<TurnModel>("/traces/first.json");
  expect(same).toEqual(before);
  expect(await (await desk.get("/traces/health")).text()).toContain("the last good ones stay");
  writeFileSync(file, contract("no-tool", "another"));
  await vi.waitFor(
    async () => {
      const { contracts } = await desk.json<HealthModel>("/traces/health.json");
      expect(contracts?.problems).toEqual([]);
    },
    { timeout: 30_000 },
  );
  now += 60_000;
  await desk.put(ended("second"), "2026-11-21T10:01:30.000000Z");
  await vi.waitFor(async () => expect(await found("contract:no-tool=holds")).toEqual(["second"]));
  expect(await found("contract:no-tool=violated")).toEqual(["first"]);
  const page = await (await desk.get("/traces/first", { accept: "text/html" })).text();
  expect(page).toContain("Stored when the turn was judged: violated, by version");
});

test("the facet counts the turns of each result, as its filter finds them", async () => {
  const facetOf = async (query = ""): Promise<FacetsModel["facets"][number] | undefined> => {
    const { facets } = await desk.json<FacetsModel>(`/traces/facets.json${query}`);
    return facets.find(({ key }) => key === "contract");
  };
  const values = ["no-tool=holds", "no-tool=violated"].map((value) => ({ value, count: 1 }));
  expect(await facetOf()).toEqual({ key: "contract", name: "Contract", values, total: 2 });
  for (const { value, count } of values) {
    expect(await found(`contract:${value}`)).toHaveLength(count);
  }
  const violated = await facetOf("?q=contract:no-tool%3Dviolated");
  expect(violated?.values).toEqual(values.slice(1));
  expect(await facetOf("?user_id=nobody-here")).toBeUndefined();
});

test("health counts the turns of the present version in the reader's scope", async () => {
  const { contracts } = await desk.json<HealthModel>("/traces/health.json");
  const row = contracts?.counts.find(({ contract: name }) => name === "no-tool");
  expect(row).toMatchObject({ holds: 1, violated: 0, not_established: 0 });
  const other = await desk.json<HealthModel>("/traces/health.json?user_id=nobody-here");
  expect(other.contracts?.counts.every(({ holds }) => holds === 0)).toBe(true);
});

test("turns of a time before there were contracts are in no count, and their number is shown", async () => {
  const env = { TURNPROOF_CONTRACTS: folder };
  const before = await openDesk(env, { now: () => now, judge: false });
  try {
    const earlier = ["old-1", "old-2"].flatMap((root) => ended(root));
    await before.put(earlier);
    await judgeTurns(before.store, ["old-1"], { verdict: "success", finding_codes: [] });
    const { contracts } = await before.json<HealthModel>("/traces/health.json");
    expect(contracts).toMatchObject({ without_result: 2 });
    expect(contracts?.counts.every((row) => row.holds + row.violated === 0)).toBe(true);
    const page = await before.get("/traces/health", { accept: "text/html" });
    expect(await page.text()).toContain("2 turns have no stored result");
  } finally {
    await before.collector.close();
  }
});

test("the gate compares two filters, names the turns behind each cell, and keeps the scope", async () => {
  const of = (side: string, count: number, tools: boolean): TurnEvent[] =>
    Array.from({ length: count }, (_, at) => ended(`${side}-${at}`, side))
      .flat()
      .filter(({ event_kind: kind }) => tools || kind !== "tool_call");
  writeFileSync(file, contract("no-tool", tool ?? ""));
  await desk.put(
    [...of("before", 40, false), ...of("after", 40, true)],
    "2026-11-21T10:01:40.000000Z",
  );
  const model = async (query: string): Promise<GateModel> =>
    desk.json<GateModel>(`/traces/compare/gate.json?${query}`);
  const both = "baseline=user:before&candidate=user:after";
  await vi.waitFor(
    async () => expect((await model(both)).answer?.report.outcome).toBe("regressed"),
    { timeout: 30_000 },
  );
  const { answer, read } = await model(both);
  expect(read).toEqual({ baseline: 40, candidate: 40 });
  expect(answer?.report.contracts[0]).toMatchObject({
    name: "no-tool",
    baseline: { holds: 40, violated: 0 },
    candidate: { holds: 0, violated: 40 },
  });
  expect(answer?.plans.contracts["no-tool"]?.smallestDrop).toBeGreaterThan(0);
  const behind = answer?.turns.filter(({ result }) => result === "violated") ?? [];
  expect(behind).toHaveLength(40);
  expect(behind.every(({ side, root_trace_id: root }) => side === "candidate" && root)).toBe(true);
  const page = await (await desk.get(`/traces/compare/gate?${both}`)).text();
  expect(page).toContain("regressed");
  expect(page).toMatch(/href="\/traces\/after-\d+\?turn_id=/);
  // A median leads to the turns of its side, the longest first.
  const medians = "/traces?q=user%3Aafter&amp;sort=duration_ms";
  expect(page).toContain(` href="${medians}">`);
  const listed = await (await desk.get(medians.replace("&amp;", "&"))).text();
  expect(listed).toMatch(/after-\d+/);
  expect(listed).not.toMatch(/before-\d+/);
  expect((await model(`${both}&limit=5`)).answer?.bounded).toEqual(["baseline", "candidate"]);
  // Another tenant's turns are on no side.
  expect((await model(`${both}&user_id=before`)).read).toEqual({ baseline: 40, candidate: 0 });
  expect((await model("baseline=user:before")).answer).toBeNull();
  const unclear = "baseline=user:a&candidate=x:y";
  const refused = await desk.get(`/traces/compare/gate.json?${unclear}`);
  expect(await refused.json()).toMatchObject({
    code: "parameter_invalid",
    field: "candidate",
  });
  const html = { accept: "text/html" };
  const requested = await (await desk.get(`/traces/compare/gate?${unclear}`, html)).text();
  expect(requested).toMatch(/Nothing is compared[^]*Candidate: <mark>x:y<\/mark>/);
});

test("a draft at the drain and a judge that reads back store the same results", async () => {
  const contracts = await openLoadedContracts({ contracts: folder });
  const named = async (recorded: boolean): Promise<readonly (readonly string[])[]> => {
    const stand = new Stand(desk.dataDir, { recorded, contracts, lasting: false });
    await stand.put(ended("root"));
    stand.now += 60_000;
    const judge = stand.judge();
    await judge.look();
    await judge.close();
    const records = await stand.records();
    return records.map(({ names }) => names.filter((name) => name.startsWith("contract:")));
  };
  const drafted = await named(true);
  expect(drafted.flat()).toContain("contract:no-tool=violated");
  expect(await named(false)).toEqual(drafted);
  contracts?.close();
});

test("a wrong folder stops the start with file, path and rule", async () => {
  const wrong = mkdtempSync(join(tmpdir(), "turnproof-contracts-"));
  writeFileSync(join(wrong, "bad.yaml"), "version: 2\n");
  await expect(openDesk({ TURNPROOF_CONTRACTS: wrong })).rejects.toMatchObject({
    problems: [{ variable: "TURNPROOF_CONTRACTS", problem: expect.stringMatching(/bad\.yaml/) }],
  });
  const lines: string[] = [];
  const log = { ...quiet, warn: (event: string) => void lines.push(event) };
  const standing = await openLoadedContracts({ contracts: wrong }, log);
  standing?.look();
  standing?.close();
  expect(lines).toEqual(["contracts_invalid"]);
  rmSync(wrong, { recursive: true });
});
