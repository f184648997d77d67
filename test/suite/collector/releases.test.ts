/**
 * Releases over HTTP: what differs between the turns of two releases or filters, over all of them,
 * with the numbers of a count by another path, inside the caller's scope.
 */
import type { TurnQuery } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { openPriceList } from "../../../collector/src/cost/price-list.ts";
import { compareCohorts } from "../../../collector/src/turns/cohorts.ts";
import type { ReleasesModel } from "../../../collector/src/pages/releases/route.ts";
import type { CohortRow } from "../../../collector/src/ui/display/cohort-figures.ts";
import { judgeTurns, openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

const accounts = JSON.stringify({
  otto: { token: "otto-q7KxZt4Wm9Rc2Yd8", role: "viewer" },
  alice: { token: "alice-q7KxZt4Wm9Rc2Yd8", role: "viewer", user_id: "alice" },
});
const as = (name: string): Record<string, string> => ({
  authorization: `Bearer ${name}-q7KxZt4Wm9Rc2Yd8`,
});
const turns = 120;
const releasedAt = 70;

let desk: Desk;

const isNew = (n: number): boolean => n >= releasedAt;
const hasFailed = (n: number): boolean => isNew(n) && n % 2 === 0;
const msOf = (n: number): number => (isNew(n) ? 4_000 + n : 1_000 + n);
const userOf = (n: number): string => (n % 4 === 0 ? "bob" : "alice");

/** Turn n, ten minutes after the one before: from the release on slower, and half fail. */
function turn(n: number): ReturnType<typeof turnEvents> {
  const at = new Date(Date.UTC(2026, 10, 20, 0, n * 10)).toISOString();
  const release = isNew(n) ? "1.1.0" : "1.0.0";
  return turnEvents({ root: `root-${n}`, at, user: userOf(n), thread: "thr" }).map((event) => ({
    ...event,
    ...(event.event_kind === "tool_call" && hasFailed(n)
      ? { status: "error" as const, attributes: { tool_name: "search", tool_outcome: "error" } }
      : {}),
    ...(event.event_kind === "turn"
      ? {
          duration_ms: msOf(n),
          timestamp: new Date(Date.parse(at) + msOf(n)).toISOString(),
          attributes: { service_version: release },
        }
      : {}),
    ...(event.event_kind === "model_call"
      ? { attributes: { model: "small-1", input_tokens: isNew(n) ? 40 + (n % 3) : 12 } }
      : {}),
  })) as ReturnType<typeof turnEvents>;
}

beforeAll(async () => {
  desk = await openDesk({ TURNPROOF_UI_ACCOUNTS: accounts }, { judge: false });
  const all = Array.from({ length: turns }, (_, n) => n);
  await desk.put(all.flatMap((n) => turn(n)));
  const roots = (some: readonly number[]): string[] => some.map((n) => `root-${n}`);
  const [bad, good] = [all.filter(hasFailed), all.filter((n) => !hasFailed(n))];
  await judgeTurns(desk.store, roots(bad), {
    verdict: "failed",
    finding_codes: ["delivery_missing"],
  });
  await judgeTurns(desk.store, roots(good), { verdict: "success", finding_codes: [] });
});
afterAll(() => desk.collector.close());

const compare = (query = "", name = "otto"): Promise<ReleasesModel> =>
  desk.json<ReleasesModel>(`/traces/compare/releases.json${query}`, as(name));

function row(model: ReleasesModel, group: string, name: string): CohortRow {
  const rows = model.compared?.groups.find((one) => one.name === group)?.rows ?? [];
  const found = rows.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no ${group}: ${name} in ${JSON.stringify(rows)}`);
  return found;
}

test("the last two releases are the sides, with every turn of both", async () => {
  const model = await compare();
  expect(model.terms).toEqual({ a: "release:1.0.0", b: "release:1.1.0" });
  expect(model.compared).toMatchObject({ a: { turns: 70 }, b: { turns: 50 }, both: 0 });
  expect(model.compared?.agents).toEqual([{ agent_id: "helper", a: 70, b: 50 }]);
  const failed = row(model, "Verdicts", "failed");
  expect(failed).toMatchObject({
    a: { hits: 0, of: 70, value: 0, low: 0 },
    b: { hits: 25, of: 50, value: 0.5 },
    difference: 0.5,
    significant: true,
    term: "verdict:failed",
  });
  // Fisher: the chance that all 25 failed turns are among 50 of 120, both directions, corrected.
  const ways = Array.from({ length: 25 }, (_, at) => (50 - at) / (120 - at));
  const chance = 2 * ways.reduce((product, one) => product * one, 1);
  expect(failed.p).toBeGreaterThanOrEqual(chance * 0.99);
  expect(failed.p).toBeLessThanOrEqual(chance * (model.compared?.tested ?? 0) * 1.01);
  expect(failed.b.low).toBeCloseTo(0.355_27, 3);
  expect(failed.b.high).toBeCloseTo(0.644_73, 3);
});

test("durations, tokens, calls and findings are those of the turns", async () => {
  const model = await compare();
  const half = row(model, "Duration of a turn", "p50");
  const middle = (from: number, to: number): number => {
    const all = Array.from({ length: to - from }, (_, n) => msOf(from + n));
    return all.toSorted((a, b) => a - b)[Math.ceil(all.length / 2) - 1] ?? NaN;
  };
  expect([half.a.value, half.b.value]).toEqual([middle(0, 70), middle(70, 120)]);
  for (const { value, low, high } of [half.a, half.b]) {
    expect([value, low, high]).not.toContain(null);
    expect([(low ?? 0) <= (value ?? 0), (high ?? 0) >= (value ?? 0)]).toEqual([true, true]);
  }
  expect(half.significant).toBe(true);
  const tokens = row(model, "Tokens and cost of a turn", "input tokens");
  const mean = Array.from({ length: 50 }, (_, n) => 40 + ((n + 70) % 3));
  expect(tokens.a).toMatchObject({ value: 12, of: 70, unknown: 0 });
  expect(tokens.b.value).toBeCloseTo(mean.reduce((sum, one) => sum + one, 0) / 50, 9);
  expect(tokens.significant).toBe(true);
  expect(row(model, "Tools", "search: failed")).toMatchObject({
    a: { hits: 0, of: 70 },
    b: { hits: 25, of: 50, value: 0.5 },
    significant: true,
  });
  const finding = row(model, "Errors and findings", "Delivery missing");
  expect(finding).toMatchObject({ b: { hits: 25 }, term: "finding:delivery_missing" });
  // No turn has a record of its supply: unknown, and no share.
  expect(row(model, "Memory supply", "memory supplied")).toMatchObject({
    a: { value: null, of: 0, unknown: 70 },
    p: null,
  });
  expect(row(model, "Models", "small-1")).toMatchObject({ significant: false, difference: 0 });
});

test("a row's term counts the same turns in the list", async () => {
  const model = await compare("?user_id=bob");
  for (const [side, terms] of Object.entries(model.terms ?? {})) {
    for (const one of model.compared?.groups.flatMap(({ rows }) => rows) ?? []) {
      if (one.unit !== "share" || one.term?.startsWith("call:") !== false) continue;
      const query = new URLSearchParams({ user_id: "bob", q: `${terms} ${one.term}` });
      const list = await desk.json<{ turns: number }>(`/traces/trend.json?${query}`, as("otto"));
      const { hits, value } = one[side as "a" | "b"];
      if (value !== null) expect([one.name, list.turns]).toEqual([one.name, hits]);
    }
  }
});

test("two filters, the turns on both sides, and pairs of turns", async () => {
  const model = await compare("?a=release:1.1.0&b=verdict:failed");
  expect(model.compared).toMatchObject({ a: { turns: 50 }, b: { turns: 25 }, both: 25 });
  const { compared } = await compare();
  expect(compared?.pairs[0]).toMatchObject({
    agent_id: "helper",
    baseline_root: "root-69",
    candidate_root: "root-70",
  });
  const only = await compare("?a=agent:nobody&b=release:1.0.0");
  expect(only.compared).toMatchObject({ a: { turns: 0, first_ms: null }, pairs: [] });
});

test("each side is read once: one statement for its figures, and none beside where it is empty", async () => {
  const { ledger } = desk.store;
  const figures = vi.spyOn(ledger, "turnFigures");
  const others = (["turnCounts", "turnFacets", "callFigures"] as const).map((name) =>
    vi.spyOn(ledger, name),
  );
  const calls = (): readonly number[] => [figures, ...others].map(({ mock }) => mock.calls.length);
  const prices = await openPriceList(undefined);
  const release = (has: string): TurnQuery => ({
    scope: allTenants,
    where: [{ list: "release", has }],
  });
  const sides = { a: release("1.0.0"), b: release("1.1.0") };
  expect((await compareCohorts(ledger, sides, prices)).a.turns).toBe(releasedAt);
  // Whole and by interval.
  expect(calls()).toEqual([4, 2, 2, 4]);
  vi.clearAllMocks();
  // The figures of the offered releases are those of the whole sides; the others are read together.
  // A collector takes the methods of its store as it opens.
  const counted = await openDesk({}, { judge: false, store: desk.store });
  const { compared } = await counted.json<ReleasesModel>("/traces/compare/releases.json");
  await counted.collector.close();
  expect(compared?.b).toMatchObject({ turns: turns - releasedAt });
  expect(calls()).toEqual([2, 2, 2, 2]);
  vi.clearAllMocks();
  await compareCohorts(ledger, { a: release("none"), b: release("none") }, prices);
  expect(calls()).toEqual([2, 0, 0, 0]);
  vi.restoreAllMocks();
});

test("a tenant compares its own turns; foreign ones and unknown words are refused", async () => {
  const { compared } = await compare("", "alice");
  const own = (from: number, to: number): number =>
    Array.from({ length: to - from }, (_, n) => userOf(from + n)).filter((is) => is === "alice")
      .length;
  expect(compared).toMatchObject({ a: { turns: own(0, 70) }, b: { turns: own(70, 120) } });
  const foreign = await compare("?a=user:bob&b=user:bob", "alice");
  expect(foreign.compared).toMatchObject({ a: { turns: 0 }, b: { turns: 0 } });
  for (const query of ["?a=latency%3Along", "?limit=5", "?b=user:x&c=1"]) {
    const response = await desk.get(`/traces/compare/releases.json${query}`, as("otto"));
    expect(response.status, query).toBe(400);
  }
});
