/**
 * @module Recounting: what a reader is told about turns over HTTP, and the same counts from the
 * stored events by another path, which reads and folds whole roots.
 */
import { foldTurns, turnKey } from "@turnproof/evidence";
import type { ToolCounts, TurnRow } from "@turnproof/evidence";
import { readRoots } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { everybody } from "@turnproof/store/testing";
import { expect } from "vitest";

import { durationCells, lastingOf } from "../../../collector/src/ui/display/duration-cells.ts";
import { readTerms } from "../../../collector/src/ui/display/filter-terms.ts";
import { trendOf } from "../../../collector/src/ui/display/trend.ts";
import { binsOf, facetsOf } from "../../../collector/src/ui/display/turn-figures.ts";
import { judgeTurns } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { meaning } from "./turn-meaning.ts";
import type { Turn } from "./turn-meaning.ts";

/** The turns as the stored events say them, judged as this test had them judged. */
export async function turnsOf(store: EvidenceStore): Promise<readonly Turn[]> {
  const roots = new Set<string>();
  let after: object | null = null;
  do {
    const more: object = after === null ? {} : { after };
    const page = await store.page(everybody, { store: "all" }, { limit: 5_000, ...more });
    for (const { root_trace_id: root } of page.events) roots.add(root ?? "");
    after = page.next;
  } while (after !== null);
  const read = await readRoots(store, everybody, [...roots]);
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

function passing(turns: readonly Turn[], filter: string): readonly Turn[] {
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

/** What a reader is told under a filter; `salt` passes by what was answered a moment ago. */
export async function told(desk: Desk, filter: string, salt: string): Promise<Answers> {
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
    facets: facets.filter(({ key }) => key !== "app"),
    trend: plainTrend(trend),
    bins: count.bins,
    durations: lasting.durations,
    turns: [turns, count.turns, trend.turns],
  };
}

/** The pair that a release names is a choice among many; that there is one is none. */
function plainTrend({ slices, releases, ...sums }: ReturnType<typeof trendOf>): unknown {
  const figures = Object.keys(trendOf([], 0)).filter((name) => name in sums);
  return {
    ...Object.fromEntries(figures.map((name) => [name, sums[name as keyof typeof sums]])),
    slices,
    releases: releases
      .map(({ change, ...release }) => ({ ...release, change: change !== null }))
      .toSorted((a, b) => a.first_ms - b.first_ms || order(a.release, b.release)),
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
      // `status:error` is every turn in which anything failed.
      facets: facetsOf(rows, 50)
        .filter(({ key }) => key !== "app")
        .map((facet) => (facet.key === "status" ? withErrors(facet, rows) : facet)),
      trend: plainTrend(trendOf(rows, nowMs)),
      bins: binsOf(rows, nowMs),
      durations: durationCells(lastingOf(rows)),
    }),
  ) as Answers;
  const { length } = rows;
  return { ...plain, list: rows.map(turnKey).toSorted(), turns: [length, length, length] };
}

function withErrors(
  facet: ReturnType<typeof facetsOf>[number],
  rows: readonly TurnRow[],
): ReturnType<typeof facetsOf>[number] {
  const errors = rows.filter((row) => row.has_error).length;
  const others = facet.values.filter(({ value }) => value !== "error");
  const values = errors === 0 ? others : [...others, { value: "error", count: errors }];
  const sorted = values.toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  return { ...facet, values: sorted, total: sorted.length };
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
        const said = rows.flatMap((row) => of(row) ?? []);
        return said.length === 0 ? null : said.reduce((total, one) => total + one, 0);
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

export async function toldGroups(
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

/** Equal, answer by answer; a difference of large answers is told by where it begins. */
export function expectEqual(told: object, recount: object, filter = ""): void {
  for (const [name, value] of Object.entries(recount)) {
    const [a, b] = [sortedJson((told as Record<string, unknown>)[name]), sortedJson(value)];
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
