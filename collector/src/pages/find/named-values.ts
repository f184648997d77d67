/**
 * @module NamedValues: names and ids of turns that contain a typed text: agents, tools, models,
 * releases, findings, insights, threads, tenants, and the ids of a turn. Each leads to its turns.
 * For the whole text as an id, the evidence itself is searched.
 */
import type { PartField, TurnQuery, TurnReader } from "@turnproof/store";

import { reasonText } from "../../ui/display/kind-texts.ts";
import { facetNames } from "../../ui/display/turn-figures.ts";
import { countFacets } from "../../turns/turn-facets.ts";

/** A value with the text. */
export interface NamedValue {
  /** Key of the filter bar, and its name. */
  readonly key: string;
  readonly name: string;
  readonly value: string;
  /** The value in words, where it is a code. */
  readonly words: string;
  readonly turns: number;
}

/** Keys whose values are written for readers. */
const readableKeys = [
  "agent",
  "app",
  "tool",
  "model",
  "release",
  "finding",
  "insight",
  "producer",
] as const;
/** Most values of a key that are compared, and most that are listed. */
const comparedMax = 1_000;
const listedMax = 30;
/** Most ids with a piece of the text that are compared with all of it, of each field. */
const idsMax = 20_000;

/** Kinds of ids that are compared in part, by their key of the bar. */
const idKinds = {
  thread: "Thread",
  user: "Tenant",
  root: "Root",
  turn: "Turn",
  run: "Run",
  task: "Task",
  memory: "Memory",
  ref: "Source",
} as const;
type IdKey = keyof typeof idKinds;
const ofNames: readonly string[] = ["run", "task", "memory", "ref"] satisfies readonly IdKey[];

/** Values with the text. */
export interface NamedValues {
  /** The most frequent first. */
  readonly named: readonly NamedValue[];
  /** Number of values with the text, of which `named` has the first. */
  readonly named_total: number;
  /**
   * Kinds with more values than are compared: of names more than 1,000, of ids more than 20,000
   * with a piece of the text. The most frequent are compared; a whole id is found all the same.
   */
  readonly not_compared: readonly string[];
}

type Counted = Omit<NamedValue, "words">;

/**
 * The values that contain each word of a text. Case and the separators of names do not count:
 * `order desk` is in `order-desk`. `most` are listed.
 */
export async function namedValues(
  ledger: TurnReader,
  query: TurnQuery,
  text: string,
  most: number = listedMax,
): Promise<NamedValues> {
  const words = text.trim().split(/\s+/).map(plain);
  if (words.join("") === "") return { named: [], named_total: 0, not_compared: [] };
  const [names, ids] = await Promise.all([
    namesOf(ledger, query),
    idsOf(ledger, query, text.trim()),
  ]);
  const found = [...names.values, ...ids.values]
    .map((one) => ({ ...one, words: wordsOfValue(one) }))
    .filter((one) => {
      const whole = plain(`${one.value}\n${one.words}`);
      return words.every((word) => whole.includes(word));
    })
    .toSorted((a, b) => b.turns - a.turns || (a.value < b.value ? -1 : 1));
  return {
    named: found.slice(0, most),
    named_total: found.length,
    not_compared: [...names.cut, ...ids.cut],
  };
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[ _./:-]+/g, "-");
}

function wordsOfValue({ key, value }: Counted): string {
  return key === "finding" || key === "insight" ? reasonText(value) : value;
}

interface Values {
  readonly values: readonly Counted[];
  /** Kinds of which there are more. */
  readonly cut: readonly string[];
}

async function namesOf(ledger: TurnReader, query: TurnQuery): Promise<Values> {
  const { keys } = await countFacets(ledger, query, readableKeys, {
    valuesMax: comparedMax,
  });
  const names = new Map(facetNames);
  return {
    values: keys.flatMap(({ key, counts }) =>
      [...counts].map(([value, turns]) => ({ key, name: names.get(key) ?? key, value, turns })),
    ),
    cut: keys.flatMap(({ key, total }) => (total > comparedMax ? [names.get(key) ?? key] : [])),
  };
}

/** Fields of ids, and the kinds in each. */
const idFields: readonly (readonly [field: PartField, kinds: readonly IdKey[]])[] = [
  ["thread_id", ["thread"]],
  ["tenant", ["user"]],
  ["root_trace_id", ["root"]],
  ["turn_id", ["turn"]],
  ["name", ["run", "task", "memory", "ref"]],
];

/**
 * Ids other than the whole text, for which the evidence itself is searched. The store compares the
 * ids of every turn; of those with the longest piece of the text, a bounded number is read.
 */
async function idsOf(ledger: TurnReader, query: TurnQuery, text: string): Promise<Values> {
  const [piece] = text.match(/[\da-z]+/gi)?.toSorted((a, b) => b.length - a.length) ?? [];
  const found = await Promise.all(
    idFields.map(async ([field, kinds]) => {
      const part = piece === undefined ? [] : [{ part: field, of: piece }];
      const narrowed = { ...query, where: [...query.where, ...part] };
      const [facet] = await ledger.turnFacets(narrowed, [field], idsMax);
      return { field, kinds, values: facet?.values ?? [], total: facet?.total ?? 0 };
    }),
  );
  const values = found.flatMap(({ field, values: counts }) =>
    counts.flatMap(({ value, turns }): readonly Counted[] => {
      const id = value === null ? undefined : idOf(field, value);
      if (id === undefined || id.value === text) return [];
      return [{ ...id, name: idKinds[id.key], turns }];
    }),
  );
  const cut = found.flatMap(({ kinds, total }) => (total > idsMax ? kinds : []));
  return { values, cut: cut.map((key) => idKinds[key]) };
}

/** The key and the id of a value of a field. */
function idOf(
  field: string,
  value: string,
): { readonly key: IdKey; readonly value: string } | undefined {
  if (field === "thread_id") return { key: "thread", value };
  if (field === "root_trace_id") return { key: "root", value };
  if (field === "turn_id") return { key: "turn", value };
  if (field === "tenant") {
    return value.startsWith("id:") ? { key: "user", value: value.slice(3) } : undefined;
  }
  const [, kind = "", id = ""] = /^([a-z]+):(.*)$/s.exec(value) ?? [];
  return ofNames.includes(kind) ? { key: kind as IdKey, value: id } : undefined;
}
