/**
 * @module Recounting: what a reader gets about turns over HTTP, and the same counts from the
 * stored events by another path, which reads and folds whole roots.
 */
import { foldTurns, turnKey } from "@turnproof/evidence";
import type { ToolCounts, TurnRow } from "@turnproof/evidence";
import { readRoots } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";
import { compareTimes } from "@turnproof/semconv";
import { expect } from "vitest";

import { differencesOf } from "../../../collector/src/turns/turn-differences.ts";
import type { Differences, SideCounts } from "../../../collector/src/ui/display/differences.ts";
import { readTerms } from "../../../collector/src/ui/display/filter-terms.ts";
import { trendOf } from "../../../collector/src/ui/display/trend.ts";
import { binsOf, facetNames } from "../../../collector/src/ui/display/turn-figures.ts";
import { judgeTurns } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { durationCells, lastingOf } from "./row-cells.ts";
import { facetsOf } from "./row-facets.ts";
import { meaning } from "./turn-meaning.ts";
import type { Turn } from "./turn-meaning.ts";

/** The turns as the stored events have them, judged as this test had them judged. */
export async function turnsOf(store: EvidenceStore): Promise<readonly Turn[]> {
  const roots = new Set<string>();
  let after: object | null = null;
  do {
    const more: object = after === null ? {} : { after };
    const page = await store.page(allTenants, { store: "all" }, { limit: 5_000, ...more });
    for (const { root_trace_id: root } of page.events) roots.add(root ?? "");
    after = page.next;
  } while (after !== null);
  const read = await readRoots(store, allTenants, [...roots]);
  return read.flatMap(({ root, events }) => {
    const own = Map.groupBy(events, turnKey);
    const found = judgedAs(root);
    return foldTurns(events).map((row) => ({
      row: found === undefined ? row : { ...row, ...found, insight_codes: [] },
      own: own.get(turnKey(row)) ?? [],
    }));
  });
}

/** Every third root is judged; a root decides by its name. */
function judgedAs(
  root: string,
): { readonly verdict: string; readonly finding_codes: readonly string[] } | undefined {
  const last = root.charCodeAt(root.length - 1) % 3;
  if (last === 0) return { verdict: "failed", finding_codes: ["delivery_unconfirmed"] };
  return last === 1 ? { verdict: "success", finding_codes: [] } : undefined;
}

export async function judgeAll(desk: Desk, turns: readonly Turn[]): Promise<void> {
  const roots = [...new Set(turns.map(({ row }) => row.root_trace_id ?? ""))];
  for (const [, some] of Map.groupBy(roots, (root) => JSON.stringify(judgedAs(root)))) {
    const found = judgedAs(some[0] ?? "");
    if (found !== undefined) await judgeTurns(desk.store, some, found);
  }
}

/** The turns that a filter means. */
export function passing(turns: readonly Turn[], filter: string): readonly Turn[] {
  const { terms, unclear } = readTerms(filter);
  expect(unclear).toEqual([]);
  return turns.filter((turn) =>
    terms.every(({ key, value, negated }) => meaning[key]?.(turn, value) !== negated),
  );
}

interface Answers {
  readonly list: readonly string[];
  readonly facets: unknown;
  readonly trend: unknown;
  readonly bins: unknown;
  readonly durations: unknown;
  readonly turns: readonly number[];
}

/** What a reader gets under a filter; `salt` passes by what was answered a moment ago. */
export async function reported(desk: Desk, filter: string, salt: string): Promise<Answers> {
  const query = `q=${encodeURIComponent(`${filter} -agent:${salt}`)}`;
  const { facets, turns } = await desk.json<{ facets: { key: string }[]; turns: number }>(
    `/traces/facets.json?${query}`,
  );
  const trend = await desk.json<ReturnType<typeof trendOf>>(`/traces/trend.json?${query}`);
  const count = await desk.json<{ bins: unknown; turns: number }>(`/traces/overview.json?${query}`);
  const lasting = await desk.json<{ durations: unknown }>(
    `/traces/overview.json?chart=duration&${query}`,
  );
  return {
    list: (await listed(desk, query)).map(turnKey).toSorted(),
    facets: facets.filter(({ key }) => !notInRows.has(key)),
    trend: plainTrend(trend),
    bins: count.bins,
    durations: lasting.durations,
    turns: [turns, count.turns, trend.turns],
  };
}

/**
 * Facets that are counted over the events of a turn: its row has one application, no environment.
 */
const notInRows: ReadonlySet<string> = new Set(["app", "env"]);

function plainTrend({ slices, releases, ...sums }: ReturnType<typeof trendOf>): unknown {
  const figures = Object.keys(trendOf([], 0)).filter((name) => name in sums);
  return {
    ...Object.fromEntries(figures.map((name) => [name, sums[name as keyof typeof sums]])),
    slices,
    releases: releases.toSorted((a, b) => a.first_ms - b.first_ms || order(a.release, b.release)),
  };
}

function order(a: string | null, b: string | null): number {
  return (a ?? "") < (b ?? "") ? -1 : Number(a !== b);
}

async function listed(desk: Desk, query: string): Promise<readonly TurnRow[]> {
  const rows: TurnRow[] = [];
  let cursor = "";
  for (;;) {
    const page = await desk.json<{ items: TurnRow[]; next_cursor: string | null }>(
      `/traces/turns.json?${query}&limit=97${cursor}`,
    );
    rows.push(...page.items);
    if (page.next_cursor === null) return rows;
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
  }
}

export function recounted(turns: readonly Turn[], filter: string, nowMs: number): Answers {
  const kept = passing(turns, filter);
  const rows = kept.map(({ row }) => row);
  const plain = JSON.parse(
    JSON.stringify({
      facets: facetsOf(rows, 50).filter(({ key }) => !notInRows.has(key)),
      trend: plainTrend(trendOf(rows, nowMs)),
      bins: binsOf(rows, nowMs),
      durations: durationCells(lastingOf(rows)),
    }),
  ) as Answers;
  const { length } = rows;
  return { ...plain, list: rows.map(turnKey).toSorted(), turns: [length, length, length] };
}

interface Group {
  readonly turns: number;
  readonly turns_with_error: number;
  readonly verdicts: unknown;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly duration_unknown: number;
  readonly tools: ToolCounts;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly models: readonly string[];
}

const groupFields = [
  "turns",
  "turns_with_error",
  "verdicts",
  "p50_ms",
  "p95_ms",
  "duration_unknown",
  "tools",
  "input_tokens",
  "output_tokens",
  "models",
] as const satisfies readonly (keyof Group)[];

function plainGroup(of: Group): unknown {
  return Object.fromEntries(groupFields.map((field) => [field, of[field]]));
}

export function recountedGroups(
  turns: readonly Turn[],
  by: "agent_id" | "thread_id",
): ReadonlyMap<string | null, unknown> {
  const groups = Map.groupBy(turns, ({ row }) => row[by] ?? null);
  return new Map(
    [...groups].map(([value, own]) => {
      const rows = own.map(({ row }) => row);
      const { verdicts, p50_ms, p95_ms, duration_unknown } = trendOf(rows, 0);
      const sum = (of: (row: TurnRow) => number | null): number | null => {
        const stated = rows.flatMap((row) => of(row) ?? []);
        return stated.length === 0 ? null : stated.reduce((total, one) => total + one, 0);
      };
      const outcomes = Object.keys(rows[0]?.tools ?? {}) as (keyof ToolCounts)[];
      const tools = Object.fromEntries(
        outcomes.map((name) => [name, sum((row) => row.tools[name]) ?? 0]),
      ) as unknown as ToolCounts;
      const group: Group = {
        turns: rows.length,
        turns_with_error: rows.filter((row) => row.has_error).length,
        verdicts,
        p50_ms,
        p95_ms,
        duration_unknown,
        tools,
        input_tokens: sum((row) => row.input_tokens),
        output_tokens: sum((row) => row.output_tokens),
        models: [...new Set(rows.flatMap((row) => row.models))].toSorted(),
      };
      return [value, plainGroup(group)] as const;
    }),
  );
}

export async function reportedGroups(
  desk: Desk,
  by: "agent_id" | "thread_id",
): Promise<ReadonlyMap<string | null, unknown>> {
  const groups = new Map<string | null, unknown>();
  let cursor = "";
  for (;;) {
    const path = by === "agent_id" ? "/agents.json?limit=3" : "/threads.json?limit=50";
    const page = await desk.json<{
      items: (Group & { agent_id: string | null; thread_id: string | null })[];
      next_cursor: string | null;
    }>(`${path}${cursor}`);
    for (const item of page.items) {
      expect(groups.has(item[by])).toBe(false);
      groups.set(item[by], plainGroup(item));
    }
    if (page.next_cursor === null) return groups;
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
  }
}

/** Equal, answer by answer; a difference of large answers is shown from where it begins. */
export function expectEqual(reported: object, recount: object, filter = ""): void {
  for (const [name, value] of Object.entries(recount)) {
    const [a, b] = [sortedJson((reported as Record<string, unknown>)[name]), sortedJson(value)];
    let at = 0;
    while (at < a.length && a[at] === b[at]) at += 1;
    const part = (text: string): string => text.slice(Math.max(0, at - 60), at + 60);
    expect([filter, name, part(a), a.length]).toEqual([filter, name, part(b), b.length]);
  }
}

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}

/** Counts of a filter beside all other turns. */
export type Beside = Omit<Differences, "cut">;

export async function reportedBeside(desk: Desk, filter: string, salt: string): Promise<Beside> {
  const query = `q=${encodeURIComponent(`${filter} -agent:${salt}`)}`;
  const { these, others, values, tested, unrecorded } = await desk.json<Differences>(
    `/traces/differences.json?${query}`,
  );
  return { these, others, values, tested, unrecorded };
}

export function recountedBeside(turns: readonly Turn[], filter: string): Beside {
  const these = passing(turns, filter);
  const ends = these.map(({ row }) => row.ended_at).toSorted(compareTimes);
  const [first, last] = [ends[0], ends.at(-1)];
  const around = turns.filter(
    ({ row: { ended_at: at } }) =>
      first === undefined ||
      last === undefined ||
      (compareTimes(at, first) >= 0 && compareTimes(at, last) <= 0),
  );
  const { cut: _cut, ...sides } = differencesOf(sideOf(these), sideOf(around), {
    names: new Map(facetNames),
    terms: readTerms(filter).terms,
  });
  return sides;
}

function sideOf(turns: readonly Turn[]): SideCounts {
  const stated = turns.map(({ row, own }) => {
    const facets = facetsOf([row], Infinity).map(
      ({ key, values }) => [key, values.map(({ value }) => value)] as const,
    );
    // A turn across services is of the application of every one of its events.
    const apps = new Set(own.flatMap(({ application_id: id }) => id ?? []));
    // No row has the environments.
    const environments = new Set(
      own.flatMap(({ attributes: of }) => of.deployment_environment ?? []),
    );
    return new Map<string, readonly string[]>([
      ...facets,
      ["app", [...apps]],
      ["env", [...environments]],
    ]);
  });
  const keys = facetNames.map(([key]) => {
    const counts = new Map<string, number>();
    for (const value of stated.flatMap((one) => one.get(key) ?? [])) {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const unrecorded = stated.filter((one) => (one.get(key) ?? []).length === 0).length;
    return { key, counts, unrecorded, total: counts.size };
  });
  return { turns: turns.length, keys };
}
