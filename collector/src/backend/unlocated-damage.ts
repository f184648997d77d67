/**
 * @module UnlocatedDamage: a ledger that states no success while evidence is known to be damaged or
 * gone and it is not known which turns rest on it. What is recorded stays as it is: each `success`
 * is answered, counted and filtered as `unknown` until the damage is located, and a contract that
 * holds as one that is not established.
 */
import { countsByFigures } from "@turnproof/store";
import type {
  EvidenceStore,
  FigureGroup,
  FigureOptions,
  TurnCondition,
  TurnFacet,
  TurnLedger,
  TurnQuery,
  TurnRecord,
} from "@turnproof/store";

import { boundStore } from "./bound-store.ts";
import type { Damage } from "./damage-tracker.ts";
import { hasHolds, recordedResult, shownNames, shownResult } from "./unproven-contracts.ts";

/** The store with such a ledger. */
export function unlocatedDamage(
  store: EvidenceStore,
  damage: Pick<Damage, "report">,
): EvidenceStore {
  const { ledger } = store;
  const hiding = hidingLedger(ledger);
  const now = (): TurnLedger => (damage.report().located ? ledger : hiding);
  return {
    ...boundStore(store),
    ledger: {
      ...ledger,
      listTurns: (...requested) => now().listTurns(...requested),
      countTurns: (...requested) => now().countTurns(...requested),
      turnFacets: (...requested) => now().turnFacets(...requested),
      turnCounts: (...requested) => now().turnCounts(...requested),
      turnFigures: (...requested) => now().turnFigures(...requested),
      turnGroups: (...requested) => now().turnGroups(...requested),
      callFigures: (...requested) => now().callFigures(...requested),
    },
  };
}

const success: TurnCondition = { text: "verdict", is: "success" };
const unknown: TurnCondition = { text: "verdict", is: "unknown" };
const either: TurnCondition = { any: [unknown, success] };
/** Most results of contracts that are counted. */
const resultsMax = 1_000;
/** No verdict is an empty text. */
const noVerdict: TurnCondition = { text: "verdict", is: "" };

function hidingLedger(ledger: TurnLedger): TurnLedger {
  const figures: TurnLedger["turnFigures"] = async (query, options) => {
    const of = ofRecorded(query);
    const { by, ...rest } = options;
    if (by !== "verdict") return figuresBy(ledger, of, options);
    const others = await ledger.turnFigures(narrowed(of, { ...either, not: true }), options);
    const hidden = await ledger.turnFigures(narrowed(of, either), rest);
    const known = hidden.filter(({ turns }) => turns > 0).map(shownFigures);
    return [...others, ...known.map((group) => ({ ...group, value: "unknown" }))];
  };
  return {
    ...ledger,
    async listTurns(query, page) {
      // A success is next to an unknown verdict in the order of verdicts, so a page stays in order.
      const { records, next } = await ledger.listTurns(ofRecorded(query), page);
      return { records: records.map(shownRecord), next };
    },
    countTurns: (query) => ledger.countTurns(ofRecorded(query)),
    async turnFacets(query, fields, valuesMax) {
      // Two results of a contract become one, so that none of them may be cut.
      const max = fields.includes("contract") ? Math.max(valuesMax, resultsMax) : valuesMax;
      const facets = await ledger.turnFacets(ofRecorded(query), fields, max);
      return facets.map((facet) => shownFacet(facet, valuesMax));
    },
    turnCounts: async (query, options) => {
      const { also, by } = options;
      // Counts by what is hidden are those of the figures, whose groups are joined.
      const isHidden = by === "verdict" || by === "contract" || by === "name";
      if (isHidden) return countsByFigures(figures, query, options);
      const matching = also === undefined ? {} : { also: recorded(also) };
      return ledger.turnCounts(ofRecorded(query), { ...options, ...matching });
    },
    turnFigures: figures,
    async turnGroups(query, by, paging) {
      const { groups, next } = await ledger.turnGroups(ofRecorded(query), by, paging);
      return { groups: groups.map(shownFigures), next };
    },
    callFigures: (query, ...requested) => ledger.callFigures(ofRecorded(query), ...requested),
  };
}

/** The figures of each answered value: two results of a contract are one group. */
async function figuresBy(
  ledger: TurnLedger,
  of: TurnQuery,
  { by, ...rest }: FigureOptions,
): Promise<readonly FigureGroup[]> {
  const groups = await ledger.turnFigures(of, by === undefined ? rest : { ...rest, by });
  if (by !== "contract" && by !== "name") return groups.map(shownFigures);
  const isShown = ({ value = null }: FigureGroup): boolean => shownResult(by, value) === value;
  const joint = new Set(
    groups.filter((group) => !isShown(group)).map(({ value = null }) => shownResult(by, value)),
  );
  const shown = groups.filter((group) => isShown(group) && !joint.has(group.value ?? null));
  for (const value of joint) {
    const where = recorded({ list: by, has: value });
    const joined = await ledger.turnFigures(narrowed(of, where), rest);
    shown.push(...joined.filter(({ turns }) => turns > 0).map((group) => ({ ...group, value })));
  }
  return shown.map(shownFigures);
}

function narrowed(query: TurnQuery, condition: TurnCondition): TurnQuery {
  return { ...query, where: [...query.where, condition] };
}

/** The query about the recorded verdicts. */
function ofRecorded(query: TurnQuery): TurnQuery {
  return { ...query, where: query.where.map(recorded) };
}

function recorded(condition: TurnCondition): TurnCondition {
  if ("any" in condition) return { ...condition, any: condition.any.map(recorded) };
  if (!("text" in condition) || condition.text !== "verdict") {
    return recordedResult(condition) ?? condition;
  }
  const not = condition.not === true ? ({ not: true } as const) : {};
  if (condition.is === "success") return { ...noVerdict, ...not };
  return condition.is === "unknown" ? { ...either, ...not } : condition;
}

function shownRecord(record: TurnRecord): TurnRecord {
  const { row } = record;
  const shown = hasHolds(record) ? { ...record, names: shownNames(record) } : record;
  return row.verdict === "success" ? { ...shown, row: { ...row, verdict: "unknown" } } : shown;
}

function shownFigures<T extends Pick<FigureGroup, "verdicts">>(group: T): T {
  const { success: hidden, ...verdicts } = group.verdicts;
  if (hidden === undefined) return group;
  return { ...group, verdicts: { ...verdicts, unknown: (verdicts["unknown"] ?? 0) + hidden } };
}

function shownFacet({ field, values, total }: TurnFacet, valuesMax: number): TurnFacet {
  const sums = new Map<string | null, number>();
  for (const { value, turns } of values) {
    const shown =
      field === "verdict" && value === "success" ? "unknown" : shownResult(field, value);
    sums.set(shown, (sums.get(shown) ?? 0) + turns);
  }
  const merged = [...sums].map(([value, turns]) => ({ value, turns }));
  return {
    field,
    values: merged.toSorted((a, b) => b.turns - a.turns).slice(0, valuesMax),
    total: total - (values.length - merged.length),
  };
}
