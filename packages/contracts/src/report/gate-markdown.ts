/** @module GateMarkdown: the gate's answer as a summary for a pull request. */
import type { GatePlan, GateReport } from "../gate/gate-report.ts";
import {
  chance,
  changeWords,
  medianWords,
  outcomeWords,
  percent,
  planWords,
  sideWords,
} from "./gate-words.ts";

/** The answer as tables. @param plans by contract */
export function gateMarkdown(report: GateReport, plans: ReadonlyMap<string, GatePlan>): string {
  const rows = (cells: readonly (readonly string[])[]): string[] =>
    cells.map((some) => `| ${some.map(cell).join(" | ")} |`);
  const contracts = report.contracts.map((one) => [
    outcomeWords[one.outcome],
    one.name,
    sideWords(one.baseline),
    sideWords(one.candidate),
    changeWords(one),
    chance(one.adjustedP),
  ]);
  const measures = report.measures.map((one) => [
    outcomeWords[one.outcome],
    `${one.name}, ${one.unit}`,
    medianWords(one.baseline),
    medianWords(one.candidate),
    `more than ${percent(one.allowedGrowth)}`,
    chance(one.adjustedP),
  ]);
  const plan = [...plans].map(([name, one]) => `- ${cell(name)}: ${planWords(one)}`);
  return [
    `## Gate: ${outcomeWords[report.outcome]}`,
    "",
    ...(contracts.length === 0
      ? []
      : [
          "| outcome | contract | baseline holds | candidate holds | change | p |",
          "|---|---|---|---|---|---|",
          ...rows(contracts),
          "",
        ]),
    ...(measures.length === 0
      ? []
      : [
          "| outcome | measure | baseline median | candidate median | tested growth | p |",
          "|---|---|---|---|---|---|",
          ...rows(measures),
          "",
        ]),
    "What the number of turns can show, worked out before the answer:",
    "",
    ...plan,
    "",
  ].join("\n");
}

/** A text in one cell of a table, without markup of its own. */
function cell(text: string): string {
  return text.replace(/[\r\n]+/gu, " ").replace(/[\\|*_<>[\]]/gu, "\\$&");
}
