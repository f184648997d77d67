/** @module Markdown: results as a summary for a pull request or a job. */
import type { TurnResult } from "../evaluate/evaluate.ts";
import { cell, codeCell } from "./markdown-cell.ts";
import { clauseName, rowsOf, tallyOf, turnName, unmet } from "./tally.ts";

const rowsMax = 50;

/** The summary: what holds, what does not and what the evidence leaves open. */
export function markdownReport(results: readonly TurnResult[]): string {
  const tally = tallyOf(results);
  const rows = rowsOf(results).flatMap(({ turn, contract }) =>
    unmet(contract).map((clause) => ({ turn, contract, clause })),
  );
  const worst = [
    ...rows.filter(({ clause }) => clause.result === "violated"),
    ...rows.filter(({ clause }) => clause.result !== "violated"),
  ];
  const lines = worst.slice(0, rowsMax).map(({ turn, contract, clause }) => {
    const cells = [contract.contract, clauseName(clause), clause.result, clause.sentence];
    return `| ${cells.map(cell).join(" | ")} | ${codeCell(turnName(turn))} |`;
  });
  return [
    `## Contracts`,
    "",
    `| turns | hold | violated | not established |`,
    `|---|---|---|---|`,
    `| ${tally.turns} | ${tally.holds} | ${tally.violated} | ${tally.not_established} |`,
    "",
    ...(lines.length === 0
      ? ["Every contract holds.", ""]
      : [`| contract | clause | result | what | turn |`, `|---|---|---|---|---|`, ...lines, ""]),
    ...(worst.length > rowsMax ? [`${worst.length - rowsMax} more are not shown.`, ""] : []),
  ].join("\n");
}
