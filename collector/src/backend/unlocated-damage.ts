/**
 * @module UnlocatedDamage: a ledger that states no success while evidence is known to be damaged or
 * gone and it is not known which turns rest on it. The recorded verdicts stay as they are: each
 * `success` is answered, counted and filtered as `unknown` until the damage is located.
 */
import type {
  EvidenceStore,
  FigureGroup,
  TurnCondition,
  TurnFacet,
  TurnLedger,
  TurnQuestion,
  TurnRecord,
} from "@turnproof/store";

import { boundStore } from "./bound-store.ts";
import type { Damage } from "./damage-desk.ts";

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
/** No verdict is an empty text. */
const noVerdict: TurnCondition = { text: "verdict", is: "" };

function hidingLedger(ledger: TurnLedger): TurnLedger {
  return {
    ...ledger,
    async listTurns(question, page) {
      // A success is next to an unknown verdict in the order of verdicts, so a page stays in order.
      const { records, next } = await ledger.listTurns(ofRecorded(question), page);
      return { records: records.map(shownRecord), next };
    },
    countTurns: (question) => ledger.countTurns(ofRecorded(question)),
    async turnFacets(question, fields, valuesMax) {
      return (await ledger.turnFacets(ofRecorded(question), fields, valuesMax)).map(shownFacet);
    },
    turnCounts: (question, options) => ledger.turnCounts(ofRecorded(question), options),
    async turnFigures(question, options) {
      const of = ofRecorded(question);
      const { by, ...rest } = options;
      if (by !== "verdict") return (await ledger.turnFigures(of, options)).map(shownFigures);
      const others = await ledger.turnFigures(narrowed(of, { ...either, not: true }), options);
      const hidden = await ledger.turnFigures(narrowed(of, either), rest);
      const known = hidden.filter(({ turns }) => turns > 0).map(shownFigures);
      return [...others, ...known.map((group) => ({ ...group, value: "unknown" }))];
    },
    async turnGroups(question, by, paging) {
      const { groups, next } = await ledger.turnGroups(ofRecorded(question), by, paging);
      return { groups: groups.map(shownFigures), next };
    },
    callFigures: (question, ...requested) => ledger.callFigures(ofRecorded(question), ...requested),
  };
}

function narrowed(question: TurnQuestion, condition: TurnCondition): TurnQuestion {
  return { ...question, where: [...question.where, condition] };
}

/** The question about the recorded verdicts. */
function ofRecorded(question: TurnQuestion): TurnQuestion {
  return { ...question, where: question.where.map(recorded) };
}

function recorded(condition: TurnCondition): TurnCondition {
  if ("any" in condition) return { ...condition, any: condition.any.map(recorded) };
  if (!("text" in condition) || condition.text !== "verdict") return condition;
  const not = condition.not === true ? ({ not: true } as const) : {};
  if (condition.is === "success") return { ...noVerdict, ...not };
  return condition.is === "unknown" ? { ...either, ...not } : condition;
}

function shownRecord(record: TurnRecord): TurnRecord {
  const { row } = record;
  return row.verdict === "success" ? { ...record, row: { ...row, verdict: "unknown" } } : record;
}

function shownFigures<T extends Pick<FigureGroup, "verdicts">>(group: T): T {
  const { success: hidden, ...verdicts } = group.verdicts;
  if (hidden === undefined) return group;
  return { ...group, verdicts: { ...verdicts, unknown: (verdicts["unknown"] ?? 0) + hidden } };
}

function shownFacet(facet: TurnFacet): TurnFacet {
  const hidden = facet.values.find(({ value }) => value === "success");
  if (facet.field !== "verdict" || hidden === undefined) return facet;
  const others = facet.values.filter((one) => one !== hidden && one.value !== "unknown");
  const known = facet.values.find(({ value }) => value === "unknown");
  const turns = hidden.turns + (known?.turns ?? 0);
  const values = [...others, { value: "unknown", turns }].toSorted((a, b) => b.turns - a.turns);
  return { ...facet, values, total: facet.total - (known === undefined ? 0 : 1) };
}
