/**
 * @module TurnCosts: what the model calls of a query's turns cost, in total and by a field of
 * the call or its turn. Priced at read time; the store sums the tokens.
 */
import type { Identity } from "@turnproof/semconv";
import { usageOf } from "@turnproof/store";
import type {
  CallField,
  CallFigures,
  CallValues,
  TurnPosition,
  TurnQuery,
  TurnReader,
  TurnRecord,
} from "@turnproof/store";

import { isUnpriced, openCalls } from "./open-calls.ts";
import type { PriceList } from "./price-list.ts";
import { addCosts, noCosts, pricedCosts } from "./call-costs.ts";
import type { CallCosts, TurnPricing } from "./call-costs.ts";
import { dividedCalls, pricedGroup } from "./divided-calls.ts";

/** Most rows of an answer; a file has all. */
export const costRowsMax = 200;

/** What costs are listed by. */
export const costFields = ["model", "agent", "tenant", "release", "thread", "turn"] as const;
/** One of {@link costFields}. */
export type CostField = (typeof costFields)[number];

/** Cost and tokens of the calls with one value. */
export interface CostRow extends CallCosts {
  /** Null where it is not recorded. */
  readonly value: string | null;
  /** Only by model. */
  readonly provider?: string | null;
  /** Only by turn: where it is read. */
  readonly root_trace_id?: Identity["root_trace_id"];
  readonly ended_at?: string;
  /** Turns with a call without a price; in total, by agent, tenant, release and thread. */
  readonly turns_unknown?: number;
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
  const total = models.reduce(addCosts, { ...noCosts, value: null });
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
    const row = { ...own, ...pricedCosts(figures, { list, division }) };
    const known = rows.get(key);
    rows.set(key, known === undefined ? row : { ...own, ...addCosts(known, row) });
  }
  return [...rows.values()];
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
      return pricedCosts(
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
    .reduce<CallCosts>(addCosts, noCosts);
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

function dearest(rows: readonly CostRow[]): readonly CostRow[] {
  return rows.toSorted((a, b) => (b.high_usd ?? -1) - (a.high_usd ?? -1) || b.calls - a.calls);
}
