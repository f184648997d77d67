/**
 * @module TurnGroups: each agent's or thread's turns as lists, files and pages show them, over all
 * turns of a query.
 */
import type { ToolCounts, Usage } from "@turnproof/evidence";
import { isoTime } from "@turnproof/semconv";
import { userOfTenant } from "@turnproof/store";
import type {
  CallFigures,
  ColumnType,
  GroupField,
  GroupPosition,
  Keyset,
  GroupedTurns,
  TurnQuery,
  TurnReader,
} from "@turnproof/store";

import type { VerdictFigures } from "../ui/display/trend.ts";
import type { GroupsPlace } from "./groups-request.ts";
import { hasHalfCounted } from "./half-counted.ts";

/** Turns of one group. */
export interface TurnGroup extends VerdictFigures, Omit<Usage, "total_tokens"> {
  readonly turns_with_error: number;
  /**
   * Last event of the first and of the last turn, the latter no later than its receipt, and of
   * those that are not ahead of now where there are some; empty without a turn.
   */
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

/** A page of groups, in the order of the request. */
export async function groupsPage(
  ledger: TurnReader,
  by: GroupField,
  { query, limit, order, after }: GroupsPlace,
): Promise<{ readonly groups: readonly NamedGroup[]; readonly next: Keyset | null }> {
  const { groups, next } = await ledger.turnGroups(query, by, {
    limit,
    ...(order === undefined ? {} : { order }),
    ...(after === undefined ? {} : { after: positionOf(after) }),
  });
  return { groups: groups.map(namedGroup), next: next === null ? null : keysetOf(next) };
}

/** Groups of a file that are read at once. */
const groupsAtOnce = 500;

/** Every group, page by page. */
export async function* groupsPages(
  ledger: TurnReader,
  by: GroupField,
  of: Pick<GroupsPlace, "query" | "order">,
): AsyncGenerator<readonly NamedGroup[]> {
  for (let after: Keyset | undefined; ;) {
    const { groups, next } = await groupsPage(ledger, by, { ...of, limit: groupsAtOnce, after });
    yield groups;
    if (next === null) return;
    after = next;
  }
}

/** The group of the turns with one value; an empty one without a turn. */
export async function groupOf(
  ledger: TurnReader,
  by: GroupField,
  { query, value }: { readonly query: TurnQuery; readonly value: string },
): Promise<NamedGroup> {
  const where = [...query.where, { text: by, is: value }];
  const { groups } = await groupsPage(ledger, by, {
    query: { ...query, where },
    limit: 1,
    after: undefined,
  });
  return groups[0] ?? { value, ...emptyGroup };
}

/** A place in a cursor's form; turns without a value, and an unknown figure, are left out. */
function keysetOf({ last, value, rank }: GroupPosition): Keyset {
  return {
    last,
    ...(value === null ? {} : { value }),
    ...(rank === null || rank === undefined ? {} : { rank }),
  };
}

function positionOf({ last, value, rank }: Keyset): GroupPosition {
  return {
    last: Number(last),
    value: typeof value === "string" ? value : null,
    rank: rank === undefined ? null : Number(rank),
  };
}

function namedGroup(of: GroupedTurns): NamedGroup {
  const { value, threads, names } = of;
  const { input_tokens, output_tokens } = of;
  const measured = input_tokens !== null || output_tokens !== null;
  const partial = of.calls_without_usage > 0 || hasHalfCounted(of);
  const models = names.model ?? [];
  return {
    value,
    group: {
      turns: of.turns,
      verdicts: of.verdicts,
      p50_ms: of.p50_ms,
      p95_ms: of.p95_ms,
      duration_unknown: of.duration_unknown,
      turns_with_error: of.errors,
      first_at: timeText(of.first_at),
      last_at: timeText(of.last),
      tools: toolCounts(of.tool_outcomes),
      models,
      input_tokens,
      output_tokens,
      cached_tokens: of.cached_tokens,
      usage_state: !measured ? "not_measured" : partial ? "partial" : "known",
    },
    names: {
      models,
      application_ids: names.application_id ?? [],
      agent_ids: names.agent_id ?? [],
      user_ids: (names.tenant ?? []).flatMap((tenant) => {
        const user = userOfTenant(tenant);
        return user === undefined ? [] : [user];
      }),
      threads,
    },
  };
}

function timeText(micros: number | null): string {
  return micros === null ? "" : isoTime(Math.floor(micros / 1_000));
}

/** Tool outcomes by tool name, over all turns of a query. */
export async function toolsByName(
  ledger: TurnReader,
  query: TurnQuery,
): Promise<Readonly<Record<string, ToolCounts>>> {
  const groups = await ledger.callFigures(query, "tool", ["name"]);
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

const emptyGroup: Omit<NamedGroup, "value"> = {
  group: {
    turns: 0,
    verdicts: {},
    p50_ms: null,
    p95_ms: null,
    duration_unknown: 0,
    turns_with_error: 0,
    first_at: "",
    last_at: "",
    tools: toolCounts({}),
    models: [],
    input_tokens: null,
    output_tokens: null,
    cached_tokens: null,
    usage_state: "not_measured",
  },
  names: { models: [], application_ids: [], agent_ids: [], user_ids: [], threads: 0 },
};
