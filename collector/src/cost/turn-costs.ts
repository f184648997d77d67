/**
 * @module TurnCosts: what the model calls of a query's turns cost, in total and by a field of
 * the call or its turn. Priced at read time; the store sums the tokens.
 */
import type { Identity } from "@turnproof/semconv";
import { usageLetters, usageOf } from "@turnproof/store";
import type {
  CallField,
  CallFigures,
  CallValues,
  TurnPosition,
  TurnQuery,
  TurnReader,
  TurnRecord,
  UsageField,
} from "@turnproof/store";

import { addCost, addKnown, costOf, noCost } from "./call-cost.ts";
import type { Cost, PricedCalls } from "./call-cost.ts";
import { isUnpriced, openCalls } from "./open-calls.ts";
import type { PricedGroup } from "./open-calls.ts";
import { NeededDivision } from "./needed-division.ts";
import type { Division } from "./needed-division.ts";
import type { PriceList } from "./price-list.ts";

/** Most rows of an answer; a file has all. */
export const costRowsMax = 200;

/** What costs are listed by. */
export const costFields = ["model", "agent", "tenant", "release", "thread", "turn"] as const;
/** One of {@link costFields}. */
export type CostField = (typeof costFields)[number];

/** Cost and tokens of the calls with one value. */
export interface CostRow extends Cost {
  /** Null where it is not recorded. */
  readonly value: string | null;
  /** Only by model. */
  readonly provider?: string | null;
  /** Only by turn: where it is read. */
  readonly root_trace_id?: Identity["root_trace_id"];
  readonly ended_at?: string;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly cache_write_tokens: number | null;
  readonly reasoning_tokens: number | null;
  /** Calls whose input or output tokens are not recorded. */
  readonly tokens_unknown: number;
  /** Turns with a call without a price; in total, by agent, tenant, release and thread. */
  readonly turns_unknown?: number;
  /** Calls that are missing from each sum of tokens: theirs are not recorded. */
  readonly calls_without: Readonly<Record<UsageField, number>>;
}

/** Costs of a query. */
export interface TurnCosts {
  readonly total: CostRow;
  /** Dearest first. */
  readonly rows: readonly CostRow[];
  /** False where there are too many threads or turns to price each. */
  readonly complete: boolean;
  /** Turns with a model call; only by turn. */
  readonly turns?: number;
  /** Values of the calls without a price. */
  readonly unpriced: readonly CallValues[];
}

/** Most threads that are priced. */
const threadsMax = 20_000;
/** Most turns of an answer, those with the most tokens, and of a page of a file. */
const turnsMax = 1_000;

/** Fields of turns by which costs are listed. */
export const costTurnFields = {
  agent: "agent_id",
  tenant: "tenant",
  release: "release",
  thread: "thread_id",
} as const satisfies Readonly<Record<Exclude<CostField, "model" | "turn">, CallField>>;

/** The costs of all turns of a query. */
export async function turnCosts(
  ledger: TurnReader,
  query: TurnQuery,
  { by, list }: { readonly by: CostField; readonly list: PriceList },
): Promise<TurnCosts> {
  const { division, groups } = await dividedCalls(ledger, query, { list });
  const models = rowsOf(groups, { list, division });
  const total = models.reduce(addRow, { ...noRow, value: null });
  const priced = groups.map((figures) => pricedGroup(figures, { list, division }));
  const unpriced = openCalls(priced, isUnpriced);
  const common = { total, unpriced };
  if (by === "model") return { ...common, rows: dearest(models), complete: true };
  if (by === "turn") return { ...common, ...(await turnRows(ledger, query, { list, division })) };
  if (by === "thread") {
    const [facet] = await ledger.turnFacets(query, ["thread_id"], 1);
    if ((facet?.total ?? 0) > threadsMax) return { ...common, rows: [], complete: false };
  }
  const fields = ["name", "provider", costTurnFields[by]] as const;
  const divided = await ledger.callFigures(query, "model", fields, division);
  const rows = rowsOf(divided, { list, division }, costTurnFields[by]);
  return { ...common, rows: dearest(rows), complete: true };
}

/** Costs by the start of an interval of time. */
export async function costsOverTime(
  ledger: TurnReader,
  query: TurnQuery,
  of: { readonly list: PriceList; readonly everyMs: number },
): Promise<ReadonlyMap<number, Cost>> {
  const costs = await costsBy(ledger, query, of);
  return new Map(costs.map(({ from_ms, value: _value, ...cost }) => [from_ms, cost]));
}

/** Cost of the calls with one value, in one interval of the turns' ends. */
export interface ValuedCost extends Cost {
  /** Null where it is not recorded, and where costs are not divided by a field. */
  readonly value: string | null;
  /** Start of the interval, epoch milliseconds; 0 without intervals. */
  readonly from_ms: number;
}

/** Costs by a field, if any, and by intervals, if any; the same model of two providers is one. */
export async function costsBy(
  ledger: Pick<TurnReader, "callFigures">,
  query: TurnQuery,
  of: {
    readonly list: PriceList;
    readonly by?: Exclude<CostField, "turn"> | undefined;
    readonly everyMs?: number | undefined;
    /** What an earlier read of such a query needed: then one read is enough. */
    readonly needed?: NeededDivision | undefined;
  },
): Promise<readonly ValuedCost[]> {
  const { list, by, everyMs, needed } = of;
  const field = by === undefined || by === "model" ? undefined : costTurnFields[by];
  const { division, groups } = await dividedCalls(ledger, query, {
    list,
    ...(everyMs === undefined ? {} : { everyMs }),
    ...(field === undefined ? {} : { field }),
    ...(needed === undefined ? {} : { needed }),
  });
  const costs = new Map<string, ValuedCost>();
  for (const figures of groups) {
    const value = by === undefined ? null : (figures.group[field ?? "name"] ?? null);
    const from_ms =
      everyMs === undefined ? 0 : Math.floor((figures.from_ms ?? 0) / everyMs) * everyMs;
    const key = JSON.stringify([value, from_ms]);
    const { cost } = pricedGroup(figures, { list, division });
    costs.set(key, { ...addCost(costs.get(key) ?? noCost, cost), value, from_ms });
  }
  return [...costs.values()];
}

/** The model calls of a query, divided so that each group has one price, and by interval. */
export async function pricedGroups(
  ledger: Pick<TurnReader, "callFigures">,
  query: TurnQuery,
  { list, everyMs }: { readonly list: PriceList; readonly everyMs: number },
): Promise<readonly PricedGroup[]> {
  const { division, groups } = await dividedCalls(ledger, query, { list, everyMs });
  return groups.map((figures) => pricedGroup(figures, { list, division }));
}

function pricedGroup(figures: CallFigures, pricing: TurnPricing): PricedGroup {
  const row = pricedRow(figures, pricing);
  const { calls, priced_calls, ranged_calls, ranged_without, unpriced_calls } = row;
  const { low_usd, high_usd } = row;
  const counts = { calls, priced_calls, ranged_calls, ranged_without, unpriced_calls };
  const cost = { ...counts, low_usd, high_usd };
  return { figures, cost };
}

/** Calls of models, divided so that each group has one price. */
interface DividedCalls {
  readonly division: Division;
  readonly groups: readonly CallFigures[];
}

/**
 * Reads them. Prices change at midnight UTC, those of few models by the hour or by the size of the
 * input: only calls of such a model are read again in finer parts.
 *
 * @param of `field`: divides by this field as well. `needed`: begins with what earlier reads
 * needed, and adds what this one does
 */
async function dividedCalls(
  ledger: Pick<TurnReader, "callFigures">,
  query: TurnQuery,
  of: {
    readonly list: PriceList;
    readonly everyMs?: number;
    readonly field?: CallField;
    readonly needed?: NeededDivision;
  },
): Promise<DividedCalls> {
  const { list, everyMs = 86_400_000, field, needed = new NeededDivision() } = of;
  const fields = ["name", "provider", ...(field === undefined ? [] : [field])] as const;
  const division = needed.division(everyMs);
  const groups = await ledger.callFigures(query, "model", fields, division);
  const hasAll = needed.covers(list, groups);
  return hasAll ? { division, groups } : dividedCalls(ledger, query, { ...of, needed });
}

interface TurnPricing {
  readonly list: PriceList;
  readonly division: Division;
}

function rowsOf(
  groups: readonly CallFigures[],
  { list, division }: TurnPricing,
  field?: CallField,
): readonly CostRow[] {
  const rows = new Map<string, CostRow>();
  for (const figures of groups) {
    const { name = null, provider = null } = figures.group;
    const own =
      field === undefined ? { value: name, provider } : { value: figures.group[field] ?? null };
    const key = JSON.stringify(own);
    const row = { ...own, ...pricedRow(figures, { list, division }) };
    const known = rows.get(key);
    rows.set(key, known === undefined ? row : { ...own, ...addRow(known, row) });
  }
  return [...rows.values()];
}

function pricedRow(figures: CallFigures, { list, division }: TurnPricing): Omit<CostRow, "value"> {
  const { name: model = null, provider = null } = figures.group;
  const calls: PricedCalls = { ...figures, model, provider, atMs: figures.from_ms ?? 0 };
  const { input_tokens, output_tokens, cached_tokens, usage } = figures;
  const known = usage?.known ?? "";
  // Calls of one group have the same known counts.
  const without = (letters: string): number =>
    letters.split("").every((letter) => known.includes(letter)) ? 0 : figures.calls;
  return {
    ...costOf(calls, list, division.inputSteps),
    input_tokens,
    output_tokens,
    cached_tokens,
    cache_write_tokens: usage?.cache_write_tokens ?? null,
    reasoning_tokens: usage?.reasoning_tokens ?? null,
    tokens_unknown: without("io"),
    calls_without: perUsage((_field, letter) => without(letter)),
  };
}

/** A number for each count of tokens. */
function perUsage(
  numberOf: (field: UsageField, letter: string) => number,
): CostRow["calls_without"] {
  const entries = usageLetters.map(([letter, field]) => [field, numberOf(field, letter)] as const);
  return Object.fromEntries(entries) as Record<UsageField, number>;
}

/** The turns with the most tokens; one without any count comes last. */
async function turnRows(
  ledger: TurnReader,
  query: TurnQuery,
  pricing: TurnPricing,
): Promise<Pick<TurnCosts, "rows" | "complete" | "turns">> {
  const called = withCalls(query);
  const { records, next } = await ledger.listTurns(called, { order: byTokens, limit: turnsMax });
  const rows = dearest(records.map((record) => recordRow(record, pricing)));
  const turns = next === null ? rows.length : await ledger.countTurns(called);
  return { rows, complete: next === null, turns };
}

const byTokens = { by: "total_tokens" } as const;

function withCalls(query: TurnQuery): TurnQuery {
  return { ...query, where: [...query.where, { call: { kind: "model" } }] };
}

/** The costs of every turn with a model call, page by page: those with the most tokens first. */
export async function* turnCostPages(
  ledger: TurnReader,
  query: TurnQuery,
  { list }: { readonly list: PriceList },
): AsyncGenerator<readonly CostRow[]> {
  const { division } = await dividedCalls(ledger, query, { list });
  let after: TurnPosition | null | undefined;
  while (after !== null) {
    const { records, next } = await ledger.listTurns(withCalls(query), {
      order: byTokens,
      limit: turnsMax,
      ...(after === undefined ? {} : { after }),
    });
    yield records.map((record) => recordRow(record, { list, division }));
    after = next;
  }
}

function recordRow({ row, calls }: TurnRecord, pricing: TurnPricing): CostRow {
  const { everyMs, inputSteps } = pricing.division;
  const from = Math.floor(Date.parse(row.ended_at) / everyMs) * everyMs;
  const own = {
    value: row.turn_id ?? null,
    root_trace_id: row.root_trace_id ?? "",
    ended_at: row.ended_at,
  };
  const sum = calls
    .filter(({ kind }) => kind === "model")
    .map((call) => {
      const { name, provider, input_tokens, output_tokens, cached_tokens } = call;
      return pricedRow(
        {
          ...noFigures,
          group: { name, provider },
          input_tokens,
          output_tokens,
          cached_tokens,
          from_ms: from,
          usage: usageOf(call, inputSteps),
        },
        pricing,
      );
    })
    .reduce<Omit<CostRow, "value">>(addRow, noRow);
  return { ...own, ...sum };
}

const noFigures: CallFigures = {
  group: {},
  calls: 1,
  outcomes: {},
  p50_ms: null,
  p95_ms: null,
  p99_ms: null,
  duration_unknown: 1,
  input_tokens: null,
  output_tokens: null,
  cached_tokens: null,
  tokens_unknown: 0,
};

const noRow: Omit<CostRow, "value"> = {
  ...noCost,
  input_tokens: null,
  output_tokens: null,
  cached_tokens: null,
  cache_write_tokens: null,
  reasoning_tokens: null,
  tokens_unknown: 0,
  calls_without: perUsage(() => 0),
};

function addRow<T extends Omit<CostRow, "value">>(a: T, b: Omit<CostRow, "value">): T {
  return {
    ...a,
    ...addCost(a, b),
    input_tokens: addKnown(a.input_tokens, b.input_tokens),
    output_tokens: addKnown(a.output_tokens, b.output_tokens),
    cached_tokens: addKnown(a.cached_tokens, b.cached_tokens),
    cache_write_tokens: addKnown(a.cache_write_tokens, b.cache_write_tokens),
    reasoning_tokens: addKnown(a.reasoning_tokens, b.reasoning_tokens),
    tokens_unknown: a.tokens_unknown + b.tokens_unknown,
    calls_without: perUsage((field) => a.calls_without[field] + b.calls_without[field]),
  };
}

function dearest(rows: readonly CostRow[]): readonly CostRow[] {
  return rows.toSorted((a, b) => (b.high_usd ?? -1) - (a.high_usd ?? -1) || b.calls - a.calls);
}
