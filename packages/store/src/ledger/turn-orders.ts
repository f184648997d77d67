/**
 * @module TurnOrders: the fields by which lists are sorted. Besides times and numbers these are
 * texts, by the bytes of UTF-8, and ranks. A rank follows from other fields by the tables here,
 * from which providers write their statements: it has no column, so a new table needs no migration.
 */
import { coverageProfiles, findingTexts, insightCodes, stageKind } from "@turnproof/evidence";

import { insightValue, listFields, numberFields, textFields, timeFields } from "./turn-fields.ts";
import type { NumberField, TextField, TimeField } from "./turn-fields.ts";
import type { TurnRecord } from "./turn-record.ts";

/** Texts by which lists are sorted. */
export type TextOrder = "agent_id" | "thread_id" | "cache_decision";
/**
 * `verdict`: its severity, see {@link verdictRanks}. `findings`: their number by priority, the
 * blocking ones first. `stages_missing`: stages that the declared profiles require and that are not
 * recorded.
 */
export type RankOrder = "verdict" | "findings" | "stages_missing";
/** Fields by which lists are sorted. */
export type OrderField = TimeField | NumberField | TextOrder | RankOrder;

/** Text that stands for no value of a field, besides null. */
export const absentTexts: Readonly<Partial<Record<TextField, string>>> = {
  cache_decision: "none",
  verdict: "unjudged",
};

/** Severity by verdict; another one is unknown. */
export const verdictRanks: Readonly<Record<string, number>> = {
  failed: 3,
  partial: 2,
  unknown: 1,
  success: 0,
};

const codesOf = (priority: number): readonly string[] =>
  Object.entries(findingTexts).flatMap(([code, text]) =>
    text.priority === priority ? [code] : [],
  );

/** A code's share of the rank `findings`; fewer codes than a thousand have one priority. */
export const codeWeights: readonly {
  readonly codes: readonly string[];
  readonly weight: number;
}[] = [
  { codes: codesOf(0), weight: 1_000_000 },
  { codes: codesOf(1), weight: 1_000 },
  // Insights are among the codes of a turn, and are no findings.
  { codes: insightCodes.map(insightValue), weight: 0 },
];
/** Of every other code: a note, or a finding of another version. */
export const otherWeight = 1;

const weights: ReadonlyMap<string, number> = new Map(
  codeWeights.flatMap(({ codes, weight }) => codes.map((code) => [code, weight] as const)),
);

/** The profiles that require a stage, and the kind of event that shows it. */
export const requiredStages: readonly {
  readonly kind: string;
  readonly profiles: readonly string[];
}[] = [...new Set([...coverageProfiles.values()].flat())].map((stage) => ({
  kind: stageKind(stage),
  profiles: [...coverageProfiles].flatMap(([profile, own]) =>
    own.includes(stage) ? [profile] : [],
  ),
}));

/** Every other profile is one missing stage. */
export const knownProfiles: readonly string[] = [...coverageProfiles.keys()];

type Of<T> = (record: TurnRecord) => T;

const ranks: Readonly<Record<RankOrder, Of<number | null>>> = {
  verdict: (record) => verdictRanks[textFields.verdict(record) ?? ""] ?? null,
  findings(record) {
    if (textFields.verdict(record) === absentTexts.verdict) return null;
    const codes = listFields.code(record);
    return codes.reduce((sum, code) => sum + (weights.get(code) ?? otherWeight), 0);
  },
  stages_missing(record) {
    const declared = new Set(listFields.coverage_profile(record));
    if (declared.size === 0) return null;
    const recorded = new Set(listFields.event_kind(record));
    const missing = requiredStages.filter(
      ({ kind, profiles }) => profiles.some((one) => declared.has(one)) && !recorded.has(kind),
    );
    return missing.length + [...declared].filter((one) => !knownProfiles.includes(one)).length;
  },
};

const textOf =
  (field: TextOrder): Of<string | null> =>
  (record) => {
    const text = textFields[field](record);
    return text === absentTexts[field] ? null : text;
  };

const texts: Readonly<Record<TextOrder, Of<string | null>>> = {
  agent_id: textOf("agent_id"),
  thread_id: textOf("thread_id"),
  cache_decision: textOf("cache_decision"),
};

/** Value of a record by which each order goes; null is unknown. */
export const orderValues: Readonly<Record<OrderField, Of<number | string | null>>> = {
  ...timeFields,
  ...numberFields,
  ...texts,
  ...ranks,
};

/** Fields by which a list can be sorted. */
export const turnOrderFields: readonly OrderField[] = Object.keys(
  orderValues,
) as readonly OrderField[];

/** True for an order by text. */
export function isTextOrder(field: OrderField): field is TextOrder {
  return Object.hasOwn(texts, field);
}

/** True for an order by rank. */
export function isRankOrder(field: OrderField): field is RankOrder {
  return Object.hasOwn(ranks, field);
}
