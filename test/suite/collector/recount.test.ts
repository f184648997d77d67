/**
 * Every count that a list, facets, trend, overview, agents and threads show equals a recount from
 * the stored events by another path, which reads and folds whole roots. At rest and under load.
 */
import { foldTurns, turnKey } from "@turnproof/evidence";
import type { ToolCounts, TurnEvent, TurnRow } from "@turnproof/evidence";
import { clickhouse, ephemeral, filesystem, readRoots } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { everybody } from "@turnproof/store/testing";
import fc from "fast-check";
import { afterAll, describe, expect, test, vi } from "vitest";

import { durationCells, lastingOf } from "../../../collector/src/ui/display/duration-cells.ts";
import { readTerms } from "../../../collector/src/ui/display/filter-terms.ts";
import { trendOf } from "../../../collector/src/ui/display/trend.ts";
import { binsOf, facetsOf } from "../../../collector/src/ui/display/turn-figures.ts";
import { listen } from "../../../collector/src/server.ts";
import { traceRequest } from "../../otlp/encode.ts";
import { tellWeek } from "../../apps/week/week.ts";
import { temporaryDirectories } from "../store/temporary-directory.ts";
import { judgeTurns, openDesk, quiet } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { event, meaning } from "./turn-meaning.ts";
import type { Turn } from "./turn-meaning.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

const stores: Readonly<Record<string, () => Promise<EvidenceStore>>> = {
  ephemeral: async () => ephemeral(),
  filesystem: async () => (await filesystem({ directory: await directories.make() })).evidence,
  clickhouse: async () => clickhouse({ connection: { dataDir: await directories.make() } }),
};
const backends = ["ephemeral", "filesystem", "clickhouse"] as const;
const turnsOfWeek = 240;
const weekEndMs = Date.now() - 3_600_000;

/** Filters that every answer is asked under. */
const filters: readonly string[] = [
  "",
  "has:error",
  "-status:success",
  "latency:>2s",
  "-agent:order-desk",
  "verdict:failed",
  "verdict:unjudged -has:finding",
  "finding:delivery_unconfirmed",
  "tokens:>100 has:cache",
  "kind:tool_call -has:fallback",
];

/** The turns as the stored events say them, judged as this test had them judged. */
async function turnsOf(store: EvidenceStore): Promise<readonly Turn[]> {
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

async function judgeAll(desk: Desk, turns: readonly Turn[]): Promise<void> {
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
async function told(desk: Desk, filter: string, salt: string): Promise<Answers> {
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

function recounted(turns: readonly Turn[], filter: string, nowMs: number): Answers {
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

function recountedGroups(
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

async function toldGroups(
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
function expectEqual(told: object, recount: object, filter = ""): void {
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

async function deskOver(backend: (typeof backends)[number]): Promise<Desk> {
  const store = await (stores[backend] as () => Promise<EvidenceStore>)();
  return openDesk({}, { store, judge: false });
}

describe.each(backends)("%s", (backend) => {
  test("the demo week, at rest and while OTLP arrives", { timeout: 300_000 }, async () => {
    const desk = await deskOver(backend);
    const server = await listen(desk.collector.app, { host: "127.0.0.1", port: 0, log: quiet });
    const settled = (): Promise<void> =>
      vi.waitFor(
        async () => {
          const page = await desk.json<{ pending_frames: number }>("/traces/turns.json?limit=1");
          expect(page.pending_frames).toBe(0);
        },
        { timeout: 60_000, interval: 100 },
      );
    const { url: endpoint } = server;
    await tellWeek({ endpoint, endMs: weekEndMs, turns: turnsOfWeek, seed: "recount" });
    await settled();
    const turns = await turnsOf(desk.store);
    expect(turns.length).toBeGreaterThanOrEqual(turnsOfWeek);
    await judgeAll(desk, turns);
    const until = new Date(weekEndMs + 60_000).toISOString();
    const early = turns.filter(({ row }) => row.ended_at < until);
    let salt = 0;
    const expectAll = async (): Promise<void> => {
      for (const filter of filters) {
        const asked = `${filter} before:${until}`;
        const answers = await told(desk, asked, `nobody-${(salt += 1)}`);
        expectEqual(answers, recounted(early, asked, Date.now()), filter);
      }
    };
    await expectAll();
    for (const by of ["agent_id", "thread_id"] as const) {
      expect(await toldGroups(desk, by)).toEqual(recountedGroups(turns, by));
    }
    // More arrives meanwhile, all of it later: what was there before stays as it was.
    const later = sendMore(server.url);
    await expectAll();
    await later;
    await expectAll();
    await settled();
    const all = await turnsOf(desk.store);
    expect(all.length).toBe(turns.length + 4 * requests);
    await judgeAll(desk, all);
    const { list, facets, turns: counts } = await told(desk, "", "nobody");
    const now = recounted(all, "", Date.now());
    expectEqual(
      { list, facets, counts },
      { list: now.list, facets: now.facets, counts: now.turns },
    );
    await server.close(500);
    await desk.collector.close();
    await desk.store.close();
  });

  test("random histories", { timeout: 300_000 }, async () => {
    const desk = await deskOver(backend);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 1, maxLength: 12 }),
        fc.constantFrom(...filters, "app:a", "-user:anonymous", "release:a tool:b", "cache:none"),
        async (events, filter) => {
          run += 1;
          await desk.put(events.map((one) => inRun(one, run)));
          const turns = await turnsOf(desk.store);
          await judgeAll(desk, turns);
          const answers = await told(desk, filter, `nobody-${run}`);
          expectEqual(answers, recounted(turns, filter, Date.now()), filter);
          for (const by of ["agent_id", "thread_id"] as const) {
            expect(await toldGroups(desk, by)).toEqual(recountedGroups(turns, by));
          }
        },
      ),
      { numRuns: backend === "clickhouse" ? 10 : 25 },
    );
    await desk.collector.close();
    await desk.store.close();
  });
});

const requests = 60;

/** Sends turns that ended after the week, one request after the other. */
async function sendMore(url: string): Promise<void> {
  for (let n = 1; n <= requests; n += 1) {
    const start = BigInt(weekEndMs + 600_000 + n) * 1_000_000n;
    const spans = [1, 2, 3, 4].map((one) => ({
      traceId: (n * 10 + one).toString(16).padStart(32, "0"),
      spanId: (n * 10 + one).toString(16).padStart(16, "0"),
      name: "invoke_agent late-one",
      startTimeUnixNano: String(start),
      endTimeUnixNano: String(start + 5_000_000n),
      attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "late-one" },
    }));
    const response = await fetch(`${url}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(traceRequest(spans, { "service.name": "late" })),
    });
    expect(response.status).toBe(200);
  }
}

/** An event of a root of its own run; a root is written once. */
function inRun(one: TurnEvent, run: number): TurnEvent {
  const root = `${one.root_trace_id}-${run}`;
  return { ...one, event_id: `${one.event_id}-${run}`, root_trace_id: root };
}
