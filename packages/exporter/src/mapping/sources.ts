/**
 * @module Sources: semconv's dialect tables, compiled once into lookups for the span path. For
 * each dialect: which source name fills which registry row, in which order of preference, and
 * which attributes decide the kind.
 */
import {
  attribute,
  dialectTable,
  dialectTables,
  registryRows,
  sourceAttributeNames,
} from "@turnproof/semconv";
import type {
  AttributeRow,
  Dialect,
  DialectTable,
  EventKind,
  KindRule,
  RegistryName,
  SpanNameRule,
  ValueAdapter,
} from "@turnproof/semconv";

import { sourceNames } from "./coded-attributes.ts";

/** The row of a source name. A name may fill several rows. */
export interface Target {
  readonly row: AttributeRow;
  /** Index of the row in the registry. */
  readonly index: number;
  /** The lowest rank wins when several source names of one span fill the same row; from 1. */
  readonly rank: number;
  readonly adapter: ValueAdapter;
  /** Kinds on which the name fills the row; absent: all kinds that may carry it. */
  readonly only?: readonly EventKind[] | undefined;
}

/** True where the name fills its row on a span of this kind. */
export function appliesTo({ only }: Target, kind: EventKind): boolean {
  return only === undefined || only.includes(kind);
}

/** The kind for one value of a kind rule. */
export interface KindChoice {
  readonly kind: EventKind;
  /** GenAI operation that the value stands for, where the dialect uses another word. */
  readonly operation: string | undefined;
}

/** An attribute whose value decides the kind; an unlisted value makes a `span`. */
export interface CompiledRule {
  readonly source: string;
  readonly kinds: ReadonlyMap<string, KindChoice>;
  /** Values that decide only where a request enters. */
  readonly atEntry: ReadonlyMap<string, KindChoice>;
}

/** A compiled dialect. */
export interface DialectPlan {
  readonly dialect: Dialect;
  readonly sources: ReadonlyMap<string, readonly Target[]>;
  /** The same by the number of the source name. */
  readonly byCode: readonly (readonly Target[])[];
  readonly rules: readonly CompiledRule[];
  /** Spans whose own name is an agent's or a tool's. */
  readonly spanNames: readonly SpanNameRule[];
}

/** Index of each row in `registryRows`, by its short name. */
export const rowAt: { readonly [K in RegistryName]: number } = Object.fromEntries(
  registryRows.map((row, index) => [row.event, index]),
) as { readonly [K in RegistryName]: number };

/** The operation of a turn that is named after its workflow, not an agent. */
export const workflowOperation = "invoke_workflow";

/**
 * A value that mentions embedding makes the call an embedding; one that mentions workflows names
 * the turn after it.
 */
function choice(word: string, kind: EventKind): KindChoice {
  if (kind === "model_call" && /embed/i.test(word)) return { kind, operation: "embeddings" };
  const flows = kind === "turn" && /workflow|chain/i.test(word) && word !== workflowOperation;
  return { kind, operation: flows ? workflowOperation : undefined };
}

function choices(kinds: KindRule["kinds"] = {}): ReadonlyMap<string, KindChoice> {
  return new Map(Object.entries(kinds).map(([word, kind]) => [word, choice(word, kind)] as const));
}

function rulesOf(tables: readonly DialectTable[]): CompiledRule[] {
  return tables
    .flatMap((table) => table.kindRules)
    .map(({ source, kinds, atEntry }) => ({
      source,
      kinds: choices(kinds),
      atEntry: choices(atEntry),
    }));
}

/** Fills a map of sources in order of preference: earlier entries get the lower rank. */
class SourceMap {
  readonly sources: Map<string, Target[]> = new Map();
  private rank = 2;

  constructor() {
    for (const row of registryRows) this.put(row.span, row.event as RegistryName, "as_is", 1);
  }

  addNames(table: DialectTable): void {
    for (const { source, to, adapter, only } of table.names) {
      this.put(source, to, adapter, this.rank++, only);
    }
  }

  addIdentity(table: DialectTable): void {
    for (const { source, to } of table.identity) this.put(source, to, "as_is", this.rank++);
  }

  private put(
    source: string,
    to: RegistryName,
    adapter: ValueAdapter,
    rank: number,
    only?: readonly EventKind[],
  ): void {
    const targets = this.sources.get(source) ?? [];
    this.sources.set(source, targets);
    const held = targets.findIndex((item) => item.row.event === to);
    const row = attribute[to];
    // A table may define how a registered name is written; it keeps the registry's preference.
    if (held === -1) targets.push({ row, index: rowAt[to], rank, adapter, only });
    else if (targets[held]?.adapter === "as_is") {
      targets[held] = { row, index: rowAt[to], rank: targets[held].rank, adapter };
    }
  }
}

/**
 * GenAI's names first, then the dialect's own, then names that other libraries add to the same
 * span.
 */
function planOf(dialect: Dialect): DialectPlan {
  const genAi = dialectTable.get("gen_ai") as DialectTable;
  const own = dialectTable.get(dialect);
  const map = new SourceMap();
  map.addNames(genAi);
  if (own !== undefined && own !== genAi) {
    map.addNames(own);
    map.addIdentity(own);
  }
  map.addIdentity(genAi);
  if (own !== undefined) {
    for (const other of dialectTables) {
      if (other === own || other === genAi) continue;
      map.addNames(other);
      map.addIdentity(other);
    }
  }
  // Marks, kind values and structural names are read without filling a row.
  for (const name of sourceAttributeNames) {
    if (!map.sources.has(name)) map.sources.set(name, []);
  }
  const rules = rulesOf(own === undefined || own === genAi ? [genAi] : [own, genAi]);
  const byCode = sourceNames.map((name) => map.sources.get(name) ?? []);
  const spanNames = own?.spanNames ?? [];
  return { dialect, sources: map.sources, byCode, rules, spanNames };
}

/** Attributes whose presence alone determines a span's dialect. */
export const dialectMarks: ReadonlySet<string> = new Set(
  dialectTables.flatMap((table) => [...table.marks, ...table.kindRules.map((rule) => rule.source)]),
);

const plans: Map<Dialect, DialectPlan> = new Map();

/** The plan of a dialect; compiled on its first span. */
export function planFor(dialect: Dialect): DialectPlan {
  let plan = plans.get(dialect);
  if (plan === undefined) plans.set(dialect, (plan = planOf(dialect)));
  return plan;
}
