/** @module Github: results as workflow commands, which a GitHub job shows as annotations. */
import type { TurnResult } from "../evaluate/evaluate.ts";
import { groupSentence, groupsOf } from "./groups.ts";
import type { Group } from "./groups.ts";
import { lineOf } from "./places.ts";
import type { ContractPlaces } from "./places.ts";
import { clauseName, notAppliedTexts, rowsOf } from "./tally.ts";
import type { ReportScope } from "./tally.ts";

/** Turns that one annotation names. */
const namedMax = 3;

/** One command for each clause that is not met, with its turns: a job shows only a few of them. */
export function githubReport(
  results: readonly TurnResult[],
  options: ReportScope & { readonly places?: ContractPlaces } = {},
): string {
  const rows = rowsOf(results);
  const absent = (options.notApplied ?? []).map((name) => {
    const place = options.places?.get(name);
    const file = place === undefined ? "" : `file=${property(place.file)},`;
    const title = property(`${name} not applied`);
    return `::warning ${file}title=${title}::${data(`Contract ${name} ${notAppliedTexts}.`)}\n`;
  });
  const found = (["violated", "not_established"] as const)
    .flatMap((result) => byClause(groupsOf(rows, result)))
    .map(([group, ...others]) => {
      const { contract, clause } = group;
      const level =
        clause.result !== "violated" || clause.severity === "note" ? "notice" : clause.severity;
      const place = options.places?.get(contract);
      const line = lineOf(place, clause);
      const title = `${contract} ${clauseName(clause)} ${clause.result}`;
      const properties = [
        ...(place === undefined ? [] : [`file=${property(place.file)}`]),
        ...(line === undefined ? [] : [`line=${line}`]),
        `title=${property(title)}`,
      ].join(",");
      const words = `${turnWords(group)}: ${groupSentence(group)}${otherWords(others)}`;
      return `::${level} ${properties}::${data(words)}\n`;
    });
  return [...found, ...absent].join("");
}

/** The findings of each clause together, the one of most turns first. */
function byClause(groups: readonly Group[]): readonly (readonly [Group, ...Group[]])[] {
  const clauses = new Map<string, [Group, ...Group[]]>();
  for (const group of groups) {
    const key = JSON.stringify([group.contract, group.clause.index]);
    const found = clauses.get(key);
    if (found === undefined) clauses.set(key, [group]);
    else found.push(group);
  }
  return [...clauses.values()];
}

/** Further findings of the clause; a report in Markdown or JSON has each. */
function otherWords(others: readonly Group[]): string {
  if (others.length === 0) return "";
  const turns = others.reduce((sum, one) => sum + one.turns.length, 0);
  const what = others.length === 1 ? "another finding" : `${others.length} other findings`;
  return ` Also ${what} of this clause, on ${turns} ${turns === 1 ? "turn" : "turns"}.`;
}

function turnWords({ turns }: Group): string {
  const named = turns.slice(0, namedMax).join(", ");
  if (turns.length === 1) return `Turn ${named}`;
  const more = turns.length > namedMax ? ", …" : "";
  return `${turns.length} turns (${named}${more})`;
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
