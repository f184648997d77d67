/** @module Text: results as lines for a terminal, without colour. */
import type { TurnResult } from "../evaluate/evaluate.ts";
import {
  clauseName,
  notAppliedTexts,
  rowsOf,
  tallyOf,
  tallyTexts,
  turnName,
  unmet,
} from "./tally.ts";
import type { ReportScope } from "./tally.ts";

/** One line for each contract on each turn, with its unmet clauses below. */
export function textReport(
  results: readonly TurnResult[],
  { notApplied = [] }: ReportScope = {},
): string {
  const lines = rowsOf(results).flatMap(({ turn, contract }) => [
    `${contract.result.padEnd(15)}  ${contract.contract}  ${turnName(turn)}`,
    ...unmet(contract).flatMap((clause) => [
      `  ${clause.result === "violated" ? "✗" : "?"} ${clauseName(clause)}: ${clause.sentence}`,
      ...(clause.evidence_ids.length === 0
        ? []
        : [`    evidence: ${clause.evidence_ids.slice(0, 5).join(" ")}`]),
    ]),
    ...(contract.result === "not_established" && !turn.whole
      ? [`    the window is not whole: ${turn.reasons.join(", ")}`]
      : []),
  ]);
  lines.push(
    ...notApplied.map((name) => `${"not applied".padEnd(15)}  ${name}  ${notAppliedTexts}`),
  );
  lines.push(tallyTexts(tallyOf(results)));
  return `${lines.map(printable).join("\n")}\n`;
}

/** A recorded name never begins a line of its own, which a pipeline could take for a command. */
function printable(line: string): string {
  return line.replaceAll(/\p{Cc}/gu, "\u{FFFD}");
}
