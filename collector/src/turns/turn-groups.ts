/**
 * @module TurnGroups: figures of each agent's or thread's turns, over all turns of a question. The
 * store computes figures; small groups are read completely for the names in their turns, and large
 * ones are queried for them.
 */
import type { ToolCounts, TurnCall, Usage } from "@turnproof/evidence";
import { isoTime } from "@turnproof/semconv";
import type {
  CallFigures,
  ColumnType,
  FigureGroup,
  TextField,
  TurnCondition,
  TurnFacet,
  TurnQuestion,
  TurnReader,
  TurnRecord,
} from "@turnproof/store";

import { usualOrder } from "./turn-place.ts";
import type { TurnsFared } from "../ui/display/trend.ts";

/** Turns of one group. */
export interface TurnGroup extends TurnsFared, Omit<Usage, "total_tokens"> {
  readonly turns_with_error: number;
  /** Last event of the first and of the last turn; empty without a turn. */
  readonly first_at: string;
  readonly last_at: string;
  readonly tools: ToolCounts;
  readonly models: readonly string[];
}

/** Fields of a group in a file. */
export const groupFields = {
  turns: "integer",
  turns_with_error: "integer",
  verdicts: "json",
  first_at: "time",
  last_at: "time",
  p50_ms: "number",
  p95_ms: "number",
  duration_unknown: "integer",
  input_tokens: "integer",
  output_tokens: "integer",
  cached_tokens: "integer",
  usage_state: "text",
  tools: "json",
  models: "texts",
} as const satisfies Record<keyof TurnGroup, ColumnType>;

/** Names in the turns of a group, some dozens of each at most. */
export interface GroupNames {
  readonly models: readonly string[];
  readonly application_ids: readonly string[];
  readonly agent_ids: readonly string[];
  /** Tenants, with null for the anonymous; unattributed turns add nothing. */
  readonly user_ids: readonly (string | null)[];
  /** Number of threads. */
  readonly threads: number;
}

/** One group by its value; null for the turns without one. */
export interface NamedGroup {
  readonly value: string | null;
  readonly group: TurnGroup;
  readonly names: GroupNames;
}

/** Most turns that are read for the names of small groups. */
const recordsMax = 1_000;
const namesMax = 50;

/** The groups with these values, in this order; a value without a turn has an empty group. */
export async function turnGroups(
  ledger: TurnReader,
  question: TurnQuestion,
  by: "agent_id" | "thread_id",
  values: readonly (string | null)[],
): Promise<readonly NamedGroup[]> {
  if (values.length === 0) return [];
  const some = narrowed(question, { any: values.map((is) => ({ text: by, is })) });
  const [figures, { records }] = await Promise.all([
    ledger.turnFigures(some, { by }),
    ledger.listTurns(some, { order: usualOrder, limit: recordsMax }),
  ]);
  const byValue = new Map(figures.map((one) => [one.value ?? null, one]));
  const read = Map.groupBy(records, ({ row }) => row[by] || null);
  const isRead = (value: string | null): boolean =>
    (read.get(value)?.length ?? 0) === (byValue.get(value)?.turns ?? 0);
  // Calls have their agent, so two statements cover those of every agent.
  const calls =
    by === "agent_id" && !values.every(isRead) ? await agentCalls(ledger, some) : undefined;
  return Promise.all(
    values.map(async (value): Promise<NamedGroup> => {
      const own = read.get(value) ?? [];
      const of = byValue.get(value);
      const reported = isRead(value)
        ? figuresBy(own)
        : await figuresOf(ledger, narrowed(question, { text: by, is: value }), calls?.(value));
      return { value, group: groupOf(of, reported), names: reported.names };
    }),
  );
}

function narrowed(question: TurnQuestion, condition: TurnCondition): TurnQuestion {
  return { ...question, where: [...question.where, condition] };
}

/** Result beside the figures. */
interface ReadNames {
  readonly names: GroupNames;
  readonly tools: ToolCounts;
  /** Model calls without token counts. */
  readonly withoutUsage: number;
}

function groupOf(
  of: FigureGroup | undefined,
  { names, tools, withoutUsage }: ReadNames,
): TurnGroup {
  const { input_tokens = null, output_tokens = null, cached_tokens = null } = of ?? {};
  const measured = input_tokens !== null || output_tokens !== null;
  return {
    turns: of?.turns ?? 0,
    verdicts: of?.verdicts ?? {},
    p50_ms: of?.p50_ms ?? null,
    p95_ms: of?.p95_ms ?? null,
    duration_unknown: of?.duration_unknown ?? 0,
    turns_with_error: of?.errors ?? 0,
    first_at: timeText(of?.first_at),
    last_at: timeText(of?.last_at),
    tools,
    models: names.models,
    input_tokens,
    output_tokens,
    cached_tokens,
    usage_state: !measured ? "not_measured" : withoutUsage > 0 ? "partial" : "known",
  };
}

function timeText(micros: number | null | undefined): string {
  return typeof micros === "number" ? isoTime(Math.floor(micros / 1_000)) : "";
}

/** A group whose turns were all read. */
function figuresBy(records: readonly TurnRecord[]): ReadNames {
  const rows = records.map(({ row }) => row);
  const calls = records.flatMap((record) => record.calls);
  const users = rows.flatMap(({ user_id: id }) => (id === undefined ? [] : [id]));
  return {
    names: {
      models: distinct(rows.flatMap((row) => row.models)),
      application_ids: distinct(rows.flatMap((row) => row.application_id ?? [])),
      agent_ids: distinct(rows.flatMap((row) => row.agent_id ?? [])),
      user_ids: [...new Set(users)].slice(0, namesMax),
      threads: new Set(rows.flatMap((row) => row.thread_id || [])).size,
    },
    tools: toolCounts(outcomesOf(calls)),
    withoutUsage: calls.filter(isUntold).length,
  };
}

function isUntold({ kind, input_tokens: input, output_tokens: output }: TurnCall): boolean {
  return kind === "model" && input === null && output === null;
}

function outcomesOf(calls: readonly TurnCall[]): Readonly<Record<string, number>> {
  const outcomes: Record<string, number> = {};
  for (const { kind, outcome } of calls) {
    if (kind !== "tool") continue;
    const word = outcome ?? "unknown";
    outcomes[word] = (outcomes[word] ?? 0) + 1;
  }
  return outcomes;
}

/** Results from the calls of a group. */
interface CallTotals {
  readonly tools: ToolCounts;
  readonly withoutUsage: number;
}

/** Results from the calls of each agent, in two statements. */
async function agentCalls(
  ledger: TurnReader,
  question: TurnQuestion,
): Promise<(agent: string | null) => CallTotals> {
  const [tools, models] = await Promise.all([
    ledger.callFigures(question, "tool", ["agent_id"]),
    ledger.callFigures(question, "model", ["agent_id"]),
  ]);
  const of = (all: readonly CallFigures[], agent: string | null): CallFigures | undefined =>
    all.find(({ group }) => (group.agent_id ?? null) === agent);
  return (agent) => callFigures(of(tools, agent), of(models, agent));
}

function callFigures(tools: CallFigures | undefined, models: CallFigures | undefined): CallTotals {
  return { tools: toolCounts(tools?.outcomes ?? {}), withoutUsage: models?.tokens_unknown ?? 0 };
}

async function groupCalls(ledger: TurnReader, question: TurnQuestion): Promise<CallTotals> {
  const [[tools], [models]] = await Promise.all([
    ledger.callFigures(question, "tool", []),
    ledger.callFigures(question, "model", []),
  ]);
  return callFigures(tools, models);
}

const namedFields = [
  "model",
  "application_id",
  "agent_id",
  "tenant",
  "thread_id",
] as const satisfies readonly (TextField | "model")[];

/**
 * A group that is too large to be read; results from its calls are queried where they are not
 * known.
 */
async function figuresOf(
  ledger: TurnReader,
  question: TurnQuestion,
  known: CallTotals | undefined,
): Promise<ReadNames> {
  // The page of agents shows no tenants, and its groups have one agent each.
  const fields =
    known === undefined ? namedFields : (["model", "application_id", "thread_id"] as const);
  const [facets, calls] = await Promise.all([
    ledger.turnFacets(question, fields, namesMax),
    known ?? groupCalls(ledger, question),
  ]);
  const facet = (field: (typeof namedFields)[number]): TurnFacet | undefined =>
    facets.find((one) => one.field === field);
  const stated = (field: (typeof namedFields)[number]): readonly string[] =>
    (facet(field)?.values ?? []).flatMap(({ value }) => value ?? []);
  return {
    names: {
      models: distinct(stated("model")),
      application_ids: distinct(stated("application_id")),
      agent_ids: distinct(stated("agent_id")),
      user_ids: stated("tenant").flatMap((tenant) =>
        tenant === "unattributed" ? [] : tenant === "anonymous" ? [null] : tenant.slice(3),
      ),
      threads: await namedThreads(ledger, question, facet("thread_id")),
    },
    ...calls,
  };
}

/** Number of threads; turns without one are a value of the facet but no thread. */
async function namedThreads(
  ledger: TurnReader,
  question: TurnQuestion,
  facet: TurnFacet | undefined,
): Promise<number> {
  const { total = 0, values = [] } = facet ?? {};
  const isShown = values.some(({ value }) => value === null);
  if (isShown || total <= values.length) return total - (isShown ? 1 : 0);
  const threadless = narrowed(question, { text: "thread_id", is: null });
  return total - ((await ledger.countTurns(threadless)) > 0 ? 1 : 0);
}

/** Tool outcomes by tool name, over all turns of a question. */
export async function toolsByName(
  ledger: TurnReader,
  question: TurnQuestion,
): Promise<Readonly<Record<string, ToolCounts>>> {
  const groups = await ledger.callFigures(question, "tool", ["name"]);
  const counted = groups.flatMap(({ group, outcomes }: CallFigures) =>
    typeof group.name === "string" ? [[group.name, toolCounts(outcomes)] as const] : [],
  );
  return Object.fromEntries(counted.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function toolCounts(outcomes: Readonly<Record<string, number>>): ToolCounts {
  const of = (word: string): number => outcomes[word] ?? 0;
  return {
    results: Object.values(outcomes).reduce((sum, count) => sum + count, 0),
    clean: of("success"),
    empty: of("empty"),
    degraded: of("degraded"),
    fallback: of("fallback"),
    provider_error: of("provider_error"),
    error: of("error"),
    unknown: of("unknown"),
  };
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)].toSorted().slice(0, namesMax);
}
