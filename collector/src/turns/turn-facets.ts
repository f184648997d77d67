/**
 * @module TurnFacets: turn counts of a query by the values of the filter bar's keys. The count
 * of a value equals the number of turns that the list shows when it is chosen.
 */
import { insightCodes } from "@turnproof/evidence";
import { insightOfValue, insightValue, isListField } from "@turnproof/store";
import type {
  ListField,
  TextField,
  TurnCondition,
  TurnFacet,
  TurnQuery,
  TurnReader,
} from "@turnproof/store";

/** Values of a key, most frequent first. */
export interface CountedKey {
  readonly key: string;
  readonly counts: ReadonlyMap<string, number>;
  /** Turns without a value. */
  readonly unrecorded: number;
  /** Number of distinct values, counted here or not. */
  readonly total: number;
}

/** Turns by value. */
export interface CountedFacets {
  readonly turns: number;
  readonly errors: number;
  readonly keys: readonly CountedKey[];
}

interface Source {
  readonly field: TextField | ListField;
  /** The value as the bar writes it; null where it means none. */
  readonly read?: (value: string) => string | null;
}

/** Field by which each key is counted. */
const sources: { readonly [key: string]: Source | undefined } = {
  verdict: { field: "verdict" },
  status: { field: "status" },
  agent: { field: "agent_id" },
  app: { field: "application" },
  user: { field: "tenant", read: (tenant) => tenant.replace(/^id:/s, "") },
  thread: { field: "thread_id" },
  memory: { field: "memory_id" },
  tool: { field: "tool_name" },
  model: { field: "model" },
  cache: { field: "cache_decision", read: (value) => (value === "none" ? null : value) },
  finding: { field: "code", read: (code) => (insightOfValue(code) === undefined ? code : null) },
  insight: { field: "code", read: (code) => insightOfValue(code) ?? null },
  contract: { field: "contract" },
  release: { field: "release" },
  env: { field: "environment" },
  producer: { field: "producer" },
  dialect: { field: "dialect" },
};

/** How facets are counted. */
export interface FacetOptions {
  /** Most values of a key. */
  readonly valuesMax: number;
  /** Counts the turns without an insight exactly, which is a query of its own. */
  readonly unrecorded?: boolean;
}

const withoutInsight: TurnCondition = {
  any: insightCodes.map((code) => ({ list: "code", has: insightValue(code) })),
  not: true,
};

/** Counts the turns of a query by the values of these keys, bounded per key. */
export async function countFacets(
  ledger: TurnReader,
  query: TurnQuery,
  keys: readonly string[],
  { valuesMax, unrecorded = false }: FacetOptions,
): Promise<CountedFacets> {
  const requested = keys.flatMap((key) => {
    const source = sources[key];
    return source === undefined ? [] : [{ key, source }];
  });
  // Flags count the turns with an error or a finding. Each turn has one verdict.
  const fields = [...requested.map(({ source }) => source.field), "verdict", "flag"] as const;
  const read = await ledger.turnFacets(query, fields, valuesMax);
  const facets = await Promise.all(read.map((facet) => withNone(ledger, query, facet)));
  const byField = new Map(facets.map((facet) => [facet.field, facet]));
  const turns = byField.get("verdict")?.values.reduce((sum, one) => sum + one.turns, 0) ?? 0;
  const flagged = (name: string): number =>
    byField.get("flag")?.values.find(({ value }) => value === name)?.turns ?? 0;
  // Findings and insights are in one list: a turn may have a value of it and none of one key.
  const missing = new Map([["finding", turns - flagged("finding")]]);
  if (keys.includes("insight") && unrecorded) {
    const where = [...query.where, withoutInsight];
    missing.set("insight", await ledger.countTurns({ ...query, where }));
  }
  return {
    turns,
    errors: flagged("error"),
    keys: requested.map(({ key, source }) => {
      const counted = countedKey(key, source, byField.get(source.field));
      const none = missing.get(key);
      return none === undefined ? counted : { ...counted, unrecorded: none };
    }),
  };
}

/**
 * A facet with the turns without a value, also where more frequent values were so many that these
 * turns are not among them.
 */
async function withNone(
  ledger: TurnReader,
  query: TurnQuery,
  facet: TurnFacet,
): Promise<TurnFacet> {
  const { field, values, total } = facet;
  if (total <= values.length || values.some(({ value }) => value === null)) return facet;
  const none: TurnCondition = isListField(field)
    ? { list: field, has: null }
    : { text: field, is: null };
  const turns = await ledger.countTurns({ ...query, where: [...query.where, none] });
  return turns === 0 ? facet : { ...facet, values: [...values, { value: null, turns }] };
}

function countedKey(key: string, { read }: Source, facet: TurnFacet | undefined): CountedKey {
  const counts = new Map<string, number>();
  // Values that mean none, and those with equal text in the bar: a tenant may be called anonymous.
  let [unrecorded, none] = [0, 0];
  for (const { value, turns } of facet?.values ?? []) {
    const word = value === null || read === undefined ? value : read(value);
    if (word === null) {
      none += 1;
      unrecorded += turns;
      continue;
    }
    if (counts.has(word)) none += 1;
    counts.set(word, (counts.get(word) ?? 0) + turns);
  }
  return { key, counts: sorted(counts), unrecorded, total: (facet?.total ?? 0) - none };
}

function sorted(counts: Iterable<readonly [string, number]>): ReadonlyMap<string, number> {
  return new Map([...counts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)));
}
