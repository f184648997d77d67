/**
 * @module RecountingCalls: the calls of the turns of a filter as Tools, Models, Cost and the agent
 * graph show them, and the same from the stored events of these turns.
 */
import { turnCalls } from "@turnproof/evidence";
import type { TurnCall } from "@turnproof/evidence";

import type { Desk } from "./desk.ts";
import { passing } from "./recounting.ts";
import type { Turn } from "./turn-meaning.ts";

interface Calls {
  readonly calls: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly p99_ms: number | null;
  readonly duration_unknown: number;
}

const tokens = ["input_tokens", "output_tokens", "cached_tokens"] as const;
type Tokens = Readonly<Record<(typeof tokens)[number], number | null>>;

interface CallAnswers {
  readonly tools: unknown;
  readonly models: unknown;
  /** Tokens of all model calls. */
  readonly cost: unknown;
  /** Calls of each tool and model, and those that failed. */
  readonly graph: unknown;
}

/** What a reader gets under a filter. */
export async function reportedCalls(desk: Desk, filter: string): Promise<CallAnswers> {
  const query = `q=${encodeURIComponent(filter)}`;
  const listed = async (kind: string): Promise<unknown> => {
    const path = `/tools.json?kind=${kind}&${query}`;
    const { items } = await desk.json<{ items: ({ value: string | null } & Calls)[] }>(path);
    return byName(items.map(({ value, ...calls }) => [value, plain(calls)]));
  };
  const { total } = await desk.json<{ total: Tokens }>(`/cost.json?${query}`);
  const { used } = await desk.json<{
    used: { kind: string; name: string | null; calls: number; p95_ms: number | null }[];
  }>(`/graph.json?${query}`);
  const edges = used.filter(({ kind }) => kind === "tool" || kind === "model");
  return {
    tools: await listed("tool"),
    models: await listed("model"),
    cost: tokens.map((name) => total[name]),
    graph: byName(edges.map((one) => [`${one.kind} ${one.name}`, [one.calls, one.p95_ms]])),
  };
}

/** The same from the events of the turns that the filter means. */
export function recountedCalls(turns: readonly Turn[], filter: string): CallAnswers {
  const all = passing(turns, filter).flatMap(({ own }) => turnCalls(own));
  const of = (kind: TurnCall["kind"]): readonly TurnCall[] =>
    all.filter((call) => call.kind === kind);
  const named = (kind: TurnCall["kind"]): readonly (readonly [string | null, Calls])[] =>
    [...Map.groupBy(of(kind), ({ name }) => name)].map(([name, own]) => [name, figuresOf(own)]);
  const total = (name: keyof Tokens): number | null => {
    const known = of("model").flatMap((call) => call[name] ?? []);
    return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0);
  };
  const edges = (["tool", "model"] as const).flatMap((kind) =>
    named(kind).map(([name, own]) => [`${kind} ${name}`, [own.calls, own.p95_ms]] as const),
  );
  return {
    tools: byName(named("tool")),
    models: byName(named("model")),
    cost: tokens.map(total),
    graph: byName(edges),
  };
}

function figuresOf(calls: readonly TurnCall[]): Calls {
  const times = calls.flatMap(({ duration_ms: ms }) => ms ?? []).toSorted((a, b) => a - b);
  const rank = (share: number): number | null => times[Math.ceil(share * times.length) - 1] ?? null;
  const outcomes = Map.groupBy(calls, ({ outcome }) => outcome ?? "unknown");
  return {
    calls: calls.length,
    outcomes: Object.fromEntries([...outcomes].map(([name, own]) => [name, own.length])),
    p50_ms: rank(0.5),
    p95_ms: rank(0.95),
    p99_ms: rank(0.99),
    duration_unknown: calls.length - times.length,
  };
}

function plain({ calls, outcomes, p50_ms, p95_ms, p99_ms, duration_unknown }: Calls): Calls {
  return { calls, outcomes, p50_ms, p95_ms, p99_ms, duration_unknown };
}

function byName<T>(
  pairs: readonly (readonly [string | null, T])[],
): readonly (readonly [string | null, T])[] {
  return pairs.toSorted(([a], [b]) => ((a ?? "") < (b ?? "") ? -1 : 1));
}
