/** @module GateMarkdown: the gate's answer as a summary for a pull request. */
import type { GatePlans, GateReport } from "../gate/gate-report.ts";
import { cell } from "./markdown-cell.ts";
import {
  chance,
  changeTexts,
  intervalTexts,
  measureName,
  measureOutcome,
  medianTexts,
  notRecordedTexts,
  outcomeTexts,
  pairingTexts,
  passTexts,
  percent,
  planLines,
  sideTexts,
} from "./gate-texts.ts";

/** The answer as tables, the plan before the outcome. */
export function gateMarkdown(report: GateReport, plans: GatePlans): string {
  const rows = (cells: readonly (readonly string[])[]): string[] =>
    cells.map((some) => `| ${some.map(cell).join(" | ")} |`);
  const contracts = report.contracts.map((one) => [
    outcomeTexts[one.outcome],
    one.name,
    ...(["baseline", "candidate"] as const).map((side) => {
      const pass = one.passK[side];
      // Of one turn, pass^k is the share itself.
      return pass.k === 1 ? sideTexts(one[side]) : `${sideTexts(one[side])}; ${passTexts(pass)}`;
    }),
    `${changeTexts(one)}, ${pairingTexts(one)}`,
    chance(one.adjustedP),
  ]);
  const absent = report.notApplied.map((name) => [
    outcomeTexts.not_enough_evidence,
    name,
    "applied to 0 turns",
    "applied to 0 turns",
    "unknown",
    "",
  ]);
  const measures = report.measures.map((one) => [
    measureOutcome(one),
    measureName(one),
    medianTexts(one.baseline),
    medianTexts(one.candidate),
    `more than ${percent(one.allowedGrowth)}, ${pairingTexts(one)}`,
    chance(one.adjustedP),
  ]);
  const plan = planLines(plans).map(([name, words]) => `- ${cell(name)}: ${words}`);
  return [
    "## Gate",
    "",
    "What the number of turns can show, worked out before the answer:",
    "",
    ...plan,
    "",
    `**Outcome: ${outcomeTexts[report.outcome]}**`,
    "",
    ...(report.warnings ?? []).flatMap((one) => [`**Warning:** ${one}`, ""]),
    ...(contracts.length + absent.length === 0
      ? []
      : [
          "| outcome | contract | baseline holds | candidate holds | change | p |",
          "|---|---|---|---|---|---|",
          ...rows([...contracts, ...absent]),
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
    intervalTexts(report),
    "",
    ...[notRecordedTexts(report) ?? []].flat().flatMap((words) => [words, ""]),
  ].join("\n");
}
